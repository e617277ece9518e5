import type { INestApplication } from '@nestjs/common';
import { Campagne } from '../../libs/voting/src/campagne/domain/campagne.entity';
import { LifecycleService } from '../../libs/voting/src';
import { refusing } from '../adhesion/support/data-space';
import { times } from '../membership/synced';
import { depth } from '../setup/depth';
import { startWorker } from '../setup/test-worker';
import { until } from '../webhooks/support/receiver';
import { NEXT_YEAR, WHOLE_LIFE } from './support/campaigns';
import { app, campaigns, databaseNow, newSpace, spaceOfEachTest, unchanged } from './support/scene';

const ROUND_MS = 100;
/** Longer than two rounds of a worker. */
const ROUNDS_MS = 500;
/** Campaigns that requests and clocks race for. */
const RACES = depth(6, 45);

const workers: INestApplication[] = [];

spaceOfEachTest({ own: 'a worker runs' });
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

async function work(count = 1): Promise<void> {
  for (let n = 0; n < count; n++) workers.push(await startWorker(app.config, { roundMs: ROUND_MS }));
}
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Moves the dates of campaigns to so many milliseconds from now, as time would bring them near. */
async function bring(ids: readonly string[], opening: number, closing: number): Promise<void> {
  await app.database.query(
    `UPDATE campagne SET ouverture_du_vote_utc = clock_timestamp() + $2::int * interval '1 millisecond',
       fermeture_du_vote_utc = clock_timestamp() + $3::int * interval '1 millisecond'
     WHERE id_unique = ANY ($1)`,
    [ids, opening, closing],
  );
}

/** Types of the events of each campaign, of any data space, in the order of their making. */
async function eventsOf(ids: readonly string[]): Promise<string[][]> {
  const { rows } = await app.database.query<{ id: string; types: string[] }>(
    `SELECT data ->> 'id' AS id, array_agg(type ORDER BY date_creation, id_unique) AS types
     FROM evenement WHERE data ->> 'id' = ANY ($1) GROUP BY 1`,
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)?.types ?? []);
}

/** Waits for the last event of each campaign and for two more rounds. @returns all events */
async function settled(ids: readonly string[], last = 'campagne.terminee'): Promise<string[][]> {
  await until(`${last} of all`, async () => (await eventsOf(ids)).every((types) => types.includes(last)));
  await sleep(ROUNDS_MS);
  return eventsOf(ids);
}

describe('without any worker', () => {
  it('reads, filters and transitions follow the dates', async () => {
    const id = await campaigns.scheduled({
      ouvertureDuVoteUtc: ahead(2_500),
      fermetureDuVoteUtc: ahead(4_000),
    });
    const { ouvertureDuVoteUtc, fermetureDuVoteUtc } = await campaigns.item(id);
    const dates = {
      ouvertureDuVoteUtc: new Date(ouvertureDuVoteUtc),
      fermetureDuVoteUtc: new Date(fermetureDuVoteUtc),
    };
    const facts = Object.assign(new Campagne(), { ...dates, publiee: true, archivee: false });
    const seen = new Set<string>();
    // A response is right for a moment between request and response.
    const observe = async (read: () => Promise<string>): Promise<void> => {
      const start = await databaseNow();
      const etat = await read();
      expect([facts.etat(start), facts.etat(await databaseNow())]).toContain(etat);
      seen.add(etat);
    };
    while (!seen.has('Termine')) {
      await observe(() => campaigns.etat(id));
      await observe(async () => (await campaigns.sent('GET')).json[0].etat);
      await observe(async () => {
        for (const etat of ['Planifie', 'VoteOuvert', 'Termine']) {
          if ((await campaigns.sent('GET', `?etat=${etat}`)).json.length > 0) return etat;
        }
        return 'in none of them';
      });
    }
    expect(seen.has('VoteOuvert')).toBe(true);
    expect(await campaigns.events(id)).toEqual(['campagne.publiee']);
    expect((await campaigns.send('POST', `/${id}/archiver`)).json.etat).toBe('Archive');
    expect(await campaigns.events(id)).toEqual(WHOLE_LIFE);
  });

  it('reads after the dates write no row', async () => {
    const id = await campaigns.scheduled();
    await campaigns.pass(id, '100 years');
    await unchanged(async () => {
      expect(await campaigns.etat(id)).toBe('Termine');
      await campaigns.sent('GET');
      await campaigns.sent('GET', `/${id}/validation`);
    });
  });

  it('a request emits due events before its own', async () => {
    const id = await campaigns.scheduled({ ouvertureDuVoteUtc: ahead(3_600_000) });
    await campaigns.pass(id, '2 hours');
    await campaigns.sent('POST', `/${id}/fermer`);
    expect(await campaigns.events(id)).toEqual(WHOLE_LIFE);
    const rows = await campaigns.rows<{ etat: string }>(
      `SELECT data ->> 'etat' AS etat FROM evenement WHERE tenant_id = $1 ORDER BY id_unique`,
    );
    expect(rows.map(({ etat }) => etat)).toEqual(['Planifie', 'VoteOuvert', 'Termine']);
  });

  it('twenty requests at once emit the events of a passed window once', async () => {
    const id = await campaigns.scheduled();
    await campaigns.pass(id, '100 years');
    const answers = await Promise.all(
      times(20, (n) =>
        campaigns.send('POST', `/${id}/${['archiver', 'fermer', 'depublier', 'ouvrir'][n % 4]}`),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...times(19, () => 400)]);
    expect(await campaigns.events(id)).toEqual(WHOLE_LIFE);
  });
});

