import fc from 'fast-check';
import { expectFaults } from '../http/expect-problem';
import { GUID, INSTANT, times, walk } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { CAMPAGNES, Campaigns, NEXT_YEAR } from './support/campaigns';

const ETATS = ['Brouillon', 'Planifie', 'VoteOuvert', 'Termine', 'Archive'] as const;
type Etat = (typeof ETATS)[number];

interface Item {
  id: string;
  titre: string;
  etat: Etat;
  ouvertureDuVoteUtc: string;
  fermetureDuVoteUtc: string;
}

let app: TestApp;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  campaigns = new Campaigns(app, await app.tenant());
});

type Filters = Record<string, string>;
const list = (filters: Filters = {}, of = campaigns): Promise<Answer<Item[]>> =>
  of.send('GET', `?${new URLSearchParams(filters).toString()}`);
const idsOf = (items: Item[]): string[] => items.map(({ id }) => id);

/** Ids of the campaigns that pass filters, in the order of the list. */
async function found(filters: Filters, of = campaigns): Promise<string[]> {
  const answer = await list(filters, of);
  expect(answer.status).toBe(200);
  return idsOf(answer.json);
}

/** Titles that pass a filter by title. */
const titlesFor = async (titre: string): Promise<string[]> =>
  (await list({ titre })).json.map((item) => item.titre);

/** Makes a campaign in each state. */
async function oneOfEach(): Promise<Record<Etat, string>> {
  return {
    Brouillon: await campaigns.draft(),
    Planifie: await campaigns.scheduled(),
    VoteOuvert: await campaigns.opened(),
    Termine: await campaigns.closed(),
    Archive: await campaigns.archived(),
  };
}

