import { JournalService } from '../../libs/clients/src';
import { expectProblem } from '../http/expect-problem';
import { command } from '../setup/command';
import { perFile } from '../setup/fixtures';
import type { Answer, TestTenant } from '../setup/test-app';
import { Votes } from '../voting/support/votes';
import { CELLS, spaceOf, TwoCells } from './support';

const two = perFile(() => TwoCells.start());

const settings = (): Record<string, string> => ({
  DATABASE_URL: two.urls.principal,
  CELLS: CELLS.map((cell) => `${cell}=${two.urls[cell]}`).join(' '),
  SECRETS_KEY: two.app.config.secretsKey.text(),
});

/** Runs the command as an operator does. @returns its exit code and what it printed */
async function erased(): Promise<{ code: unknown; lines: string[]; errors: string }> {
  const { code, output, errors } = await command(settings(), 'effacements');
  return { code, lines: output.trim().split('\n').filter(Boolean), errors };
}
const NOTHING = { code: 0, lines: [], errors: '' };

const client = ({ clientId }: TestTenant, method = 'GET', path = '', body?: unknown): Promise<Answer> =>
  two.asAdmin(method, `/clients/${clientId}${path}`, body);

/** Number of jobs of a data space in both cells. */
async function jobs({ tenantId }: TestTenant): Promise<number> {
  let count = 0;
  for (const cell of CELLS) {
    const { rowCount } = await two.databases[cell].query(
      `SELECT FROM pgboss.job WHERE data->>'tenantId' = $1`,
      [tenantId],
    );
    count += rowCount!;
  }
  return count;
}

async function suspended(tenant: TestTenant, days = 30): Promise<void> {
  await client(tenant, 'POST', '/suspendre', { raison: 'Résilié' });
  await two.databases.principal.query(
    `UPDATE client SET suspendu_le = suspendu_le - $2 * interval '1 day' WHERE id = $1`,
    [tenant.clientId, days],
  );
}

