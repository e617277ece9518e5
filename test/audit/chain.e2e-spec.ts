import type { AuditedAction } from '../../libs/platform/src/audit/audited-action';
import { EMPLOYE_ACTIONS } from '../../libs/membership/src/domain/membership.actions';
import { SYNC_ACTIONS } from '../../libs/sync/src/domain/sync.actions';
import { randomUUID } from 'node:crypto';
import { AuditTrail } from '../../libs/platform/src/audit/audit-trail';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { TEST_ACTOR } from '../setup/actor';
import { depth, SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import { TestApp } from '../setup/test-app';
import { ALTERATIONS, type Chance } from './support/alterations';
import { Trail } from './support/trail';

const TRIALS = depth(50, 1_000);

let app: TestApp;
let trail: Trail;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
  trail = new Trail(app, await app.tenant());
  await trail.grow(24);
}, 60_000);
afterAll(() => app.stop());

const spaces = (): string[] => [trail.tenant.tenantId, trail.tenant.clientId];

const faults = async (): Promise<string[]> =>
  (await Promise.all(spaces().map((space) => trail.verify(space)))).flatMap(({ faults }) => faults);

describe('The chain of the audit trail', () => {
  it('is whole as the service writes it: one entry a write, without a gap', async () => {
    expect(await faults()).toEqual([]);
    const rows = await trail.rows();
    expect(rows.map(({ numero }) => numero)).toEqual(rows.map((_row, index) => index + 1));
    expect(rows.map(({ action }) => action)).toEqual(
      Array.from({ length: 8 }, () => [
        'employeur.creer',
        'employeur.modifier',
        'employeur.supprimer',
      ]).flat(),
    );
  });

  it(`shows each of ${TRIALS} random alterations, at once and after further entries`, async () => {
    const random = seeded(SEED);
    const chance: Chance = (below) => Math.floor(random() * below);
    // An attacker who may write anything can also remove a constraint.
    await trail.sql('ALTER TABLE journal DROP CONSTRAINT journal_chained');
    const restore = await trail.keep();
    // With two servers the other trail, that of the client, is on the other one, where no statement reaches it.
    const kinds = Object.entries(ALTERATIONS).filter(
      ([kind]) => app.dataUrl === app.config.databaseUrl || !kind.includes('another trail'),
    );
    const missed: string[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      const [kind, alter] = kinds[trial % kinds.length]!;
      await alter(trail, chance);
      const goesOn = chance(3) === 0;
      if (goesOn) await trail.grow(3);
      if ((await faults()).length === 0) missed.push(`${kind}${goesOn ? ', and gone on' : ''}`);
      await restore();
      // A check that always reports faults would detect every alteration.
      if (trial % 50 === 0) expect(await faults()).toEqual([]);
    }
    expect(missed).toEqual([]);
  }, 600_000);

  it.each([
    ['changed', `'{}'`],
    ['put into an entry without one', `'{"ajoutes":null}'`],
    ['taken away', 'NULL'],
  ])('shows the detail of an entry that is %s', async (what, detail) => {
    const restore = await trail.keep();
    const body = {
      titre: what,
      ouvertureDuVoteUtc: '2099-01-01T13:00:00Z',
      fermetureDuVoteUtc: '2099-01-08T22:00:00Z',
    };
    const { json: id } = await app.send(trail.tenant, 'POST', '/b2b/v1/campagnes', body);
    await app.send(trail.tenant, 'POST', `/b2b/v1/campagnes/${id}/votants/upsert`, {
      Prenom: 'Zoé',
      Nom: 'Roy',
    });
    expect(await faults()).toEqual([]);
    const { numero } = (await trail.rows()).at(what.startsWith('put') ? -2 : -1)!;
    await trail.sql(
      `UPDATE journal SET detail = ${detail} WHERE tenant_id = $1 AND numero = $2`,
      trail.tenant.tenantId,
      numero,
    );
    expect(await faults()).toEqual([`entry ${numero} or its place is not what was written`]);
    await restore();
  });

  it('goes on where it was broken, and says so for good', async () => {
    const restore = await trail.keep();
    await ALTERATIONS['everything removed, with the end']!(trail, () => 0);
    await trail.grow(3);
    expect((await trail.rows()).map(({ action }) => action)).toEqual([
      'journal.rompre',
      'employeur.creer',
      'employeur.modifier',
      'employeur.supprimer',
    ]);
    expect((await trail.verify()).faults).toEqual(['the chain was found broken when entry 1 was written']);
    await restore();
  });

  describe('controls', () => {
    it('only the key protects it: a trail written with the key looks valid', async () => {
      const restore = await trail.keep();
      await trail.forge(app.config.secretsKey, ([, ...rest]) => rest);
      expect((await trail.verify()).faults).toEqual([]);
      expect((await trail.rows()).length).toBe(23);
      await restore();
      expect((await trail.verifyWith(KeyRing.of(Buffer.alloc(32)))).faults).not.toEqual([]);
    });

    it('an earlier copy of the whole trail is detected only by its previous end', async () => {
      const restore = await trail.keep();
      await trail.grow(3);
      const { numero, empreinte, faults } = await trail.verify();
      expect(faults).toEqual([]);
      expect((await trail.verify(undefined, { numero, empreinte })).faults).toEqual([]);
      await restore();
      expect((await trail.verify()).faults).toEqual([]);
      const anchored = await trail.verify(undefined, { numero, empreinte });
      expect(anchored.faults).toEqual([
        `the chain once reached entry ${numero} and now ends at ${numero - 3}`,
      ]);
      // Grown again to the same length, with other entries.
      await trail.grow(3);
      const other = await trail.verify(undefined, { numero, empreinte });
      expect(other.faults).toEqual([`entry ${numero} is not the one that was there before`]);
      await restore();
    });
  });
});