describe('GET /b2b/v1/campagnes', () => {
  it('200 shows exactly the specified fields of each, as reading one does, oldest first', async () => {
    const ids = Object.values(await oneOfEach());
    const whole = (await list()).json;
    expect(idsOf(whole)).toEqual(ids);
    for (const item of whole) {
      expect(Object.keys(item)).toEqual([
        ...[
          'id',
          'titre',
          'slug',
          'ouvertureDuVoteUtc',
          'fermetureDuVoteUtc',
          'etat',
          'estPublie',
          'estArchive',
        ],
        ...['nombreVotants', 'nombreQuestions', 'dateCreationUtc', 'dateModificationUtc'],
      ]);
      expect(await campaigns.item(item.id)).toMatchObject(item);
    }
    expect(whole[1]).toEqual({
      ...{ id: expect.stringMatching(GUID), titre: 'Campagne 2', slug: 'campagne-2', ...NEXT_YEAR },
      ...{ etat: 'Planifie', estPublie: true, estArchive: false, nombreVotants: 1, nombreQuestions: 1 },
      dateCreationUtc: expect.stringMatching(INSTANT),
      dateModificationUtc: expect.stringMatching(INSTANT),
    });
    expect(whole.map(({ etat }) => etat)).toEqual(ETATS);
  });

  it('200 [] for nobody; another data space’s campaigns never, whatever is asked', async () => {
    const other = new Campaigns(app, await app.tenant());
    const foreign = await other.scheduled({ titre: 'Vote' });
    const filters: Filters[] = [
      {},
      { etat: 'Planifie' },
      { titre: 'vote' },
      { ouvertureApres: '2001-01-01' },
      { limite: '5' },
    ];
    for (const asked of filters) {
      expect((await list(asked)).text).toBe('[]');
      expect(await found(asked, other)).toEqual([foreign]);
    }
  });

  it('counts questions and voters as they come and go', async () => {
    const id = await campaigns.draft();
    const counts = async () => {
      const [item] = (await campaigns.sent('GET')).json;
      return [item.nombreQuestions, item.nombreVotants];
    };
    expect(await counts()).toEqual([0, 0]);
    const question = await campaigns.question(id);
    const votant = await campaigns.votant(id);
    await campaigns.votant(id);
    expect(await counts()).toEqual([1, 2]);
    await campaigns.sent('DELETE', `/${id}/questions/${question}`);
    await campaigns.sent('DELETE', `/${id}/votants/${votant}`);
    expect(await counts()).toEqual([0, 1]);
  });

  it('pages walk all of them exactly once, in the order of creation, and end', async () => {
    for (const n of times(7, (index) => index)) {
      // Titles and dates in another order than that of creation.
      const day = `2099-01-0${7 - n}T00:00:00.000Z`;
      await campaigns.draft({ titre: `${'GCAFBDE'[n]}`, ouvertureDuVoteUtc: day });
    }
    const whole = (await list()).json;
    expect(whole.map(({ titre }) => titre).join('')).toBe('GCAFBDE');
    for (const limite of [1, 2, 3, 7, 1000]) {
      const pages = await walk<Item>(app, campaigns.tenant, `${CAMPAGNES}?limite=${limite}`);
      expect(pages).toHaveLength(Math.ceil(7 / limite));
      expect(pages.flat()).toEqual(whole);
    }
    const filtered = `${CAMPAGNES}?limite=1&etat=Brouillon&ouvertureApres=2099-01-04&titre=c`;
    expect(idsOf((await walk<Item>(app, campaigns.tenant, filtered)).flat())).toEqual([whole[1]!.id]);
  });

  it('pages of campaigns made in one instant have each of them once', async () => {
    const ids = await Promise.all(times(12, () => campaigns.draft()));
    await app.database.query('UPDATE campagne SET date_creation = now() WHERE tenant_id = $1', [
      campaigns.tenant.tenantId,
    ]);
    const pages = await walk<Item>(app, campaigns.tenant, `${CAMPAGNES}?limite=5`);
    expect(idsOf(pages.flat())).toEqual(ids.sort());
  });

  it.each<[string, Record<string, string>]>([
    ['statut=Brouillon', { '?statut': 'unknown' }],
    ['Etat=Brouillon', { '?Etat': 'unknown' }],
    ['slug=vote', { '?slug': 'unknown' }],
    [
      'ouvertureAvant=2099-01-01&fermetureApres=2099-01-01',
      { '?ouvertureAvant': 'unknown', '?fermetureApres': 'unknown' },
    ],
    ['etat=brouillon', { '?etat': 'choice' }],
    ['etat=Ouvert', { '?etat': 'choice' }],
    ['etat=', { '?etat': 'required' }],
    ['etat=Brouillon&etat=Archive', { '?etat': 'duplicate' }],
    ['titre=', { '?titre': 'required' }],
    ['titre=%20', { '?titre': 'required' }],
    ['titre=%00', { '?titre': 'characters' }],
    [
      'ouvertureApres=hier&fermetureAvant=2099-13-01',
      { '?ouvertureApres': 'date', '?fermetureAvant': 'date' },
    ],
    ['ouvertureApres=2099-01-01T00:00:00', { '?ouvertureApres': 'date' }],
    ['limite=0', { '?limite': 'range' }],
    ['limite=1001', { '?limite': 'range' }],
    ['limite=deux', { '?limite': 'type' }],
    ['limite=2&curseur=x', { '?curseur': 'cursor' }],
  ])('400 for ?%s', async (query, faults) => {
    expectFaults(await campaigns.send('GET', `?${query}`), faults);
  });

  it('400 for a part of a title that is longer than any title', async () => {
    expectFaults(await list({ titre: 'x'.repeat(256) }), { '?titre': 'length' });
    expect(await titlesFor('x'.repeat(255))).toEqual([]);
  });
});

describe('?etat', () => {
  it('tells the states apart', async () => {
    const made = await oneOfEach();
    for (const etat of ETATS) expect(await found({ etat })).toEqual([made[etat]]);
  });

  it('goes by the clock at once, without any worker', async () => {
    const window = {
      ouvertureDuVoteUtc: new Date(Date.now() + 3_600_000).toISOString(),
      fermetureDuVoteUtc: new Date(Date.now() + 7_200_000).toISOString(),
    };
    const published = await campaigns.scheduled(window);
    const draft = await campaigns.ready(window);
    const archived = await campaigns.archived();
    for (const [passed, etat] of [
      ['0', 'Planifie'],
      ['90 minutes', 'VoteOuvert'],
      ['60 minutes', 'Termine'],
    ] as const) {
      for (const id of [published, draft, archived]) await campaigns.pass(id, passed);
      for (const asked of ['Planifie', 'VoteOuvert', 'Termine']) {
        expect(await found({ etat: asked })).toEqual(asked === etat ? [published] : []);
      }
      expect(await found({ etat: 'Brouillon' })).toEqual([draft]);
      expect(await found({ etat: 'Archive' })).toEqual([archived]);
    }
  });
});

