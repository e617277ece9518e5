import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { times } from '../membership/synced';
import { depth } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { countStatements } from '../sync/statements';
import { Campaigns } from './support/campaigns';

const EMPLOYEES = depth(40_000, 200_000);
const RECORDS = EMPLOYEES / 2;
const UNIONS = times(10, (index) => `SYN-${index}`);
const EMPLOYERS = times(100, (index) => `EMP-${index}`);
const EVERYBODY = { SyndicatsIdExternes: UNIONS, EmployeursIdentifiantsExternes: EMPLOYERS };
/** Identifiers of one request; it may name 25,000. */
const NAMED = depth(8_000, 25_000);

let app: TestApp;
let campaigns: Campaigns;

/** Runs statements of a superuser without the checks of foreign keys, which would take longer than the tests. */
async function filled(...statements: [text: string, ...values: unknown[]][]): Promise<void> {
  const client = await app.connect('-c session_replication_role=replica');
  for (const [text, ...values] of statements) await client.query(text, values);
  await client.end();
}

/** Tenants with a row of each kind: of a new tenant, PostgreSQL then knows no more than that most have one. */
function smallTenants(count: number): Promise<void> {
  const numbers = `FROM generate_series(1, $1) n`;
  const tenant = `lpad(n::text, 32, '0')::uuid`;
  return filled(
    [`INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT ${tenant}, 'T-' || n, 'S' ${numbers}`, count],
    [`INSERT INTO employeur (tenant_id, id_externe, nom) SELECT ${tenant}, 'T-' || n, 'E' ${numbers}`, count],
    [
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom) SELECT ${tenant}, 'T-' || n, 'P', 'N' ${numbers}`,
      count,
    ],
    [
      `INSERT INTO membership (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
       SELECT ${tenant}, 'T-' || n, 'T-' || n, now() ${numbers}`,
      count,
    ],
    [
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur)
       SELECT ${tenant}, 'T-' || n, 'J', 'T-' || n ${numbers}`,
      count,
    ],
    [
      `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire)
       SELECT ${tenant}, ${tenant}, 'T', 't', now(), now(), false ${numbers}`,
      count,
    ],
    [
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, employe_id_externe, a_droit_de_vote, poids)
       SELECT ${tenant}, ${tenant}, 'P', 'N', 'T-' || n, true, 1 ${numbers}`,
      count,
    ],
    ['ANALYZE'],
  );
}

/** Employees, each a member of one of ten unions and with an active employment, half of them with an ended one, too. */
function employees(tenantId: string): Promise<void> {
  const numbers = 'FROM generate_series(0, $2 - 1) n';
  return filled(
    [
      `INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT $1, unnest($2::text[]), 'S'`,
      tenantId,
      UNIONS,
    ],
    [
      `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1, unnest($2::text[]), 'E'`,
      tenantId,
      EMPLOYERS,
    ],
    [
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom, courriel, a_emplois)
       SELECT $1, 'E-' || n, 'Marie-Ève', 'L''Écuyer', 'e' || n || '@example.org', true ${numbers}`,
      ...[tenantId, EMPLOYEES],
    ],
    [
      `INSERT INTO membership (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
       SELECT $1, 'E-' || n, 'SYN-' || n % 10, '2020-01-01Z' ${numbers}`,
      ...[tenantId, EMPLOYEES],
    ],
    [
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, date_debut, date_fin)
       SELECT $1, 'E-' || n, 'J-' || j, 'EMP-' || n % 100, '2020-01-01Z', CASE j WHEN 2 THEN '2021-01-01Z'::timestamptz END
       ${numbers}, generate_series(1, 1 + n % 2) j`,
      ...[tenantId, EMPLOYEES],
    ],
  );
}

/** Makes all employees voters of a campaign, for work on a roll that does not depend on how the roll was made. */
async function enrolled(): Promise<string> {
  const id = await campaigns.draft();
  await filled(
    [
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, courriel, employe_id_externe, syndicat_id_externe,
         employeur_identifiant_externe, a_droit_de_vote, poids)
       SELECT $1, $2, 'Marie-Ève', 'L''Écuyer', 'e' || n || '@example.org', 'E-' || n, 'SYN-' || n % 10, 'EMP-' || n % 100, true, 1
       FROM generate_series(0, $3 - 1) n`,
      ...[campaigns.tenant.tenantId, id, EMPLOYEES],
    ],
    ['UPDATE campagne SET nombre_votants = $2 WHERE id_unique = $1', id, EMPLOYEES],
  );
  return id;
}