describe.each([1, 2])('with %i worker(s)', (count) => {
  it('emits one event for each of 40 openings and closings, in order and not before its date', async () => {
    const spaces = [campaigns, ...(await Promise.all(times(3, () => newSpace())))];
    const ids = (await Promise.all(times(40, (n) => spaces[n % 4]!.scheduled()))).sort();
    await work(count);
    for (const n of times(4, (index) => index)) {
      await bring(ids.slice(n * 10, n * 10 + 10), 300 + n * 400, 1_500 + n * 400);
    }
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE));
    // The data of an event shows the new state.
    const { rows } = await app.database.query<{ type: string; etat: string }>(
      `SELECT DISTINCT type, data ->> 'etat' AS etat FROM evenement WHERE data ->> 'id' = ANY ($1) ORDER BY 1, 2`,
      [ids],
    );
    const states = (type: string): string[] =>
      rows.filter((row) => row.type === type).map(({ etat }) => etat);
    expect(states('campagne.ouverte')).not.toContain('Planifie');
    expect(states('campagne.terminee')).toEqual(['Termine']);
  });

  it('emits both events, in order, of a window that passed without a worker', async () => {
    const ids = await Promise.all(times(10, () => campaigns.scheduled()));
    await bring(ids, -2_000, -1_000);
    await work(count);
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE));
  });

  it('emits the events of more campaigns than a round takes in later rounds', async () => {
    const { tenantId } = campaigns.tenant;
    const { rows } = await app.database.query<{ id: string }>(
      `INSERT INTO campagne (tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire,
         publiee)
       SELECT $1, 'C ' || n, 'c-' || n, now() - interval '2 hours', now() - interval '1 hour', false, true
       FROM generate_series(1, 120) n RETURNING id_unique AS id`,
      [tenantId],
    );
    await work(count);
    const ids = rows.map(({ id }) => id);
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE.slice(1)));
  });

  it('writes an event in a later round after a failure', async () => {
    const ids = await Promise.all(times(5, () => campaigns.scheduled()));
    await refusing(app, 'evenement', async () => {
      await bring(ids, -2_000, -1_000);
      await work(count);
      await sleep(ROUNDS_MS);
      expect(await eventsOf(ids)).toEqual(ids.map(() => ['campagne.publiee']));
    });
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE));
  });

  it('skips a locked campaign, and emits its events afterwards', async () => {
    const ids = await Promise.all(times(10, () => campaigns.scheduled()));
    const [held, free] = [ids.slice(0, 5), ids.slice(5)];
    await bring(ids, -2_000, -1_000);
    const holder = await app.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM campagne WHERE id_unique = ANY ($1) FOR UPDATE', [held]);
    await work(count);
    expect(await settled(free)).toEqual(free.map(() => WHOLE_LIFE));
    expect(await eventsOf(held)).toEqual(held.map(() => ['campagne.publiee']));
    await holder.end();
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE));
  });

  it('emits opening and closing during continuous votes', async () => {
    const id = await campaigns.scheduled();
    // Two overlapping transactions: at each moment one of them has locked the campaign as a vote does.
    const voters = await Promise.all(
      times(2, async () => {
        const voter = await app.connect();
        return voter;
      }),
    );
    let isOver = false;
    const vote = async (): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const voter = voters[n % 2]!;
        await voter.query('BEGIN');
        await voter.query('SELECT FROM campagne WHERE id_unique = $1 FOR KEY SHARE', [id]);
        await voters[(n + 1) % 2]!.query('COMMIT');
        await sleep(20);
      }
    };
    const voting = vote();
    try {
      await work(count);
      await bring([id], -2_000, 2_000);
      expect(await settled([id])).toEqual([WHOLE_LIFE]);
    } finally {
      isOver = true;
      await voting;
      for (const voter of voters) await voter.end();
    }
  });
});

