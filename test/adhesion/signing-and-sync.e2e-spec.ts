import { setTimeout as sleep } from 'node:timers/promises';
import { synced, times } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { openTenant, signed } from './support/cards';
import { perFile, perTest } from '../setup/fixtures';

/** Time that a trigger stops a sync, during which the signing meets it. */
const HELD_SECONDS = 1.5;
const MEMBER_SINCE = '2020-01-01T00:00:00Z';

const app = perFile(() => TestApp.own('changes the schema'));
const tenant = perTest(() => openTenant(app));
beforeAll(async () => {
  await app.database.query(
    `CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${HELD_SECONDS}); RETURN NEW; END $$`,
  );
});

beforeEach(async () => {
  await synced(app, tenant.partenaire, {
    Syndicats: [
      {
        IdentifiantExterne: 'SYN-1',
        Nom: 'Syndicat Un',
        Employeurs: [{ IdentifiantExterne: 'EMP', Nom: 'Usine' }],
      },
    ],
  });
});
afterEach(async () => {
  await app.database.query(
    'DROP TRIGGER IF EXISTS held ON emploi; DROP TRIGGER IF EXISTS held ON membership',
  );
});

async function deadlocks(): Promise<number> {
  // A backend publishes its counts within a second of its last statement.
  await sleep(1_500);
  const { rows } = await app.database.query<{ count: number }>(
    'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]!.count;
}

describe('A signing that meets a V2 sync of the same new member', () => {
  it.each<[place: string, trigger: string, employe: object]>([
    [
      'after it has written the employee',
      'BEFORE INSERT ON emploi FOR EACH ROW EXECUTE FUNCTION held()',
      {
        Nom: 'Roy-Tremblay',
        Emplois: [{ IdentifiantExterne: 'M-1', IdentifiantExterneEmployeur: 'EMP', Matricule: '1' }],
      },
    ],
    [
      'after it has inserted the membership of an employee that it does not change',
      // At the next member: the row of the first one is inserted, and the employee is not yet written.
      `BEFORE INSERT ON membership FOR EACH ROW WHEN (NEW.id_externe_employe = 'E-2') EXECUTE FUNCTION held()`,
      { Nom: 'Roy' },
    ],
  ])('%s waits for it: both succeed at the first attempt', async (_place, trigger, employe) => {
    await app.database.query(`CREATE TRIGGER held ${trigger}`);
    const before = await deadlocks();
    const Adhesions = [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: MEMBER_SINCE }];
    const sync = synced(app, tenant.partenaire, {
      Employes: [
        { IdExterne: 'E-1', Prenom: 'Zoé', ...employe, Adhesions },
        { IdExterne: 'E-2', Prenom: 'Luc', Nom: 'Côté', Adhesions },
      ],
    });
    await sleep((HELD_SECONDS * 1000) / 2);
    const signings = Promise.all(times(3, () => signed(app, tenant.plateforme)));
    await Promise.all([sync, signings]);
    expect((await deadlocks()) - before).toBe(0);
    const { rows } = await app.database.query<{ since: Date }>(
      'SELECT date_adhesion AS since FROM membership WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows).toEqual(times(2, () => ({ since: new Date(MEMBER_SINCE) })));
    const cards = await app.send(tenant.partenaire, 'GET', '/b2b/v2/adhesion/E-1');
    expect(cards.json).toHaveLength(3);
  });

  it('the signing of an existing member does not wait for it', async () => {
    await signed(app, tenant.plateforme);
    await app.database.query(
      'CREATE TRIGGER held BEFORE INSERT ON emploi FOR EACH ROW EXECUTE FUNCTION held()',
    );
    let isDone = false;
    const sync = synced(app, tenant.partenaire, {
      Employes: [
        {
          IdExterne: 'E-1',
          Prenom: 'Zoé',
          Nom: 'Roy-Tremblay',
          Emplois: [{ IdentifiantExterne: 'M-1', IdentifiantExterneEmployeur: 'EMP', Matricule: '1' }],
        },
      ],
    }).then(() => (isDone = true));
    await sleep((HELD_SECONDS * 1000) / 2);
    await signed(app, tenant.plateforme);
    expect(isDone).toBe(false);
    await sync;
  });
});