/** Makes a new tenant with its employees. PostgreSQL has not counted their rows, and does not count them while the tests run. */
async function start(others: number): Promise<void> {
  app = await TestApp.own('volume');
  for (const table of ['employe', 'emploi', 'membership', 'campagne', 'votant', 'syndicat', 'employeur']) {
    await app.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  if (others > 0) await smallTenants(others);
  campaigns = new Campaigns(app, await app.tenant());
  await employees(campaigns.tenant.tenantId);
}

/** Sends one request and prints how long it took: each statement of it has 30 s (docs/contract.md, "Limits"). */
async function timed(what: string, sending: Promise<Answer>): Promise<Answer> {
  const begin = performance.now();
  const answer = await sending;
  process.stdout.write(`${what}: ${((performance.now() - begin) / 1_000).toFixed(1)} s\n`);
  return answer;
}
const enrol = (what: string, id: string, criteria: object): Promise<Answer> =>
  timed(what, campaigns.send('POST', `/${id}/liste-electorale`, criteria));

/** Voters of a campaign, and how many employees are among them. */
async function size(id: string): Promise<[voters: number, employees: number]> {
  const rows = await campaigns.rows<{ voters: number; employees: number }>(
    `SELECT count(*)::int AS voters, count(DISTINCT employe_id_externe)::int AS employees
     FROM votant WHERE tenant_id = $1 AND campagne_id = $2`,
    id,
  );
  return [rows[0]!.voters, rows[0]!.employees];
}

describe('a new tenant of many employees beside 2,000 tenants with a row of each kind', () => {
  let id: string;

  beforeAll(() => start(2_000), 300_000);
  afterAll(() => app.stop());

  it('one electoral list makes voters of all of them; a second one adds none', async () => {
    const other = await campaigns.draft();
    for (const [what, added] of [
      ['voters by a list', EMPLOYEES],
      ['none by the same list', 0],
    ] as const) {
      const { status, json } = await enrol(what, other, EVERYBODY);
      expect([status, json.code]).toEqual([201, undefined]);
      expect(json).toMatchObject({
        ...{ NombreVotants: EMPLOYEES, NombreAjoutes: added, NombreDejaPresents: EMPLOYEES - added },
      });
      expect(await size(other)).toEqual([EMPLOYEES, EMPLOYEES]);
      expect((await campaigns.item(other)).nombreVotants).toBe(EMPLOYEES);
    }
    expect((await campaigns.send('DELETE', `/${other}`)).status).toBe(204);
  }, 120_000);

  // Separate, because these must not fail with the list.
  describe('with all employees on a roll', () => {
    beforeAll(async () => {
      id = await enrolled();
    }, 120_000);

    it('the roll is streamed whole; a caller who does not read holds it back, and the process does not keep it', async () => {
      let fetched = 0;
      const query = Client.prototype.query as (...given: unknown[]) => unknown;
      const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...given) {
        if ((given[0] as { name?: string }).name?.startsWith('votant_page')) fetched++;
        return query.apply(this, given) as void;
      });
      const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
      const before = held();
      const [response] = (await once(
        get(`${app.url}/b2b/v1/campagnes/${id}/votants`, { headers: { 'X-Api-Key': campaigns.tenant.cle } }),
        'response',
      )) as [IncomingMessage];
      // No client reads. The sent data fill the buffers on the way, and the rest then waits.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const [early, kept] = [fetched, held() - before];
      let [voters, rest] = [0, ''];
      for await (const chunk of response) {
        const text = rest + (chunk as Buffer).toString('latin1');
        voters += text.split('"VotantId"').length - 1;
        // A name that is cut in two is counted with the next chunk.
        rest = text.slice(-9);
      }
      spy.mockRestore();
      expect(voters).toBe(EMPLOYEES);
      // Parts of at most 1,500 voters; about seven megabytes fit into the buffers.
      expect(fetched).toBeGreaterThanOrEqual(EMPLOYEES / 1_500);
      expect(fetched).toBeLessThan((1.5 * EMPLOYEES) / 1_500);
      expect(early).toBeLessThan(0.8 * fetched);
      expect(kept).toBeLessThan(100 * 2 ** 20);
    }, 120_000);

    it('pages of 1,000 walk through it with one statement each', async () => {
      const seen = new Set<string>();
      let pages = 0;
      const statements = await countStatements(async () => {
        for (let next: string | undefined = `/b2b/v1/campagnes/${id}/votants?limite=1000`; next; pages++) {
          const answer: Answer = await app.send(campaigns.tenant, 'GET', next);
          for (const { VotantId } of answer.json) seen.add(VotantId);
          next = answer.headers.get('link')?.slice(1).split('>')[0]!.slice(app.config.publicUrl.length);
        }
      });
      expect([seen.size, pages]).toEqual([EMPLOYEES, EMPLOYEES / 1_000]);
      // Not all requests are for voters: a key, for example, is noted as used once a minute.
      expect(statements - pages).toBeLessThan(5);
    }, 120_000);

    it('one request makes as many voters of records as half the roll, half of them employees', async () => {
      const other = await campaigns.draft();
      const records = times(RECORDS, (n) => ({
        ...(n % 2 ? { EmployeIdExterne: `E-${n}` } : { Prenom: 'Zoé', Nom: 'Roy' }),
        ...{ Identifiant: `V-${n}`, SyndicatIdExterne: UNIONS[n % 10], Poids: 1.5 },
        EmployeurIdentifiantExterne: EMPLOYERS[n % 100],
      }));
      const sending = campaigns.send('POST', `/${other}/votants/upsert`, records);
      const { status, json } = await timed(`${RECORDS} voters by an upsert`, sending);
      expect([status, json]).toEqual([200, { NombreCrees: RECORDS, NombreModifies: 0, Erreurs: [] }]);
      expect(await size(other)).toEqual([RECORDS, RECORDS / 2]);
    }, 120_000);

    it('one request takes the right to vote of thousands', async () => {
      const rows = await campaigns.rows<{ id: string }>(
        `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY hashtext(id_unique::text) LIMIT $3`,
        ...[id, NAMED - 1],
      );
      const stranger = randomUUID();
      const body = { VotantIds: [...rows.map((row) => row.id), stranger], ADroitDeVote: false };
      const sending = campaigns.send('PUT', `/${id}/votants/droit-de-vote`, body);
      const { status, json } = await timed(`the right of ${NAMED}`, sending);
      expect([status, json]).toEqual([200, { NombreModifies: NAMED - 1, VotantIdsNonTrouves: [stranger] }]);
      const without = (await campaigns.sent('GET', `/${id}/votants?aDroitDeVote=false`)).json;
      expect(without).toHaveLength(NAMED - 1);
    }, 120_000);

    it('the campaign is deleted with all its voters; those of another one stay', async () => {
      const { status } = await timed('the deletion of the campaign', campaigns.send('DELETE', `/${id}`));
      expect(status).toBe(204);
      expect(
        await campaigns.rows('SELECT campagne_id FROM votant WHERE tenant_id = $1 GROUP BY 1'),
      ).toHaveLength(1);
      expect(await campaigns.rows('SELECT FROM employe WHERE tenant_id = $1')).toHaveLength(EMPLOYEES);
    }, 120_000);
  });
});

