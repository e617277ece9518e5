import { randomUUID } from 'node:crypto';
import { LifecycleService } from '../../libs/voting/src';
import { HorlogeService } from '../../libs/essai/src';
import { HorlogeRepository } from '../../libs/essai/src/persistence/horloge.repository';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { expectProblem } from '../http/expect-problem';
import { INSTANT, synced, times } from '../membership/synced';
import { depth } from '../setup/depth';
import { lockWaits } from '../setup/lock-waits';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { Intruder } from '../voting/support/intruder';
import { Votes } from '../voting/support/votes';
import { inDays, Rehearsal } from './rehearsal';

const HEADER = 'mandat-horloge';
const HORLOGE = '/b2b/v2/essai/horloge';
/** Greatest difference of two clocks that a test compares, in ms. */
const NEAR_MS = 20_000;

let app: TestApp;
let space: Rehearsal;

beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
afterAll(() => app.stop());
beforeEach(async () => {
  space = await Rehearsal.of(app);
});

function expectNear(one: string | null, other: Date): void {
  expect(one).toMatch(INSTANT);
  expect(Math.abs(Date.parse(one!) - other.getTime())).toBeLessThan(NEAR_MS);
}

describe('the clock of a data space', () => {
  it('shows the real time until it is moved, and then goes on from there', async () => {
    const before = await space.get();
    expectNear(before.json.maintenant, new Date());
    expect(before.headers.get(HEADER)).toBeNull();
    const put = await space.put(inDays(30));
    expect(put.status).toBe(200);
    expectNear(put.json.maintenant, inDays(30));
    expect(put.headers.get(HEADER)).toBe(put.json.maintenant);
    const first = Date.parse((await space.get()).json.maintenant);
    const second = Date.parse((await space.get()).json.maintenant);
    expect(second).toBeGreaterThan(first);
  });

  it('is in Mandat-Horloge of every answer of the data space, errors and the platform included', async () => {
    const other = await app.tenant();
    await space.set(inDays(100));
    const platform = await app.platformOf(space.tenant);
    const answers = await Promise.all([
      app.send(space.tenant, 'GET', '/b2b/v1/employe'),
      app.send(space.tenant, 'GET', '/b2b/v1/employe/nobody'),
      app.send(space.tenant, 'GET', '/b2b/v1/employe?inconnu=1'),
      app.send(space.tenant, 'POST', '/plateforme/v1/seances', {}),
      app.send(platform, 'GET', `/plateforme/v1/seances/${randomUUID()}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 403, 404]);
    for (const { headers } of answers) expectNear(headers.get(HEADER), inDays(100));
    expect((await app.send(other, 'GET', '/b2b/v1/employe')).headers.get(HEADER)).toBeNull();
  });

  it('goes forward only, and by two years at most', async () => {
    await space.set(inDays(10));
    const back = await space.put(inDays(9));
    expectProblem(back, 409, 'Essai.HorlogeRecule');
    expect(back.json.detail).toMatch(/^The clock shows \d{4}-.*Send a later moment/);
    expectProblem(await space.avancer(inDays(9)), 409, 'Essai.HorlogeRecule');
    const far = await space.put(inDays(740));
    expectProblem(far, 400, 'Essai.HorlogeTropLoin');
    expect(far.json.detail).toMatch(/^The clock may show at most \d{4}-/);
    expectProblem(await space.avancer(inDays(740)), 400, 'Essai.HorlogeTropLoin');
    await space.set(inDays(720));
    expectProblem(await space.put('2027-02-30T00:00:00Z'), 400, 'Requete.Invalide');
    expectProblem(await app.send(space.tenant, 'PUT', HORLOGE, {}), 400, 'Requete.Invalide');
    expectNear((await space.get()).json.maintenant, inDays(720));
  });

  it('eight moves at once: the clock shows the latest accepted time; rejections are 409', async () => {
    const answers = await Promise.all(times(8, (n) => space.put(inDays(n + 1))));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const answer of answers)
      if (answer.status !== 200) expectProblem(answer, 409, 'Essai.HorlogeRecule');
    const latest = Math.max(...done.map(({ json }) => Date.parse(json.maintenant)));
    expectNear((await space.get()).json.maintenant, new Date(latest));
  });

  it.each(['put', 'avancer'] as const)(
    '%s to an earlier moment is refused after it has waited for a move to a later one',
    async (move) => {
      const { tenantId } = space.tenant;
      const transactions = app.app.get(Transactions);
      let asked: Promise<Answer> | undefined;
      await transactions.run({ tenantId }, async () => {
        await transactions.lockByName(`horloge ${tenantId}`);
        asked = space[move](inDays(2));
        await lockWaits(app.database);
        await app.app.get(HorlogeRepository).advance(inDays(9));
      });
      expectProblem((await asked)!, 409, 'Essai.HorlogeRecule');
      expectNear((await space.get()).json.maintenant, inDays(9));
    },
  );

  it('cannot be moved while a task advances it; its audit trail names both', async () => {
    const task = await space.avancer(inDays(3));
    expect(task.status).toBe(202);
    expect(task.headers.get('location')).toBe(`/b2b/v2/tache/${task.json.id}`);
    expect(task.json).toMatchObject({ type: 'horloge', etat: 'EnAttente', total: 1 });
    expectProblem(await space.put(inDays(4)), 409, 'Essai.AvanceEnCours');
    expectProblem(await space.avancer(inDays(4)), 409, 'Essai.AvanceEnCours');
    const { tenantId } = space.tenant;
    const reset = app.app
      .get(Transactions)
      .run({ tenantId }, () => app.app.get(HorlogeService).reset(tenantId));
    await expect(reset).rejects.toMatchObject({ code: 'Essai.AvanceEnCours' });
    expect(await space.campaigns.audited(tenantId)).toEqual(['horloge.avancer']);
  });

  it('is put back to the real time with the data of the rehearsal', async () => {
    await space.set(inDays(3));
    const { tenantId } = space.tenant;
    await app.app.get(Transactions).run({ tenantId }, () => app.app.get(HorlogeService).reset(tenantId));
    const { json, headers } = await space.get();
    expectNear(json.maintenant, new Date());
    expect(headers.get(HEADER)).toBeNull();
    await space.set(inDays(1));
  });
});

describe('production', () => {
  let production: TestTenant;

  beforeAll(async () => {
    production = await app.tenant({ environnement: 'production' });
  });

  it('is refused by HTTP, also to its clock', async () => {
    for (const [method, path, body] of [
      ['GET', HORLOGE, undefined],
      ['PUT', HORLOGE, { maintenant: inDays(1) }],
      ['POST', `${HORLOGE}/avancer`, { jusqua: inDays(1) }],
    ] as const)
      expectProblem(await app.send(production, method, path, body), 403, 'Essai.EnvironnementRequis');
  });

  it('is refused to every role of the processes, by the function and by statements', async () => {
    const { tenantId } = production;
    const client = await app.connect();
    const refusals: string[] = [];
    const attempt = async (role: string, text: string): Promise<void> => {
      await client.query('BEGIN');
      await client.query(`SET LOCAL ROLE ${role}`);
      await client.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
      const refused = await client.query(text).then(
        () => 'done',
        (error: Error) => error.message,
      );
      await client.query('ROLLBACK');
      refusals.push(`${role}: ${refused}`);
    };
    const insert = `INSERT INTO horloge_essai VALUES ('${tenantId}', 'staging', '1 hour')`;
    for (const role of ['mandat_app', 'mandat_access', 'mandat_effacement']) {
      await attempt(role, insert);
      await attempt(role, `UPDATE horloge_essai SET decalage = '2 hours'`);
      await attempt(role, 'DELETE FROM horloge_essai');
      await attempt(role, `SELECT horloge_avancer(now() + interval '1 day')`);
      await attempt(role, `UPDATE reglage SET environnement = 'staging' WHERE tenant_id = '${tenantId}'`);
      await attempt(role, `DELETE FROM reglage WHERE tenant_id = '${tenantId}'`);
    }
    await client.end();
    const denied = (role: string, ...others: string[]): string[] => [
      ...times(3, () => `${role}: permission denied for table horloge_essai`),
      ...others.map((other) => `${role}: ${other}`),
      `${role}: permission denied for table reglage`,
    ];
    const noStaging = 'Only the clock of a staging data space can be moved.';
    const readOnly = 'permission denied for table reglage';
    expect(refusals).toEqual([
      ...denied('mandat_app', noStaging, readOnly),
      ...denied(
        'mandat_access',
        'permission denied for function horloge_avancer',
        'A data space cannot change its environment.',
      ),
      ...denied('mandat_effacement', noStaging, readOnly),
    ]);
  });

  it('is refused even to the owner of the tables', async () => {
    const { tenantId } = production;
    const insert = (environnement: string): Promise<unknown> =>
      app.database.query(`INSERT INTO horloge_essai VALUES ($1, $2, '1 hour')`, [tenantId, environnement]);
    await expect(insert('staging')).rejects.toThrow('violates foreign key constraint');
    await expect(insert('production')).rejects.toThrow('violates check constraint');
    // In one step; without an environment in between; and by a new row in the place of the moved one.
    for (const change of [
      `environnement = 'staging'`,
      'environnement = NULL',
      'tenant_id = gen_random_uuid()',
    ])
      await expect(
        app.database.query(`UPDATE reglage SET ${change} WHERE tenant_id = $1`, [tenantId]),
      ).rejects.toThrow('A data space cannot change its environment.');
  });

  it('has the real time when a session has a table of its own with the name of the clocks', async () => {
    const campaigns = new Rehearsal(app, production).campaigns;
    await space.set(inDays(1));
    const intruder = await Intruder.of(app, campaigns);
    await intruder
      .query(`CREATE TEMPORARY TABLE horloge_essai (tenant_id uuid, decalage interval)`)
      .then(() => intruder.query(`INSERT INTO horloge_essai VALUES ($1, '1 year')`, production.tenantId))
      .catch(() => undefined);
    const { rows } = await intruder.query<{ same: boolean }>('SELECT tenant_clock(now()) = now() AS same');
    expect(rows).toEqual([{ same: true }]);
    await intruder.end();
  });

  it('a rehearsal cannot go on with a moved clock as production', async () => {
    await space.set(inDays(1));
    await app.database.query('ALTER TABLE reglage DISABLE TRIGGER reglage_environnement');
    const change = app.database.query(
      `UPDATE reglage SET environnement = 'production' WHERE tenant_id = $1`,
      [space.tenant.tenantId],
    );
    await expect(change).rejects.toThrow('violates foreign key constraint');
    await app.database.query('ALTER TABLE reglage ENABLE TRIGGER reglage_environnement');
  });

  it('the function also bounds a clock by two years, forward', async () => {
    const intruder = await Intruder.of(app, space.campaigns);
    const advance = (by: string): Promise<boolean> =>
      intruder
        .query<{ moved: boolean }>(`SELECT horloge_avancer(now() + $1::interval) AS moved`, by)
        .then(({ rows }) => rows[0]!.moved);
    expect(await advance('2 days')).toBe(true);
    expect(await advance('1 day')).toBe(false);
    expect(await advance('-1 day')).toBe(false);
    await expect(advance('2 years 1 minute')).rejects.toThrow('at most two years ahead');
    await intruder.end();
  });
});

describe('many clocks beside each other', () => {
  const SPACES = depth(25, 100);
  const DAYS = times(SPACES, (n) => (n * 100) / SPACES);
  /** The vote opens after 30 days and closes after 60; an employment begins after 45. */
  const OPENING = 30;
  const BEGINNING = 45;
  const CLOSING = 60;

  it('each data space and production sees its own time: state, day, ballots, due events', async () => {
    const made: { days: number; rehearsal: Rehearsal; id: string; voter: string; option: object }[] = [];
    const make = async (days: number): Promise<void> => {
      const isProduction = days === 0;
      const tenant = await app.tenant(isProduction ? { environnement: 'production' } : {});
      const rehearsal = new Rehearsal(app, tenant);
      await synced(app, tenant, {
        Syndicats: [
          { IdentifiantExterne: 'S', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'P', Nom: 'P' }] },
        ],
        Employes: [
          {
            ...{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' },
            Emplois: [
              {
                ...{ IdentifiantExterne: 'J', IdentifiantExterneEmployeur: 'P', Matricule: 'M' },
                DateDebut: inDays(BEGINNING).toISOString(),
              },
            ],
          },
        ],
      });
      const id = await rehearsal.planned(OPENING, CLOSING);
      const [{ VotantId: voter }] = (await rehearsal.campaigns.sent('GET', `/${id}/votants`)).json;
      const [question] = (await rehearsal.campaigns.sent('GET', `/${id}/questions`)).json;
      const option = { QuestionId: question.Id, Options: [question.Options[0].Id] };
      if (!isProduction) await rehearsal.set(inDays(days));
      made.push({ days, rehearsal, id, voter, option });
    };
    const waiting = [...DAYS];
    await Promise.all(
      times(6, async () => {
        for (let days = waiting.shift(); days !== undefined; days = waiting.shift()) await make(days);
      }),
    );
    made.sort((one, other) => one.days - other.days);
    const etatOf = (days: number): string =>
      days < OPENING ? 'Planifie' : days < CLOSING ? 'VoteOuvert' : 'Termine';

    const seen: object[] = [];
    for (const { days, rehearsal, id, voter, option } of made) {
      const { campaigns, tenant } = rehearsal;
      const [listed] = (await campaigns.sent('GET', `?etat=${etatOf(days)}`)).json;
      const emplois = (await app.send(tenant, 'GET', '/b2b/v2/emploi')).json;
      const votes = days === 0 ? undefined : await Votes.of(app, campaigns);
      const cast = await votes?.cast(id, { VotantId: voter, Reponses: [option] });
      seen.push({
        ...{ days, etat: await campaigns.etat(id), listed: listed?.id === id, actif: emplois[0].actif },
        cast: cast?.status,
      });
    }
    expect(seen).toEqual(
      DAYS.map((days) => ({
        ...{ days, etat: etatOf(days), listed: true, actif: days >= BEGINNING },
        cast: days === 0 ? undefined : etatOf(days) === 'VoteOuvert' ? 201 : 409,
      })),
    );

    // The scheduler of the worker, across all tenants.
    await app.app.get(LifecycleService).tellAllDue();
    const { rows } = await app.database.query<{ id: string; types: string[] }>(
      `SELECT data ->> 'id' AS id, array_agg(type ORDER BY date_creation, id_unique) AS types FROM evenement
       WHERE data ->> 'id' = ANY ($1) GROUP BY 1`,
      [made.map(({ id }) => id)],
    );
    const told = new Map(rows.map(({ id, types }) => [id, types]));
    const life = ['campagne.publiee', 'campagne.ouverte', 'campagne.terminee'];
    expect(made.map(({ id }) => told.get(id))).toEqual(
      DAYS.map((days) => life.slice(0, days < OPENING ? 1 : days < CLOSING ? 2 : 3)),
    );
  });
});

describe('features that use the clock', () => {
  it('midnight is that of the time zone of the data space', async () => {
    const { tenant } = space;
    const zone = { fuseauHoraire: 'Pacific/Kiritimati' };
    const answer = await app.send(app.adminKey, 'PUT', `/admin/v1/clients/${tenant.clientId}`, zone);
    expect(answer.status).toBe(200);
    await synced(app, tenant, {
      Syndicats: [{ IdentifiantExterne: 'S', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'P', Nom: 'P' }] }],
      Employes: [
        {
          ...{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' },
          Emplois: [
            {
              IdentifiantExterne: 'J',
              IdentifiantExterneEmployeur: 'P',
              Matricule: 'M',
              DateDebut: dayIn(100),
            },
          ],
        },
      ],
    });
    const actif = async (): Promise<boolean> =>
      (await app.send(tenant, 'GET', '/b2b/v2/emploi')).json[0].actif;
    // The day begins 14 hours before that of UTC.
    const midnight = Date.parse(`${dayIn(100)}T00:00:00Z`) - 14 * 3_600_000;
    await space.set(new Date(midnight - 60_000));
    expect(await actif()).toBe(false);
    await space.set(new Date(midnight + 1_000));
    expect(await actif()).toBe(true);
  });

  it('a consent without a date is given at the time of the clock, and one may have a date up to it', async () => {
    const { tenant } = space;
    await synced(app, tenant, {
      Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' }],
      ObjetsConsentement: [{ IdExterne: 'O', Nom: 'O' }],
    });
    const platform = await app.platformOf(tenant);
    const consent = (dateConsentement?: Date) =>
      app.send(platform, 'POST', '/plateforme/v1/consentements', {
        ...{ idExterneEmploye: 'E-1', objetConsentementIdExterne: 'O', accepte: true },
        ...(dateConsentement ? { dateConsentement } : {}),
      });
    expectProblem(await consent(inDays(49)), 400, 'Requete.Invalide');
    await space.set(inDays(50));
    expect((await consent(inDays(49))).status).toBe(201);
    const now = await consent();
    expectNear(now.json.dateConsentement, inDays(50));
    expectProblem(await consent(inDays(51)), 400, 'Requete.Invalide');
  });

  it('ouvrir and fermer take the time of the clock, events have it, and keys and idempotency the real time', async () => {
    await space.set(inDays(50));
    const id = await space.planned(60, 70);
    const first = await app.send(space.tenant, 'POST', `/b2b/v1/campagnes/${id}/ouvrir`, undefined, {
      'Idempotency-Key': 'k',
    });
    expectNear(first.json.ouvertureDuVoteUtc, inDays(50));
    await space.campaigns.sent('POST', `/${id}/fermer`);
    expectNear((await space.campaigns.item(id)).fermetureDuVoteUtc, inDays(50));
    const events = await space.events();
    expect(events.map(({ type }) => type)).toEqual([
      'campagne.publiee',
      'campagne.ouverte',
      'campagne.terminee',
    ]);
    for (const { timestamp } of events) expectNear(timestamp, inDays(50));
    const rows = await space.campaigns.rows<{ near: boolean }>(
      `SELECT bool_and(date_creation BETWEEN now() - interval '1 hour' AND now()) AS near FROM (
         SELECT date_creation FROM evenement WHERE tenant_id = $1
         UNION ALL SELECT date_creation FROM journal WHERE tenant_id = $1
         UNION ALL SELECT date_creation FROM idempotency_record WHERE tenant_id = $1) d`,
    );
    expect(rows).toEqual([{ near: true }]);
  });

  it('a moved clock changes the ETag of lists, which show what is active on the day', async () => {
    const list = (etag?: string) =>
      app.send(space.tenant, 'GET', '/b2b/v2/employe', undefined, etag ? { 'If-None-Match': etag } : {});
    const etag = (await list()).headers.get('etag')!;
    expect((await list(etag)).status).toBe(304);
    await space.set(inDays(2));
    expect((await list(etag)).status).toBe(200);
  });
});

/** The day so many days from now, of UTC. */
function dayIn(days: number): string {
  return inDays(days).toISOString().slice(0, 10);
}
