import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeplacementsService } from '../../libs/clients/src';
import { Config } from '../../libs/platform/src/ops/config';
import { Mover } from '../../libs/topology/src';
import { expectProblem } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import type { TestTenant } from '../setup/test-app';
import { spaceOf, TwoCells } from './support';

/** Actions that would lose or empty a data space. Each test does one, and finds everything in its place. */

const two = perFile(() => TwoCells.start());

/** Lets a function change or delay each statement of the process that matches, while some work runs. */
async function intercepting<T>(
  pattern: RegExp,
  change: (text: string) => Promise<string> | string,
  work: () => Promise<T>,
): Promise<T> {
  type Query = (...query: unknown[]) => unknown;
  const original = Client.prototype.query as Query;
  Client.prototype.query = function (this: Client, first: unknown, ...rest: unknown[]) {
    if (typeof first !== 'string' || !pattern.test(first)) return original.call(this, first, ...rest);
    return Promise.resolve(change(first)).then((text) =>
      original.call(this, text, ...(text === first ? rest : [])),
    );
  } as typeof Client.prototype.query;
  try {
    return await work();
  } finally {
    Client.prototype.query = original as typeof Client.prototype.query;
  }
}

const has = async (cell: 'principal' | 'nord', { tenantId }: TestTenant): Promise<boolean> =>
  'employe' in (await two.rowsIn(cell, tenantId));

const closedUntil = async (cell: 'principal' | 'nord', { tenantId }: TestTenant): Promise<unknown[]> =>
  (await two.databases[cell].query('SELECT jusqua::text FROM espace_ferme WHERE tenant_id = $1', [tenantId]))
    .rows;

it('a move of a database onto itself is refused', async () => {
  const { tenant } = await two.tenantIn('principal');
  expect((await two.request(tenant, 'nord')).status).toBe(202);
  const cells = new Map([['nord', two.urls.principal.replace('127.0.0.1', 'localhost')]]);
  const config = new Config({ ...two.app.config, cells });
  await two.performed(tenant, undefined, new Mover(two.app.app.get(DeplacementsService), config));
  expect(await two.latest(tenant)).toMatchObject({
    etat: 'Echouee',
    erreur: { detail: 'Both cells are the same database.' },
  });
  expect(await has('principal', tenant)).toBe(true);
  expect((await two.write(tenant)).status).toBe(201);
});

it('a directory that is back at the old cell does not empty the new one', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.moved(tenant, 'nord');
  await two.databases.principal.query(`UPDATE tenant SET cellule = 'principal' WHERE id = $1`, [
    tenant.tenantId,
  ]);
  await two.moved(tenant, 'nord');
  expect(await two.latest(tenant)).toMatchObject({
    etat: 'Echouee',
    dateBascule: null,
    erreur: { detail: 'The data space has left this cell before: it is not there.' },
  });
  expect(await has('nord', tenant)).toBe(true);
  // The old cell is back at an earlier time, too, without the space.
  await two.databases.principal.query('DELETE FROM espace_ferme WHERE tenant_id = $1', [tenant.tenantId]);
  await two.moved(tenant, 'nord');
  expect(await two.latest(tenant)).toMatchObject({
    etat: 'Echouee',
    erreur: { detail: 'The new cell has rows of the data space that no move has left there.' },
  });
  expect(await has('nord', tenant)).toBe(true);
  expect(await closedUntil('nord', tenant)).toEqual([]);
}, 60_000);

