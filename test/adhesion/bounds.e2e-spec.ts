import { TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { synced, times } from '../membership/synced';
import { countStatements } from '../sync/statements';
import { openTenant, type OpenTenant, sign } from './support/cards';

const app = perFile(() => TestApp.own('volume'));
let open: OpenTenant;
const partner = (method: string, path: string, body?: object) =>
  app.send(open.partenaire, method, path, body);

beforeEach(async () => {
  open = await openTenant(app);
});

describe('DELETE /b2b/v2/adhesion/membre/{idExterneMembre} of many cards', () => {
  const path = '/b2b/v2/adhesion/membre/E-1';
  /** Gives E-1 signed cards, as the platform makes them one by one. */
  const insertCards = (syndicat: string, count: number) =>
    app.database.query(
      `INSERT INTO adhesion (tenant_id, id_externe_employe, employe_id_unique, syndicat_id_externe, date_signature, prenom, nom, courriel,
         a_signature_manuscrite, valeurs_champ)
       SELECT $1, 'E-1', e.id_unique, $2, now(), 'Zoé', 'Roy', 'z@example.org', false, '[]' FROM employe e, generate_series(1, $3::int)
       WHERE e.tenant_id = $1 AND e.id_externe = 'E-1'`,
      [open.tenantId, syndicat, count],
    );
  const deliveries = async (): Promise<number> =>
    (
      await app.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM livraison WHERE tenant_id = $1',
        [open.tenantId],
      )
    ).rows[0]!.count;

  it('400 for more than 200: each makes an event for every endpoint. Fewer of one union are deleted', async () => {
    for (let n = 0; n < 5; n++) {
      const webhook = { url: `http://127.0.0.1:9/${n}`, types: ['adhesion.supprimee'] };
      expect((await partner('POST', '/b2b/v2/webhook', webhook)).status).toBe(201);
    }
    await insertCards('SYN-1', 200);
    await insertCards('SYN-2', 1);
    let answer = await partner('GET', '/b2b/v2/adhesion?limite=1');
    const statements = await countStatements(async () => {
      answer = await partner('DELETE', path);
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: 'Requete.Invalide',
      detail: expect.stringContaining('more than 200 cards') as string,
    });
    expect(await deliveries()).toBe(0);
    expect(statements).toBeLessThan(10);
    expect((await partner('DELETE', `${path}?idExterneSyndicat=SYN-1`)).json).toEqual({
      nombreSupprime: 200,
    });
    expect((await partner('DELETE', path)).json).toEqual({ nombreSupprime: 1 });
    expect(await deliveries()).toBe(201 * 5);
  });
});

describe('POST /plateforme/v1/adhesions with values and many consents', () => {
  it('400 if the values of all consents together have more than 4 MiB', async () => {
    await synced(app, open.partenaire, {
      ObjetsConsentement: times(100, (n) => ({ IdExterne: `O-${n}`, Nom: 'Objet' })),
    });
    for (let n = 0; n < 7; n++)
      await partner('POST', '/b2b/v2/champ-utilisateur', { nom: `C-${n}`, type: 'texte' });
    const signing = (consents: number) =>
      sign(app, open.plateforme, {
        valeursChampUtilisateur: times(7, (n) => ({ NomChamp: `C-${n}`, Valeur: 'x'.repeat(9_300) })),
        consentements: times(consents, (n) => ({ objetConsentementIdExterne: `O-${n}`, accepte: true })),
      });
    const refused = await signing(100);
    expect(refused.status).toBe(400);
    expect(refused.json.errors).toEqual([
      {
        pointer: '/consentements',
        code: 'length',
        detail: expect.stringMatching(
          /^each has all custom values, which are 6,\d{3},\d{3} bytes of JSON together, and may be 4,194,304\./,
        ) as string,
      },
    ]);
    expect((await signing(60)).status).toBe(201);
  });
});
