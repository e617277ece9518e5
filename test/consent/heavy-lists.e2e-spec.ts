import { walk } from '../membership/synced';
import { TestApp, type TestTenant } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

const HEAVY = 60;
const MEGABYTE = 1_000_000;
/** The size of an item that is larger than the maximum of a page. */
const HEAVIEST = 20 * MEGABYTE;
const LIST = '/b2b/v1/consentement';

interface Item {
  dateConsentement: string;
  valeursChampUtilisateur: { valeurTexte: string }[];
}

const app = perFile(() => TestApp.own('volume'));
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await app.tenant();
  const { tenantId } = tenant;
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, 'E-1', 'Zoé', 'Roy')`,
    [tenantId],
  );
  await app.database.query(
    `INSERT INTO objet_consentement (tenant_id, id_externe, nom) VALUES ($1, 'INFOS', 'Infolettre')`,
    [tenantId],
  );
  // Small items are between the large ones, because the size of one must not predict the next.
  await app.database.query(
    `INSERT INTO consentement (tenant_id, id_externe_employe, id_externe_objet, accepte, date_consentement, valeurs_champ)
     SELECT $1, 'E-1', 'INFOS', true, timestamptz '2026-01-01Z' + n * interval '1 day',
       json_build_array(json_build_object('nom', 'Note', 'valeurTexte', repeat('é', CASE
         WHEN n = 5 THEN $3::int / 2 WHEN n % 3 = 0 THEN 10 ELSE $4::int / 2 END)))
     FROM generate_series(1, $2::int) n`,
    [tenantId, HEAVY, HEAVIEST, MEGABYTE],
  );
});

const datesOf = (items: readonly Item[]): string[] => items.map(({ dateConsentement }) => dateConsentement);
const DATES = Array.from({ length: HEAVY }, (_, day) => new Date(Date.UTC(2026, 0, 2 + day)).toISOString());

describe('A list of items of a megabyte', () => {
  it('is answered whole', async () => {
    const { status, json } = await app.send(tenant, 'GET', LIST);
    expect(status).toBe(200);
    expect(datesOf(json)).toEqual(DATES);
    expect((json as Item[])[4]!.valeursChampUtilisateur[0]!.valeurTexte).toBe('é'.repeat(HEAVIEST / 2));
  });

  it('has pages of fewer items than `limite`, which lead on', async () => {
    const pages = await walk<Item>(app, tenant, `${LIST}?limite=${HEAVY}`);
    expect(pages.length).toBeGreaterThan(2);
    expect(datesOf(pages.flat())).toEqual(DATES);
    // The item that fills a page is its last one.
    for (const page of pages) {
      expect(Buffer.byteLength(JSON.stringify(page.slice(0, -1)))).toBeLessThan(1.6 * MEGABYTE);
    }
  });
});