describe('?titre', () => {
  it('finds a part of a title anywhere, without regard to case or to how accents are put together', async () => {
    for (const titre of ['Élection du comité', 'Réélection', 'Vote GROẞ', 'Vote de grève'])
      await campaigns.draft({ titre });
    expect(await titlesFor('élection')).toEqual(['Élection du comité', 'Réélection']);
    expect(await titlesFor('ÉLECTION')).toEqual(['Élection du comité', 'Réélection']);
    expect(await titlesFor('ÉLECTION'.normalize('NFD'))).toEqual(['Élection du comité', 'Réélection']);
    expect(await titlesFor('Réélection')).toEqual(['Réélection']);
    expect(await titlesFor(' comité ')).toEqual(['Élection du comité']);
    expect(await titlesFor('n du c')).toEqual(['Élection du comité']);
    expect(await titlesFor('gross')).toEqual(['Vote GROẞ']);
    // An accent is part of its letter, for titles that are unique with it, too.
    expect(await titlesFor('greve')).toEqual([]);
    expect(await titlesFor('élections')).toEqual([]);
  });

  it('%, _, \\ and * are letters', async () => {
    const TITLES = [
      '100 %',
      '1005',
      'a_b',
      'acb',
      'c\\d',
      'c\\\\e',
      'cd',
      'x%y',
      'xzy',
      'q*r',
      'qqr',
      '.+',
      "o'clock",
    ];
    for (const [n, titre] of TITLES.entries()) {
      // Signs alone would make the same slug: each title gets a mark of its own behind it.
      await campaigns.draft({ titre: `${titre} ¦${n}` });
    }
    const plain = async (text: string) => (await titlesFor(text)).map((titre) => titre.split(' ¦')[0]);
    expect(await plain('100 %')).toEqual(['100 %']);
    expect(await plain('%')).toEqual(['100 %', 'x%y']);
    expect(await plain('x%y')).toEqual(['x%y']);
    expect(await plain('_')).toEqual(['a_b']);
    expect(await plain('a_b')).toEqual(['a_b']);
    expect(await plain('\\')).toEqual(['c\\d', 'c\\\\e']);
    expect(await plain('\\\\')).toEqual(['c\\\\e']);
    expect(await plain('\\%')).toEqual([]);
    expect(await plain('q*r')).toEqual(['q*r']);
    expect(await plain('.+')).toEqual(['.+']);
    expect(await plain("'")).toEqual(["o'clock"]);
    expect(await plain('xzy')).toEqual(['xzy']);
  });
});

describe('?ouvertureApres and ?fermetureAvant', () => {
  it.each([
    ['ouvertureApres', (at: string, asked: string) => at >= asked],
    ['fermetureAvant', (at: string, asked: string) => at <= asked],
  ])('%s is inclusive to the millisecond, with Z, any offset or a day', async (name, passes) => {
    const DATES = [
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T14:05:09.122Z',
      '2026-03-02T14:05:09.123Z',
      '2026-03-02T14:05:09.124Z',
    ];
    // The other date is the same for all, so that only the one asked for can tell them apart.
    for (const date of DATES) {
      await campaigns.draft(
        name === 'ouvertureApres'
          ? { ouvertureDuVoteUtc: date }
          : { ouvertureDuVoteUtc: '2001-01-01T00:00:00Z', fermetureDuVoteUtc: date },
      );
    }
    const asked: [text: string, instant: string][] = [
      ...DATES.map((date): [string, string] => [date, date]),
      ['2026-03-02T14:05:09.1239Z', '2026-03-02T14:05:09.123Z'],
      ['2026-03-02T09:05:09.123-05:00', '2026-03-02T14:05:09.123Z'],
      ['2026-03-01', '2026-03-01T00:00:00.000Z'],
      ['2026-03-02T14:05Z', '2026-03-02T14:05:00.000Z'],
    ];
    for (const [text, instant] of asked) {
      const { json } = await list({ [name]: text });
      const dates = json.map((item) =>
        name === 'ouvertureApres' ? item.ouvertureDuVoteUtc : item.fermetureDuVoteUtc,
      );
      expect({ text, dates }).toEqual({ text, dates: DATES.filter((date) => passes(date, instant)) });
    }
  });
});