describe('Simultaneous writes', () => {
  it('makes one chain without a gap, over two replicas', async () => {
    const replica = await TestApp.start({
      databaseUrl: app.config.databaseUrl,
      secretsKey: app.config.secretsKey,
    });
    const tenant = await app.tenant();
    const many = new Trail(app, tenant);
    const writes = Array.from({ length: 120 }, (_one, index) =>
      (index % 2 ? app : replica).send(tenant, 'POST', '/b2b/v1/employeur', {
        idExterne: `E${index}`,
        nom: 'E',
      }),
    );
    expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([201]));
    expect(await many.verify()).toMatchObject({ numero: 120, faults: [] });
    const dates = (await many.rows()).map(({ date }) => date);
    expect(dates).toEqual([...dates].sort());
    await replica.stop();
  });

  it('a write does not wait for another transaction before its commit', async () => {
    const transactions = app.app.get(Transactions);
    const tenant = await app.tenant();
    const done = await transactions.run({ tenantId: tenant.tenantId }, async () => {
      app.app.get(AuditTrail).record(tenant.tenantId, TEST_ACTOR, SYNC_ACTIONS.v2, [tenant.tenantId]);
      return app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'E', nom: 'E' });
    });
    expect(done.status).toBe(201);
    expect((await new Trail(app, tenant).rows()).map(({ action }) => action)).toEqual([
      'employeur.creer',
      'sync.v2',
    ]);
  });
});

describe('Undone work', () => {
  const actions = async (tenant: Trail): Promise<string[]> =>
    (await tenant.rows()).map(({ action }) => action);

  it('leaves no entry: a rejection recorded with its Idempotency-Key, a simulation, a failure', async () => {
    const tenant = await app.tenant();
    const own = new Trail(app, tenant);
    const employeur = { idExterne: 'E', nom: 'E' };
    const send = (path: string, key?: string): Promise<{ status: number }> =>
      app.send(tenant, 'POST', path, path.includes('sync') ? { employeurs: [employeur] } : employeur, {
        ...(key ? { 'Idempotency-Key': key } : {}),
      });
    expect((await send('/b2b/v1/employe/sync?simulation=true')).status).toBe(200);
    expect(await actions(own)).toEqual([]);
    expect((await send('/b2b/v1/employeur', randomUUID())).status).toBe(201);
    const again = randomUUID();
    for (const key of [again, again, undefined])
      expect((await send('/b2b/v1/employeur', key)).status).toBe(409);
    expect(await actions(own)).toEqual(['employeur.creer']);
    expect((await own.verify()).faults).toEqual([]);
  });

  it('takes along what a savepoint noted, and nothing of before', async () => {
    const tenant = await app.tenant();
    const audit = app.app.get(AuditTrail);
    const transactions = app.app.get(Transactions);
    const note = (action: AuditedAction): void =>
      audit.record(tenant.tenantId, TEST_ACTOR, action, [tenant.tenantId]);
    await transactions.run({ tenantId: tenant.tenantId }, async () => {
      note(SYNC_ACTIONS.v1);
      await transactions
        .savepoint(() => {
          note(EMPLOYE_ACTIONS.creer);
          return Promise.reject(new Error('undone'));
        })
        .catch(() => undefined);
      await transactions.undone(() => Promise.resolve(note(EMPLOYE_ACTIONS.creer)));
      note(SYNC_ACTIONS.v2);
    });
    expect(await actions(new Trail(app, tenant))).toEqual(['sync.v1', 'sync.v2']);
  });
});