describe('DELETE /admin/v1/clients/{clientId}', () => {
  it('409 before 30 days of suspension, and while a vote is open; 404 for an unknown client; nothing changes', async () => {
    const campaigns = await two.tenantIn('nord');
    const { tenant } = campaigns;
    expectProblem(await client(tenant, 'DELETE'), 409, 'Client.NonSuspendu');
    await suspended(tenant, 29.99);
    const early = await client(tenant, 'DELETE');
    expectProblem(early, 409, 'Client.NonSuspendu');
    const { suspenduLe } = (await client(tenant)).json as { suspenduLe: string };
    const from = new Date(Date.parse(suspenduLe) + 30 * 86_400_000).toISOString();
    expect(early.json.detail).toContain(`It may be erased from ${from} on.`);
    await client(tenant, 'POST', '/reprendre');
    const votes = await Votes.of(two.app, campaigns);
    await votes.opened(2);
    await suspended(tenant);
    expectProblem(await client(tenant, 'DELETE'), 409, 'Client.VoteOuvert');
    expectProblem(
      await two.asAdmin('DELETE', '/clients/00000000-0000-0000-0000-000000000001'),
      404,
      'Client.NotFound',
    );
    expect((await client(tenant)).json).toMatchObject({ suppressionDemandeeLe: null, effaceLe: null });
    expect(await erased()).toEqual(NOTHING);
    expect((await client(tenant, 'POST', '/reprendre')).status).toBe(200);
    expect(await two.rowsIn('nord', tenant.tenantId)).toMatchObject({ employe: 3, reglage: 1 });
  });

  it('erases the data spaces and keys of the client, those of others stay; its name is free, its trail is whole', async () => {
    const { tenant } = await two.tenantIn('nord');
    const other = (await two.tenantIn('nord')).tenant;
    await two.moved(tenant, 'principal');
    expect((await two.write(tenant)).status).toBe(201);
    // A task waits for a worker.
    const task = await two.app.send(
      tenant,
      'POST',
      '/b2b/v2/sync',
      { Employes: [] },
      { Prefer: 'respond-async' },
    );
    expect([task.status, await jobs(tenant)]).toEqual([202, 1]);
    // Another one was left in the cell that had the data space before.
    await two.databases.nord.query(
      `INSERT INTO pgboss.job (name, data, policy) VALUES ('tache', jsonb_build_object('tenantId', $1::text), 'standard')`,
      [tenant.tenantId],
    );
    expect(await jobs(tenant)).toBe(2);
    const before = (await client(tenant)).json;
    await two.app.send(other, 'POST', '/b2b/v2/sync', { Employes: [] }, { Prefer: 'respond-async' });
    const others = await two.rowsIn('nord', other.tenantId);
    await suspended(tenant);

    const accepted = await client(tenant, 'DELETE');
    expect([accepted.status, accepted.json]).toEqual([
      202,
      expect.objectContaining({ suppressionDemandeeLe: expect.stringMatching(/Z$/), effaceLe: null }),
    ]);
    expect((await client(tenant, 'DELETE')).json).toEqual(accepted.json);
    const key = { nom: 'Clé', environnement: 'production', role: 'partenaire' };
    for (const refused of [
      await client(tenant, 'POST', '/reprendre'),
      await client(tenant, 'POST', '/suspendre', { raison: 'Encore' }),
      await client(tenant, 'PUT', '', { nom: 'Autre' }),
      await client(tenant, 'POST', '/cles', key),
      await two.request(tenant, 'nord'),
    ])
      expectProblem(refused, 409, 'Client.Supprime');

    const done = await erased();
    expect(done).toEqual({
      code: 0,
      lines: [expect.stringContaining(`${tenant.clientId} erased`)],
      errors: '',
    });
    for (const cell of CELLS) expect(await two.rowsIn(cell, tenant.tenantId)).toEqual({});
    expect([await jobs(tenant), await jobs(other)]).toEqual([0, 1]);
    expect(await two.rowsIn('nord', other.tenantId)).toEqual(others);
    expect((await two.write(other)).status).toBe(201);
    const after = await client(tenant);
    expect(after.json).toMatchObject({
      nom: `Client effacé ${tenant.clientId}`,
      modules: [],
      organisation: { contactTechnique: null, casUsage: null },
      effaceLe: expect.stringMatching(/Z$/),
    });
    expect((await client(tenant, 'GET', '/cles')).json).toEqual([]);
    expectProblem(await client(tenant, 'POST', '/reprendre'), 409, 'Client.Supprime');
    expectProblem(await two.asAdmin('GET', `${spaceOf(tenant)}/deplacement`), 404, 'Deplacement.NotFound');
    expect((await two.created({ nom: before.nom })).status).toBe(201);
    const { json: journal } = await client(tenant, 'GET', '/journal?ordre=desc&limite=3');
    expect(journal.map(({ action }: { action: string }) => action)).toEqual([
      'client.effacer',
      'client.supprimer',
      'client.suspendre',
    ]);
    for await (const { faults } of two.app.app.get(JournalService).verify(tenant.clientId, new Map()))
      expect(faults).toEqual([]);
    // A second one finds nothing to do.
    expect(await erased()).toEqual(NOTHING);
    expect((await client(tenant)).json).toEqual(after.json);
  }, 60_000);

  it('completes what one that was interrupted has begun, and waits for a move', async () => {
    const { tenant } = await two.tenantIn('principal');
    await suspended(tenant);
    await client(tenant, 'DELETE');
    // A move was requested at the same moment.
    const insert = `INSERT INTO deplacement (tenant_id, cellule_origine, cellule) VALUES ($1, 'principal', 'nord')`;
    await two.databases.principal.query(insert, [tenant.tenantId]);
    expect(await erased()).toEqual(NOTHING);
    expect(await two.rowsIn('principal', tenant.tenantId)).toMatchObject({ employe: 3 });
    await two.databases.principal.query(
      `UPDATE deplacement SET etat = 'Echouee', erreur = '{}', date_fin = now() WHERE tenant_id = $1`,
      [tenant.tenantId],
    );

    await two.databases.principal.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'E-1 Zoé'; END $$;
      CREATE TRIGGER fail BEFORE DELETE ON membership EXECUTE FUNCTION fail();
      ALTER TABLE membership ENABLE ALWAYS TRIGGER fail;`);
    const interrupted = await erased();
    await two.databases.principal.query('DROP TRIGGER fail ON membership; DROP FUNCTION fail');
    expect(interrupted).toMatchObject({ code: 1, lines: [] });
    expect(interrupted.errors).toBe(
      'An erasure was interrupted: P0001\nNot every client is erased. Run the command again.\n',
    );
    const left = await two.rowsIn('principal', tenant.tenantId);
    expect([left.employe, left.membership]).toEqual([undefined, 3]);
    expect((await client(tenant)).json.effaceLe).toBeNull();

    expect((await erased()).lines).toHaveLength(1);
    expect(await two.rowsIn('principal', tenant.tenantId)).toEqual({});
  }, 60_000);
});