it('a switched move whose new cell has lost the copy does not empty the old one', async () => {
  const { tenant } = await two.tenantIn('principal');
  await expect(
    two.moved(tenant, 'nord', (step) => {
      if (step === 'settled') throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  // As in a restore of the new cell to a moment before the copy.
  await two.databases.nord.query('DELETE FROM espace_ferme WHERE tenant_id = $1', [tenant.tenantId]);
  await expect(two.performed(tenant)).rejects.toThrow('The new cell does not have the copy');
  expect(await has('principal', tenant)).toBe(true);
}, 60_000);

it('a move whose data space is elsewhere is left alone', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.request(tenant, 'nord');
  const set = (cell: string): Promise<unknown> =>
    two.databases.principal.query('UPDATE tenant SET cellule = $2 WHERE id = $1', [tenant.tenantId, cell]);
  await set('sud');
  await two.performed(tenant);
  expect((await two.latest(tenant)).etat).toBe('EnAttente');
  expect(await has('principal', tenant)).toBe(true);
  await set('principal');
  await two.performed(tenant);
  expect((await two.latest(tenant)).etat).toBe('Reussie');
}, 60_000);

it('a switch that is held up until the closures have ended does not happen', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.request(tenant, 'nord');
  let held = 0;
  const late = async (text: string): Promise<string> => {
    if (held++ === 0) await sleep(9_000);
    return text;
  };
  await expect(
    intercepting(/date_bascule = clock_timestamp/, late, () => two.performed(tenant)),
  ).rejects.toThrow('The switch came too late.');
  expect(await two.latest(tenant)).toMatchObject({ etat: 'EnCours', dateBascule: null });
  expect((await two.write(tenant)).status).toBe(201);
  await two.performed(tenant);
  expect(await two.latest(tenant)).toMatchObject({ etat: 'Reussie' });
}, 60_000);

it('a mover that does not hold the lock of the writers is refused', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.request(tenant, 'nord');
  // As behind a pooler, which gives the next statement another connection of the server.
  await intercepting(
    /pg_advisory_lock/,
    () => 'SELECT 1',
    () => two.performed(tenant),
  );
  expect(await two.latest(tenant)).toMatchObject({ etat: 'Echouee', erreur: { detail: /pooler/ } });
  expect(await has('nord', tenant)).toBe(false);
});

it('a refused move leaves a cell closed that the space has left before', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.moved(tenant, 'nord');
  await two.databases.principal.query(`
    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER lose BEFORE INSERT ON employe FOR EACH ROW EXECUTE FUNCTION lose();
    ALTER TABLE employe ENABLE ALWAYS TRIGGER lose`);
  await two
    .moved(tenant, 'principal')
    .finally(() => two.databases.principal.query('DROP TRIGGER lose ON employe; DROP FUNCTION lose()'));
  expect((await two.latest(tenant)).etat).toBe('Echouee');
  expect(await closedUntil('principal', tenant)).toEqual([{ jusqua: 'infinity' }]);
  expect((await two.write(tenant)).status).toBe(201);
}, 60_000);

it('a move that is interrupted again and again ends, and others go on meanwhile', async () => {
  const { tenant } = await two.tenantIn('principal');
  const { tenant: other } = await two.tenantIn('principal');
  await two.request(tenant, 'nord');
  await two.request(other, 'nord');
  const errors: unknown[] = [];
  const slow = async (step: string, { tenantId }: { tenantId: string }): Promise<void> => {
    if (step === 'kept' && tenantId === tenant.tenantId) await sleep(1_100);
  };
  for (let round = 0; round < 7; round++) await two.mover.performAll(slow, (error) => errors.push(error));
  expect(await two.latest(tenant)).toMatchObject({
    etat: 'Echouee',
    erreur: { code: 'Service.Indisponible' },
  });
  expect(errors.length).toBeGreaterThan(2);
  expect((await two.latest(other)).dateBascule).not.toBeNull();
  expect(await has('nord', tenant)).toBe(false);
  expect((await two.write(tenant)).status).toBe(201);
}, 120_000);

it('two movers: one performs the move, and old rows stay for three minutes', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.request(tenant, 'nord');
  const move = await two.openMove(tenant);
  const patient = new Mover(two.app.app.get(DeplacementsService), two.app.config);
  const switched: number[] = [];
  const count = (step: string): void => void (step === 'switched' && switched.push(1));
  const waits = await Promise.all([1, 2].map(() => patient.perform(move, count)));
  expect(switched).toHaveLength(1);
  expect(Math.max(...waits)).toBeGreaterThan(150_000);
  expect([await has('principal', tenant), await has('nord', tenant)]).toEqual([true, true]);
  expect((await two.latest(tenant)).etat).toBe('EnCours');
});

it('an erasure waits for the move', async () => {
  const { tenant } = await two.tenantIn('principal');
  await two.moved(tenant, 'nord', async (step) => {
    if (step === 'copied')
      expectProblem(
        await two.asAdmin('DELETE', `${spaceOf(tenant)}/employes/E-1`),
        503,
        'EspaceDonnees.EnDeplacement',
      );
  });
  expect((await two.asAdmin('DELETE', `${spaceOf(tenant)}/employes/E-1`)).status).toBe(204);
}, 60_000);