describe('all combinations of the four filters', () => {
  const CAMPAIGNS = 60;
  /** Next to each other are titles that a comparison by case or pattern would take for one another. */
  const WORDS = ['Élection', 'élection', 'Vote', 'a%b', 'a_b', 'axb', 'Grève'];
  const ASKED = ['ÉLECTION', 'vote', 'a%b', 'a_b', '%', 'xb', '1', 'rien'];
  const DAYS = times(6, (n) => new Date(Date.UTC(2098, 0, 1) + n).toISOString());
  const NAMES = ['etat', 'titre', 'ouvertureApres', 'fermetureAvant'] as const;

  let full: Campaigns;
  let all: Item[];

  beforeAll(async () => {
    full = new Campaigns(app, await app.tenant());
    const campaign = fc.record({
      make: fc.constantFrom('draft', 'scheduled', 'opened', 'closed', 'archived'),
      word: fc.constantFrom(...WORDS),
      dates: fc.tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS)).map((pair) => pair.sort()),
    });
    for (const [n, { make, word, dates }] of fc
      .sample(campaign, { numRuns: CAMPAIGNS, seed: SEED })
      .entries()) {
      const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = dates;
      await full[make]({ titre: `${n} ${word} ${n}`, ouvertureDuVoteUtc, fermetureDuVoteUtc });
    }
    all = (await list({}, full)).json;
  });

  /** What the service should do, as plainly as it can be said. */
  const passes = (item: Item, { etat, titre, ouvertureApres, fermetureAvant }: Filters): boolean =>
    (etat === undefined || item.etat === etat) &&
    (titre === undefined || item.titre.toLowerCase().includes(titre.toLowerCase())) &&
    (ouvertureApres === undefined || item.ouvertureDuVoteUtc >= ouvertureApres) &&
    (fermetureAvant === undefined || item.fermetureDuVoteUtc <= fermetureAvant);

  it('find exactly what a plain filter over all campaigns finds, in its order, whole and in pages', async () => {
    expect(all).toHaveLength(CAMPAIGNS);
    const told = new Set<string>();
    const values = fc.record({
      etat: fc.constantFrom<string>(...ETATS),
      titre: fc.constantFrom(...ASKED),
      // Some campaigns were opened or closed just now, long before those days.
      ouvertureApres: fc.constantFrom(...DAYS, '2090-01-01T00:00:00.000Z'),
      fermetureAvant: fc.constantFrom(...DAYS, '2090-01-01T00:00:00.000Z'),
    });
    // What one campaign has itself finds that one at least, however many filters there are.
    const own = all
      .filter((_item, index) => index % 12 === 0)
      .map((item) => ({
        etat: item.etat,
        titre: item.titre.split(' ')[1]!.toUpperCase(),
        ouvertureApres: item.ouvertureDuVoteUtc,
        fermetureAvant: item.fermetureDuVoteUtc,
      }));
    for (const asked of [...own, ...fc.sample(values, { numRuns: depth(5, 20), seed: SEED })]) {
      for (const bits of times(16, (n) => n)) {
        const names = NAMES.filter((_, index) => bits & (1 << index));
        const filters: Filters = Object.fromEntries(names.map((name) => [name, asked[name]]));
        const expected = idsOf(all.filter((item) => passes(item, filters)));
        expect({ filters, found: await found(filters, full) }).toEqual({ filters, found: expected });
        if (expected.length > 0) told.add(names.join());
        if (expected.length < 2) continue;
        const query = new URLSearchParams({ ...filters, limite: String(Math.ceil(expected.length / 2)) });
        const pages = await walk<Item>(app, full.tenant, `${CAMPAGNES}?${query.toString()}`);
        expect([pages.length, idsOf(pages.flat())]).toEqual([2, expected]);
      }
    }
    expect(told.size).toBe(16);
  });
});
