import fc from 'fast-check';
import { expectFaults } from '../http/expect-problem';
import { GUID, INSTANT, times, walk } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { CAMPAGNES, type Campaigns, type Etat, ETATS, NEXT_YEAR } from './support/campaigns';
import { app, campaigns, newSpace, spaceOfEachTest } from './support/scene';

interface Item {
  id: string;
  titre: string;
  etat: Etat;
  ouvertureDuVoteUtc: string;
  fermetureDuVoteUtc: string;
}

spaceOfEachTest();

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

/** Makes a campaign in each state. @returns their ids, by state */
async function oneOfEach(): Promise<[Etat, string][]> {
  const made: [Etat, string][] = [];
  for (const etat of ETATS) made.push([etat, await campaigns.in(etat)]);
  return made;
}

describe('GET /b2b/v1/campagnes', () => {
  it('200 returns exactly the specified fields, as a read of one does, oldest first', async () => {
    const ids = (await oneOfEach()).map(([, id]) => id);
    const whole = (await list()).json;
    expect(idsOf(whole)).toEqual(ids);
    for (const item of whole) {
      expect(Object.keys(item)).toEqual([
        ...['id', 'titre', 'slug', 'ouvertureDuVoteUtc', 'fermetureDuVoteUtc', 'etat', 'estPublie'],
        ...['estArchive', 'nombreVotants', 'nombreQuestions', 'dateCreationUtc', 'dateModificationUtc'],
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

  it('200 [] for a tenant without campaigns, with any filter', async () => {
    const other = await newSpace();
    const foreign = await other.scheduled({ titre: 'Vote' });
    const filters: Filters[] = [{ etat: 'Planifie' }, { titre: 'vote' }, { ouvertureApres: '2001-01-01' }];
    for (const asked of [{}, ...filters, { limite: '5' }]) {
      expect((await list(asked)).text).toBe('[]');
      expect(await found(asked, other)).toEqual([foreign]);
    }
  });

  it('200 counts the current questions and voters', async () => {
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

  it('pages return each campaign once, in the order of creation', async () => {
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

  it('pages return each campaign once if all have the same time of creation', async () => {
    const ids = await Promise.all(times(12, () => campaigns.draft()));
    await campaigns.rows('UPDATE campagne SET date_creation = now() WHERE tenant_id = $1');
    const pages = await walk<Item>(app, campaigns.tenant, `${CAMPAGNES}?limite=5`);
    expect(idsOf(pages.flat())).toEqual(ids.sort());
  });

  it.each([
    ['statut=Brouillon', '?statut unknown'],
    ['Etat=Brouillon', '?Etat unknown'],
    ['slug=vote', '?slug unknown'],
    [
      'ouvertureAvant=2099-01-01&fermetureApres=2099-01-01',
      '?ouvertureAvant unknown, ?fermetureApres unknown',
    ],
    ['etat=brouillon', '?etat choice'],
    ['etat=Ouvert', '?etat choice'],
    ['etat=', '?etat required'],
    ['etat=Brouillon&etat=Archive', '?etat duplicate'],
    ['titre=', '?titre required'],
    ['titre=%20', '?titre required'],
    ['titre=%00', '?titre characters'],
    ['ouvertureApres=hier&fermetureAvant=2099-13-01', '?ouvertureApres date, ?fermetureAvant date'],
    ['ouvertureApres=2099-01-01T00:00:00', '?ouvertureApres date'],
    ['limite=0', '?limite range'],
    ['limite=1001', '?limite range'],
    ['limite=deux', '?limite type'],
    ['limite=2&curseur=x', '?curseur cursor'],
  ])('400 for ?%s', async (query, faults) => {
    expectFaults(await campaigns.send('GET', `?${query}`), faults);
  });

  it('400 for a part of a title with more than 255 characters', async () => {
    expectFaults(await list({ titre: 'x'.repeat(256) }), '?titre length');
    expect(await titlesFor('x'.repeat(255))).toEqual([]);
  });
});

describe('?etat', () => {
  it('returns the campaigns of one state', async () => {
    for (const [etat, id] of await oneOfEach()) expect(await found({ etat })).toEqual([id]);
  });

  it('follows the dates without a worker', async () => {
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
  it('finds a part of a title, whatever its case and its Unicode form', async () => {
    for (const titre of ['Élection du comité', 'Réélection', 'Vote GROẞ', 'Vote de grève'])
      await campaigns.draft({ titre });
    for (const [part, ...titles] of [
      ...['élection', 'ÉLECTION', 'ÉLECTION'.normalize('NFD')].map((part) => [
        part,
        'Élection du comité',
        'Réélection',
      ]),
      ['Réélection', 'Réélection'],
      ...[' comité ', 'n du c'].map((part) => [part, 'Élection du comité']),
      ['gross', 'Vote GROẞ'],
      // An accent is part of its letter, as it is in the comparison of titles.
      ...[['greve'], ['élections']],
    ])
      expect([part, ...(await titlesFor(part!))]).toEqual([part, ...titles]);
  });

  it('%, _, \\ and * are letters', async () => {
    const TITLES = [
      ...['100 %', '1005', 'a_b', 'acb', 'c\\d', 'c\\\\e', 'cd', 'x%y', 'xzy', 'q*r', 'qqr', '.+', "o'clock"],
    ];
    for (const [n, titre] of TITLES.entries()) {
      // A number at the end keeps slugs apart that consist of signs.
      await campaigns.draft({ titre: `${titre} ¦${n}` });
    }
    const plain = async (text: string) => (await titlesFor(text)).map((titre) => titre.split(' ¦')[0]);
    for (const [part, ...titles] of [
      ...['100 %', 'x%y', 'a_b', 'q*r', '.+', 'xzy'].map((text) => [text, text]),
      ['%', '100 %', 'x%y'],
      ['_', 'a_b'],
      ['\\', 'c\\d', 'c\\\\e'],
      ['\\\\', 'c\\\\e'],
      ['\\%'],
      ["'", "o'clock"],
    ])
      expect([part, ...(await plain(part!))]).toEqual([part, ...titles]);
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
    // The other date is the same for all campaigns.
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
  const CAMPAIGNS = depth(36, 60);
  /** Titles that a comparison by case or pattern would confuse. */
  const WORDS = ['Élection', 'élection', 'Vote', 'a%b', 'a_b', 'axb', 'Grève'];
  const ASKED = ['ÉLECTION', 'vote', 'a%b', 'a_b', '%', 'xb', '1', 'rien'];
  const DAYS = times(6, (n) => new Date(Date.UTC(2098, 0, 1) + n).toISOString());
  const NAMES = ['etat', 'titre', 'ouvertureApres', 'fermetureAvant'] as const;

  let full: Campaigns;
  let all: Item[];

  beforeAll(async () => {
    full = await newSpace();
    const campaign = fc.record({
      etat: fc.constantFrom(...ETATS),
      word: fc.constantFrom(...WORDS),
      dates: fc.tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS)).map((pair) => pair.sort()),
    });
    for (const [n, { etat, word, dates }] of fc
      .sample(campaign, { numRuns: CAMPAIGNS, seed: SEED })
      .entries()) {
      const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = dates;
      await full.in(etat, { titre: `${n} ${word} ${n}`, ouvertureDuVoteUtc, fermetureDuVoteUtc });
    }
    all = (await list({}, full)).json;
  });

  /** The rule of the filters, as a predicate. */
  const passes = (item: Item, { etat, titre, ouvertureApres, fermetureAvant }: Filters): boolean =>
    (etat === undefined || item.etat === etat) &&
    (titre === undefined || item.titre.toLowerCase().includes(titre.toLowerCase())) &&
    (ouvertureApres === undefined || item.ouvertureDuVoteUtc >= ouvertureApres) &&
    (fermetureAvant === undefined || item.fermetureDuVoteUtc <= fermetureAvant);

  it('return the campaigns that a predicate returns, in its order, whole and in pages', async () => {
    expect(all).toHaveLength(CAMPAIGNS);
    const tried = new Set<string>();
    const values = fc.record({
      etat: fc.constantFrom<string>(...ETATS),
      titre: fc.constantFrom(...ASKED),
      // Some campaigns were opened or closed just now, long before those days.
      ouvertureApres: fc.constantFrom(...DAYS, '2090-01-01T00:00:00.000Z'),
      fermetureAvant: fc.constantFrom(...DAYS, '2090-01-01T00:00:00.000Z'),
    });
    // The values of a campaign find at least that campaign.
    const own = all
      .filter((_item, index) => index % 12 === 0)
      .map((item) => ({
        etat: item.etat,
        titre: item.titre.split(' ')[1]!.toUpperCase(),
        ouvertureApres: item.ouvertureDuVoteUtc,
        fermetureAvant: item.fermetureDuVoteUtc,
      }));
    for (const asked of [...own, ...fc.sample(values, { numRuns: depth(2, 20), seed: SEED })]) {
      for (const bits of times(16, (n) => n)) {
        const names = NAMES.filter((_, index) => bits & (1 << index));
        const filters: Filters = Object.fromEntries(names.map((name) => [name, asked[name]]));
        const expected = idsOf(all.filter((item) => passes(item, filters)));
        expect({ filters, found: await found(filters, full) }).toEqual({ filters, found: expected });
        if (expected.length > 0) tried.add(names.join());
        if (expected.length < 2) continue;
        const query = new URLSearchParams({ ...filters, limite: String(Math.ceil(expected.length / 2)) });
        const pages = await walk<Item>(app, full.tenant, `${CAMPAGNES}?${query.toString()}`);
        expect([pages.length, idsOf(pages.flat())]).toEqual([2, expected]);
      }
    }
    expect(tried.size).toBe(16);
  });
});