describe('requests during continuous rounds of two workers', () => {
  let isOver = false;
  let clocks: Promise<void>[] = [];

  beforeEach(async () => {
    await work(2);
    isOver = false;
    // There is no pause between the rounds. Many of them therefore meet a request.
    clocks = workers.map(async (worker) => {
      while (!isOver) await worker.get(LifecycleService).tellAllDue();
    });
  });
  afterEach(async () => {
    isOver = true;
    await Promise.all(clocks);
  });

  it('openings by API call, by a change of the dates and by the scheduler have one event each', async () => {
    const ids = await Promise.all(times(RACES, () => campaigns.scheduled()));
    const past = { ...NEXT_YEAR, ouvertureDuVoteUtc: '2001-01-01T00:00:00.000Z' };
    await Promise.all(
      ids.map(async (id, n) => {
        const { titre } = await campaigns.item(id);
        await Promise.all([
          ...(n % 3 === 0 ? [campaigns.send('POST', `/${id}/ouvrir`)] : [bring([id], -5, 3_600_000)]),
          ...(n % 3 === 1 ? [campaigns.send('PUT', `/${id}`, { titre, ...past })] : []),
          campaigns.send('POST', `/${id}/ouvrir`),
        ]);
      }),
    );
    expect(await settled(ids, 'campagne.ouverte')).toEqual(ids.map(() => WHOLE_LIFE.slice(0, 2)));
  });

  it('closings by API call and by the scheduler, and archives, have one event each', async () => {
    const ids = await Promise.all(times(RACES, () => campaigns.opened()));
    await Promise.all(
      ids.map(async (id, n) => {
        const close = () => campaigns.send('POST', `/${id}/fermer`);
        const archive = () => campaigns.send('POST', `/${id}/archiver`);
        await Promise.all([
          bring([id], -60_000, (n % 5) * 20),
          close(),
          ...(n % 2 ? [archive()] : [close()]),
        ]);
        await until('it has closed', async () => (await campaigns.etat(id)) !== 'VoteOuvert');
        await Promise.all([archive(), archive()]);
      }),
    );
    expect(await settled(ids)).toEqual(ids.map(() => WHOLE_LIFE));
    for (const id of ids) expect(await campaigns.etat(id)).toBe('Archive');
  });

  it('a campaign that is unpublished or deleted as its opening comes has an opening or not, never two', async () => {
    const ids = await Promise.all(times(RACES, () => campaigns.scheduled()));
    await Promise.all(
      ids.map(async (id, n) => {
        const away = n % 2 ? campaigns.send('POST', `/${id}/depublier`) : campaigns.send('DELETE', `/${id}`);
        const [, answer] = await Promise.all([bring([id], 0, 3_600_000), away]);
        expect([200, 204]).toContain(answer.status);
      }),
    );
    await sleep(ROUNDS_MS);
    for (const types of await eventsOf(ids)) {
      expect([WHOLE_LIFE.slice(0, 1), WHOLE_LIFE.slice(0, 2)]).toContainEqual(types);
    }
  });
});

describe('emitted events', () => {
  it('do not change the campaign; a second publication has a second opening', async () => {
    await work();
    const id = await campaigns.scheduled();
    const { dateModificationUtc } = await campaigns.item(id);
    await bring([id], 0, 3_600_000);
    expect(await settled([id], 'campagne.ouverte')).toEqual([WHOLE_LIFE.slice(0, 2)]);
    expect(await campaigns.item(id)).toMatchObject({ etat: 'VoteOuvert', dateModificationUtc });
    await campaigns.sent('POST', `/${id}/depublier`);
    await sleep(ROUNDS_MS);
    expect(await campaigns.events(id)).toEqual(WHOLE_LIFE.slice(0, 2));
    await bring([id], 3_600_000, 7_200_000);
    await campaigns.sent('POST', `/${id}/publier`);
    await bring([id], -1, 500);
    expect(await settled([id])).toEqual([[...WHOLE_LIFE.slice(0, 2), ...WHOLE_LIFE]]);
  });

  it('exclude drafts, archived drafts, and campaigns deleted or unpublished before the date', async () => {
    await work();
    const [draft, archived, deleted, unpublished] = [
      await campaigns.ready(),
      await campaigns.ready(),
      await campaigns.scheduled(),
      await campaigns.scheduled(),
    ];
    await campaigns.sent('POST', `/${archived}/archiver`);
    await campaigns.sent('DELETE', `/${deleted}`);
    await campaigns.sent('POST', `/${unpublished}/depublier`);
    const control = await campaigns.scheduled();
    await bring([draft, archived, unpublished, control], -2_000, -1_000);
    expect(await settled([control])).toEqual([WHOLE_LIFE]);
    const published = ['campagne.publiee'];
    expect(await eventsOf([draft, archived, deleted, unpublished])).toEqual([[], [], published, published]);
  });

  it.each([
    ['ouverture_annoncee', 'campagne.ouverte'],
    ['fermeture_annoncee', 'campagne.terminee'],
  ])('negative control: if %s is lost, a second %s is emitted', async (flag, type) => {
    await work();
    const id = await campaigns.scheduled();
    await bring([id], -2_000, -1_000);
    expect(await settled([id])).toEqual([WHOLE_LIFE]);
    await app.database.query(`UPDATE campagne SET ${flag} = false WHERE id_unique = $1`, [id]);
    const [types] = (await settled([id])) as [string[]];
    expect(types).toEqual([...WHOLE_LIFE, type]);
  });
});