describe('the first tenant of all', () => {
  beforeAll(() => start(0), 300_000);
  afterAll(() => app.stop());

  it('makes voters of all its employees by one list', async () => {
    const id = await campaigns.draft();
    const { status, json } = await enrol('voters of the first tenant', id, EVERYBODY);
    expect([status, json.NombreAjoutes, json.NombreVotants]).toEqual([201, EMPLOYEES, EMPLOYEES]);
    expect(await size(id)).toEqual([EMPLOYEES, EMPLOYEES]);
  }, 120_000);

  it.each(['has not counted', 'has counted'])(
    'a list of thousands of former employees, while PostgreSQL %s its rows: none is added',
    async (state) => {
      const last = times(NAMED, (n) => `E-${EMPLOYEES - 1 - n}`);
      await app.database.query(
        `UPDATE emploi SET date_fin = '2021-01-01Z' WHERE tenant_id = $1 AND id_externe_employe = ANY ($2)`,
        [campaigns.tenant.tenantId, last],
      );
      await campaigns.rows(
        'DELETE FROM membership WHERE tenant_id = $1 AND id_externe_employe = ANY ($2)',
        last,
      );
      if (state === 'has counted') await app.database.query('ANALYZE');
      const { status, json } = await enrol(`${NAMED} named alone, ${state}`, await campaigns.draft(), {
        EmployesIdExternes: last,
      });
      expect([status, json.NombreVotants]).toEqual([201, 0]);
    },
    120_000,
  );
});
