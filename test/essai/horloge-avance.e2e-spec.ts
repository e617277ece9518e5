import type { INestApplication } from '@nestjs/common';
import { Child } from '../http/child-process';
import { times } from '../membership/synced';
import { HorlogeRepository } from '../../libs/essai/src/persistence/horloge.repository';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { LifecycleService } from '../../libs/voting/src';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { until } from '../webhooks/support/receiver';
import { Guardians } from '../voting/support/encrypted';
import { Votes } from '../voting/support/votes';
import { inDays, Rehearsal } from './rehearsal';

/** Greatest time between a date and the event that the service writes at it, by the clock, in ms. */
const NEAR_MS = 20_000;

let app: TestApp;
let space: Rehearsal;
const workers: INestApplication[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
});
afterAll(() => app.stop());
beforeEach(async () => {
  space = await Rehearsal.of(app);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

/** @param roundMs pause of the rounds that also open, close and seal; so long that they do nothing if absent */
async function work(roundMs = 3_600_000): Promise<void> {
  workers.push(await startWorker(app.config, { roundMs }));
}

/** Waits until a task has ended. */
async function ended(id: string, of = space): Promise<{ etat: string; resultat?: object }> {
  const read = async () => (await app.send(of.tenant, 'GET', `/b2b/v2/tache/${id}`)).json;
  await until('the task has ended', async () => ['Reussie', 'Echouee'].includes((await read()).etat), 60_000);
  return read();
}

/** Advances the clock, with a task that must succeed. */
async function advanced(days: number): Promise<void> {
  const jusqua = inDays(days).toISOString();
  const task = await space.avancer(jusqua);
  expect(task.status).toBe(202);
  expect(await ended(task.json.id)).toMatchObject({ etat: 'Reussie', resultat: { maintenant: jusqua } });
}

/** Events behind the publications: type, title, and how many whole days from now they have as their time. */
async function told(): Promise<string[]> {
  const events = await space.events();
  return events
    .filter(({ type }) => type !== 'campagne.publiee')
    .map(({ type, timestamp, data }) => {
      const days = (Date.parse(timestamp) - Date.now()) / 86_400_000;
      expect(Math.abs(days - Math.round(days)) * 86_400_000).toBeLessThan(NEAR_MS * 3);
      return `${Math.round(days)} ${type.slice('campagne.'.length)} ${data.titre ?? ''}`.trim();
    });
}

/** The events of a vote without ballots between two days. */
const life = (titre: string, opening: number, closing: number): [number, string][] => [
  [opening, `${opening} ouverte ${titre}`],
  [closing, `${closing} terminee ${titre}`],
  [closing, `${closing} scellee ${titre}`],
];

const inOrder = (...lives: [number, string][][]): string[] =>
  lives
    .flat()
    .sort(([one], [other]) => one - other)
    .map(([, text]) => text);

describe('an advance', () => {
  it('a vote of seven days takes less than 10 s, with ballots, sealing and count', async () => {
    await work();
    const id = await space.planned(1, 7);
    const votes = await Votes.of(app, space.campaigns);
    await advanced(2);
    const [{ VotantId }] = (await space.campaigns.sent('GET', `/${id}/votants`)).json;
    const [{ Id, Options }] = (await space.campaigns.sent('GET', `/${id}/questions`)).json;
    const ballot = { VotantId, Reponses: [{ QuestionId: Id, Options: [Options[0].Id] }] };
    expect((await votes.cast(id, ballot)).status).toBe(201);
    const begun = performance.now();
    await advanced(8);
    expect(performance.now() - begun).toBeLessThan(10_000);
    const stats = (await space.campaigns.sent('GET', `/${id}/stats`)).json;
    expect(stats).toMatchObject({ resultatsVisibles: true, votantsAyantVote: 1 });
    expect((await app.send(space.tenant, 'GET', `/b2b/v1/campagnes/${id}/dossier`)).status).toBe(200);
    const types = (await space.events()).map(({ type }) => type);
    expect(types).toEqual(
      [
        'campagne.publiee',
        'campagne.ouverte',
        'campagne.engagee',
        'campagne.terminee',
        'campagne.scellee',
      ].toSorted((one, other) => types.indexOf(one) - types.indexOf(other)),
    );
    expect(types.indexOf('campagne.terminee')).toBeLessThan(types.indexOf('campagne.scellee'));
  });

  it('makes the sums of an encrypted vote, and its bundle once the guardians have decrypted them', async () => {
    await work();
    const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = [1, 7].map((day) => inDays(day).toISOString());
    const id = await space.campaigns.ready({ ouvertureDuVoteUtc, fermetureDuVoteUtc });
    const votes = await Votes.of(app, space.campaigns);
    const guardians = await Guardians.of(votes, id, 1, 1);
    await guardians.finish();
    await space.campaigns.sent('POST', `/${id}/publier`);
    await advanced(2);
    const [{ VotantId }] = (await space.campaigns.sent('GET', `/${id}/votants`)).json;
    const { body } = await guardians.sealed(VotantId, [[0]]);
    expect((await votes.cast(id, body)).status).toBe(201);
    await advanced(8);
    expect((await guardians.decrypt(await guardians.decryption(1))).status).toBe(200);
    await advanced(9);
    const stats = (await space.campaigns.sent('GET', `/${id}/stats`)).json;
    expect(stats).toMatchObject({
      resultatsVisibles: true,
      questions: [{ Options: [{ Votes: 1 }, { Votes: 0 }] }],
    });
  });

  it.each([3_600_000, 50])(
    'emits events in the order of their dates, with their times (concurrent rounds of %i ms)',
    async (roundMs) => {
      await work(roundMs);
      await space.planned(5, 9, 'C');
      await space.planned(2, 7, 'A');
      await space.planned(3, 3, 'B');
      await space.planned(6, 400, 'D');
      await space.planned(1, 2, 'E');
      await advanced(10);
      const expected = inOrder(life('E', 1, 2), life('A', 2, 7), life('B', 3, 3), life('C', 5, 9), [
        [6, '6 ouverte D'],
      ]);
      const seen = await told();
      // At day 2 one vote opens and another closes.
      expect(seen.toSorted()).toEqual(expected.toSorted());
      const days = seen.map((text) => Number.parseInt(text, 10));
      expect(days).toEqual(days.toSorted((one, other) => one - other));
    },
  );

  it('goes through a closing that passes while it looks for the next date', async () => {
    await work();
    await space.planned(1, 2);
    const { tenantId } = space.tenant;
    const original = LifecycleService.prototype.nextDate;
    let looks = 0;
    const next = jest.spyOn(LifecycleService.prototype, 'nextDate');
    next.mockImplementation(async function (this: LifecycleService, ...args) {
      if (++looks === 2) {
        const clock = app.app.get(HorlogeRepository);
        await app.app.get(Transactions).run({ tenantId }, () => clock.advance(inDays(2.01)));
      }
      return original.apply(this, args);
    });
    try {
      await advanced(3);
    } finally {
      next.mockRestore();
    }
    expect(looks).toBeGreaterThan(2);
    const types = (await space.events()).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['campagne.terminee', 'campagne.scellee']);
  });

  it('does not take the place of a short task, because it may last for minutes', async () => {
    await space.avancer(inDays(1));
    const { rows } = await app.database.query<{ isShort: boolean }>(
      `SELECT (data->>'isShort')::boolean AS "isShort" FROM pgboss.job WHERE data->>'tenantId' = $1`,
      [space.tenant.tenantId],
    );
    expect(rows).toEqual([{ isShort: false }]);
  });

  it('moves no other data space', async () => {
    await work();
    const other = await Rehearsal.of(app);
    const id = await other.planned(1, 7);
    await space.planned(1, 7);
    await advanced(8);
    expect(await other.campaigns.etat(id)).toBe('Planifie');
    expect(await other.campaigns.events(id)).toEqual(['campagne.publiee']);
    expect((await other.get()).headers.get('mandat-horloge')).toBeNull();
  });

  it('goes over a box whose checks fail, which waits for an administrator', async () => {
    await work();
    const broken = await space.planned(1, 2, 'A');
    await space.planned(3, 4, 'B');
    await app.database.query(`UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2`, [
      space.tenant.tenantId,
      broken,
    ]);
    await advanced(5);
    expect(await told()).toEqual([
      ...['1 ouverte A', '2 terminee A', '3 ouverte B', '4 terminee B', '4 scellee B'],
    ]);
  });
});

describe('an advance that is interrupted', () => {
  const WHOLE = inOrder(life('A', 2, 7), life('B', 3, 5));

  /** Makes a statement of the n-th step fail until it is mended: the transaction of that step is rolled back. */
  async function breaking(table: string, when: string, condition: string): Promise<() => Promise<void>> {
    await app.database.query(
      `CREATE FUNCTION casser() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
       CREATE TRIGGER casser BEFORE ${when} ON ${table} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION casser()`,
    );
    return async () => {
      await app.database.query('DROP FUNCTION casser CASCADE');
    };
  }

  it.each([
    [
      'the first opening',
      'evenement',
      'INSERT',
      `NEW.type = 'campagne.ouverte' AND NEW.data ->> 'titre' = 'A'`,
    ],
    [
      'the second opening',
      'evenement',
      'INSERT',
      `NEW.type = 'campagne.ouverte' AND NEW.data ->> 'titre' = 'B'`,
    ],
    [
      'the first closing',
      'evenement',
      'INSERT',
      `NEW.type = 'campagne.terminee' AND NEW.data ->> 'titre' = 'B'`,
    ],
    [
      'the closing of a box',
      'campagne',
      'UPDATE',
      `NEW.urne_fermee_par IS NOT NULL AND OLD.urne_fermee_par IS NULL`,
    ],
    ['a sealing', 'campagne', 'UPDATE', 'NEW.urne_scellee AND NOT OLD.urne_scellee'],
    ['a count', 'evenement', 'INSERT', `NEW.type = 'campagne.scellee'`],
    [
      'the last closing',
      'evenement',
      'INSERT',
      `NEW.type = 'campagne.terminee' AND NEW.data ->> 'titre' = 'A'`,
    ],
    ['the end of the task', 'tache', 'UPDATE', `NEW.etat = 'Reussie'`],
  ])('at %s goes on where it was, and tells everything once', async (_step, table, when, condition) => {
    await space.planned(2, 7, 'A');
    await space.planned(3, 5, 'B');
    const mend = await breaking(table, when, condition);
    const task = await space.avancer(inDays(8));
    await work();
    const attempts = async (): Promise<number> => {
      const { rows } = await app.database.query<{ tried: number }>(
        `SELECT coalesce(max(retry_count), 0)::int + count(*) FILTER (WHERE state = 'retry')::int AS tried
         FROM pgboss.job WHERE data ->> 'tacheId' = $1`,
        [task.json.id],
      );
      return rows[0]!.tried;
    };
    try {
      await until('an attempt has failed', async () => (await attempts()) > 0);
    } finally {
      await mend();
    }
    // A dead worker's task goes to another one.
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await work();
    expect(await ended(task.json.id)).toMatchObject({ etat: 'Reussie' });
    expect((await told()).toSorted()).toEqual(WHOLE.toSorted());
    const days = (await told()).map((text) => Number.parseInt(text, 10));
    expect(days).toEqual(days.toSorted((one, other) => one - other));
  });
});

describe('a worker that is killed in an advance', () => {
  it('is followed by another one, which goes on behind the last step', async () => {
    const lives = times(12, (n) => life(`V${n}`, 1 + n, 20 + n));
    for (const n of times(12, (index) => index)) await space.planned(1 + n, 20 + n, `V${n}`);
    const { databaseUrl, dossierSigningKey } = app.config;
    const env = { DATABASE_URL: databaseUrl, DOSSIER_SIGNING_KEY: dossierSigningKey! };
    const task = await space.avancer(inDays(40));
    const count = async (): Promise<number> => {
      const rows = await space.campaigns.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM evenement WHERE tenant_id = $1 AND type <> 'campagne.publiee'`,
      );
      return rows[0]!.count;
    };
    const first = await Child.start('worker', env);
    await until('some steps are done', async () => (await count()) >= 4, 60_000);
    await first.stop('SIGKILL');
    const done = await count();
    expect(done).toBeLessThan(36);
    const second = await Child.start('worker', env);
    expect(await ended(task.json.id)).toMatchObject({ etat: 'Reussie' });
    expect(await told()).toEqual(inOrder(...lives));
    await second.stop();
  });
});

describe('many votes', () => {
  it('twenty votes with different dates: events are emitted in order', async () => {
    await work();
    const lives: [number, string][][] = [];
    for (const n of times(20, (index) => index)) {
      const [opening, closing] = [1 + ((n * 7) % 20), 21 + ((n * 3) % 20)];
      await space.planned(opening, closing, `V${n}`);
      lives.push(life(`V${n}`, opening, closing));
    }
    await advanced(50);
    expect(await told()).toEqual(inOrder(...lives));
  });
});
