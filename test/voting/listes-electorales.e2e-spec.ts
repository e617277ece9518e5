import { randomUUID } from 'node:crypto';
import { refusing } from '../adhesion/support/data-space';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, synced, syncedV1, times, walk } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import type { Answer } from '../setup/test-app';
import {
  awayFromMidnight,
  employee,
  employer,
  job,
  type Loose,
  membership,
  today,
  union,
} from '../sync/support';
import { app, campaigns, elsewhere, newSpace, replica, spaceOfEachTest } from './support/scene';
import { dayOf } from '../sync/days';
import {
  type Criteria,
  expectedRoll,
  type Person,
  wire,
  EMPLOYERS,
  UNIONS,
  UNIONS_OF_EMPLOYERS,
} from './support/electorate';
import { deleteEmployee, voters } from './support/roll';

let id: string;

spaceOfEachTest({
  sync: UNIONS_OF_EMPLOYERS,
  withReplica: true,
});
beforeEach(async () => {
  id = await campaigns.draft();
});

/** Syncs employees through V2, with these properties. */
const employees = (records: Record<string, Loose>): Promise<unknown> =>
  synced(app, campaigns.tenant, {
    Employes: Object.entries(records).map(([one, more]) => employee(one, more)),
  });
/** Syncs members of SYN-1: M-0, M-1 and so on. */
const members = (count: number): Promise<unknown> =>
  employees(Object.fromEntries(times(count, (n) => [`M-${n}`, { Adhesions: [membership('SYN-1')] }])));

/** Signs a card of SYN-1, now by default. */
async function sign(employeIdExterne: string, dateSignature?: string): Promise<void> {
  const card = { employeIdExterne, syndicatIdExterne: 'SYN-1', dateSignature };
  const person = { prenom: 'Zoé', nom: 'Roy', courriel: 'zoe@example.org' };
  const platform = await app.platformOf(campaigns.tenant);
  const { status } = await app.send(platform, 'POST', '/plateforme/v1/adhesions', { ...card, ...person });
  expect(status).toBe(201);
}

const list = (criteria: unknown, by = campaigns, campaign = id): Promise<Answer> =>
  by.send('POST', `/${campaign}/liste-electorale`, criteria);
/** Makes a list that must be accepted. @returns its counts: all, added, already present */
async function counts(criteria: Loose, campaign = id): Promise<number[]> {
  const { status, json } = await list(criteria, campaigns, campaign);
  expect({ criteria, status, faults: json.errors }).toEqual({ criteria, status: 201, faults: undefined });
  return [json.NombreVotants, json.NombreAjoutes, json.NombreDejaPresents];
}
/** Union and employer of each voter, by employee; asserts that employees are distinct and counted. */
async function roll(campaign = id): Promise<Record<string, [unknown, unknown]>> {
  const all = await voters(campaign);
  const entries = all.map((one) => [
    one.EmployeIdExterne as string,
    [one.SyndicatIdExterne, one.EmployeurIdentifiantExterne],
  ]);
  const found = Object.fromEntries(entries) as Record<string, [unknown, unknown]>;
  expect(Object.keys(found)).toHaveLength(all.length);
  expect((await campaigns.item(campaign)).nombreVotants).toBe(all.length);
  return found;
}

describe('criteria over a random population', () => {
  const chance = seeded(SEED);
  const random = (below: number): number => Math.floor(chance() * below);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const some = <T>(from: readonly T[]): T[] => from.filter(() => random(2) === 0);
  function shuffled<T>(from: readonly T[]): T[] {
    const left = [...from];
    return from.map(() => left.splice(random(left.length), 1)[0]!);
  }

  const DAYS = ['2026-05-09', '2026-05-10', '2026-05-11'];
  /** Both ends of these days and of the days around today, one moment in the past and one in the future. */
  const moments = (): number[] => [...new Set(allMoments())];
  const allMoments = (): number[] =>
    [...DAYS, ...[-1, 0, 1].map((offset) => today(offset).slice(0, 10))]
      .flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T00:00:00.001Z`, `${day}T23:59:59.999Z`])
      .concat('2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z')
      .map((instant) => Date.parse(instant));
  /** A moment at midnight in UTC is a day, and one shortly after it is of the evening before in Montréal. */
  const isEarlierDay = (to: number, from: number): boolean =>
    from !== -Infinity && dayOf(wire(to)!) < dayOf(wire(from)!);
  /** An employee without equal dates, because the contract does not order them. */
  function person(): Person {
    const dates = shuffled(moments());
    const unions = Object.fromEntries(
      some(UNIONS).map((name) => [name, { from: dates.pop()!, to: Infinity }]),
    );
    const begins = [-Infinity, ...shuffled(moments())].slice(0, random(4));
    const jobs = begins.map((from) => {
      const ends = [Infinity, ...moments().filter((to) => to > from && !isEarlierDay(to, from))];
      return { employer: pick(EMPLOYERS), from, to: random(2) ? Infinity : pick(ends) };
    });
    return { unions, jobs };
  }

  it('make voters of the employees that meet them, with the union and employer of the rules', async () => {
    await awayFromMidnight();
    const people: Record<string, Person> = {};
    for (let n = 0; n < 150; n++) people[`V2-${n}`] = person();
    // Employees of V1: an employer without dates or none, and some memberships of V2.
    for (let n = 0; n < 60; n++) {
      const jobs = n % 3 ? [{ employer: pick(EMPLOYERS), from: -Infinity, to: Infinity }] : [];
      people[`V1-${n}`] = { unions: n % 2 ? person().unions : {}, jobs };
    }
    await syncedV1(app, campaigns.tenant, {
      employes: Object.entries(people)
        .filter(([one]) => one.startsWith('V1'))
        .map(([one, { jobs }]) => ({
          ...{ idExterne: one, prenom: 'Zoé', nom: 'Roy' },
          identifiantExterneEmployeur: jobs[0]?.employer ?? null,
        })),
    });
    const records = Object.entries(people).map(([one, { unions, jobs }]): [string, Loose] => [
      one,
      {
        Adhesions: Object.entries(unions).map(([name, { from }]) => membership(name, wire(from))),
        Emplois: one.startsWith('V1')
          ? null
          : jobs.map((held, n) =>
              job(`J-${n}`, held.employer, { DateDebut: wire(held.from), DateFin: wire(held.to) }),
            ),
      },
    ]);
    await employees(Object.fromEntries(records));

    const kept = { in: 0, out: 0 };
    for (let round = 0; round < depth(30, 80); round++) {
      const choose = (from: string[]): string[] | null =>
        pick([null, [], [pick(from)], some(from), some(from)]);
      const criteria: Criteria = {
        SyndicatsIdExternes: choose(UNIONS),
        EmployeursIdentifiantsExternes: choose(EMPLOYERS),
        EmployesIdExternes: random(2) ? null : choose(Object.keys(people)),
        ...(random(4) ? { ActifsLe: pick(DAYS) } : {}),
      };
      if (![...Object.values(criteria)].some((one) => Array.isArray(one) && one.length > 0)) continue;
      const expected = expectedRoll(people, criteria);
      const campaign = await campaigns.draft();
      const size = Object.keys(expected).length;
      expect({ criteria, counts: await counts(criteria as Loose, campaign) }).toEqual({
        ...{ criteria, counts: [size, size, 0] },
      });
      expect({ criteria, roll: await roll(campaign) }).toEqual({ criteria, roll: expected });
      kept.in += size;
      kept.out += Object.keys(people).length - size;
    }
    // Criteria that admit all employees or none would prove nothing.
    expect(Math.min(kept.in, kept.out)).toBeGreaterThan(500);
  }, 120_000);
});

describe('the rules', () => {
  it('employees named alone: only ended employments and no membership excludes, no known employment does not', async () => {
    const past = { DateDebut: '2020-01-01', DateFin: '2021-01-01' };
    await employees({
      RIEN: {},
      ACTIF: { Emplois: [job('J', 'EMP-1')] },
      FINI: { Emplois: [job('J', 'EMP-1', past)] },
      FUTUR: { Emplois: [job('J', 'EMP-1', { DateDebut: '2099-01-01' })] },
      MEMBRE: { Emplois: [job('J', 'EMP-1', past)], Adhesions: [membership('SYN-2')] },
      ADHERERA: { Emplois: [job('J', 'EMP-1', past)], Adhesions: [membership('SYN-2', '2099-01-01')] },
    });
    const employes = [
      { idExterne: 'V1', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-3' },
      { idExterne: 'V1-SANS', prenom: 'Zoé', nom: 'Roy' },
    ];
    await syncedV1(app, campaigns.tenant, { employes });
    const names = ['RIEN', 'ACTIF', 'FINI', 'FUTUR', 'MEMBRE', 'ADHERERA', 'V1', 'V1-SANS'];
    expect(await counts({ EmployesIdExternes: names })).toEqual([5, 5, 0]);
    expect(await roll()).toEqual({
      ...{ RIEN: [null, null], ACTIF: [null, 'EMP-1'], MEMBRE: ['SYN-2', null] },
      ...{ V1: [null, 'EMP-3'], 'V1-SANS': [null, null] },
    });
  });

  it('an employment is active on a day that it has begun by the end of and not ended by the beginning of', async () => {
    const at = (DateDebut: string | null, DateFin: string | null): Loose => ({
      Emplois: [job('J', 'EMP-1', { DateDebut, DateFin })],
    });
    await employees({
      TOUJOURS: at(null, null),
      'FIN-MINUIT': at(null, '2026-05-10'),
      'FIN-APRES-MINUIT': at(null, '2026-05-10T00:00:00.001Z'),
      'DEBUT-AVANT-MINUIT': at('2026-05-10T23:59:59.999Z', null),
      'DEBUT-MINUIT': at('2026-05-11', null),
      ADHESION: { Adhesions: [membership('SYN-1', '2026-05-10T23:59:59.999Z')] },
      'ADHESION-MINUIT': { Adhesions: [membership('SYN-1', '2026-05-11')] },
      // Midnight of the 10th in Toronto, by two offsets, and a moment later.
      'FIN-MINUIT-LOCAL': at(null, '2026-05-10T04:00:00Z'),
      'FIN-MINUIT-DECALE': at(null, '2026-05-10T00:00:00-04:00'),
      'FIN-APRES-MINUIT-LOCAL': at(null, '2026-05-10T04:00:00.001Z'),
      'DEBUT-SOIR': at('2026-05-11T03:59:59.999Z', null),
      'DEBUT-MINUIT-LOCAL': at('2026-05-11T04:00:00Z', null),
      'ADHESION-FINIE': { Adhesions: [membership('SYN-1', '2020-01-01', '2026-05-10')] },
      'ADHESION-FINIE-MINUIT': { Adhesions: [membership('SYN-1', '2020-01-01', '2026-05-10T04:00:00Z')] },
      'ADHESION-FINIT-LE-11': { Adhesions: [membership('SYN-1', '2020-01-01', '2026-05-11')] },
      // Moments, which fall on the 10th in Toronto until four o'clock of the 11th in UTC.
      'ADHESION-SOIR': { Adhesions: [membership('SYN-1', '2026-05-11T03:59:59.999Z')] },
      'ADHESION-LENDEMAIN': { Adhesions: [membership('SYN-1', '2026-05-11T04:00:00Z')] },
    });
    await counts({ EmployeursIdentifiantsExternes: ['EMP-1'], ActifsLe: '2026-05-10' });
    // A moment stands for its day in the client's time zone.
    await counts({ SyndicatsIdExternes: ['SYN-1'], ActifsLe: '2026-05-10T20:00:00-03:00' });
    expect(Object.keys(await roll()).sort()).toEqual([
      ...['ADHESION', 'ADHESION-FINIT-LE-11', 'ADHESION-SOIR', 'DEBUT-AVANT-MINUIT', 'DEBUT-SOIR'],
      ...['FIN-APRES-MINUIT-LOCAL', 'TOUJOURS'],
    ]);
  });

  it('without ActifsLe it is the current day of the tenant, which the list returns', async () => {
    await awayFromMidnight();
    const ends = (offset: number): Loose => ({ Emplois: [job('J', 'EMP-1', { DateFin: today(offset) })] });
    await employees({ AUJOURDHUI: ends(0), DEMAIN: ends(1) });
    expect(await counts({ EmployeursIdentifiantsExternes: ['EMP-1'] })).toEqual([1, 1, 0]);
    expect(Object.keys(await roll())).toEqual(['DEMAIN']);
    const [{ ActifsLe }] = (await campaigns.sent('GET', `/${id}/liste-electorale`)).json;
    expect(ActifsLe).toBe(today());
  });

  it.each([
    ['Pacific/Kiritimati', '2026-05-10', '2026-05-10T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-05-10', '2026-05-11T11:00:00.000Z'],
    ['America/Toronto', '2026-05-10', '2026-05-11T04:00:00.000Z'],
    ['America/Toronto', '2026-01-10', '2026-01-11T05:00:00.000Z'],
  ])(
    'in %s, an employee who signs before the end of %s (%s) is a member on that day',
    async (zone, ActifsLe, end) => {
      const path = `/admin/v1/clients/${campaigns.tenant.clientId}`;
      expect((await app.send(app.adminKey, 'PUT', path, { fuseauHoraire: zone })).status).toBe(200);
      await employees({ AVANT: {}, APRES: {} });
      await sign('AVANT', new Date(Date.parse(end) - 1).toISOString());
      await sign('APRES', end);
      expect(await counts({ SyndicatsIdExternes: ['SYN-1'], ActifsLe })).toEqual([1, 1, 0]);
      expect(Object.keys(await roll())).toEqual(['AVANT']);
    },
  );

  it.each([
    // Zones before and behind UTC, the day in winter and in summer, and the UTC of its midnight.
    ['Pacific/Kiritimati', '2026-01-10', '2026-01-09T10:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-07-10', '2026-07-09T10:00:00.000Z'],
    ['America/Toronto', '2026-01-10', '2026-01-10T05:00:00.000Z'],
    ['America/Toronto', '2026-07-10', '2026-07-10T04:00:00.000Z'],
    ['Europe/Paris', '2026-01-10', '2026-01-09T23:00:00.000Z'],
    ['Europe/Paris', '2026-07-10', '2026-07-09T22:00:00.000Z'],
  ])('in %s, the borders of %s are those of lists, filters and items (%s)', async (zone, day, midnight) => {
    const path = `/admin/v1/clients/${campaigns.tenant.clientId}`;
    expect((await app.send(app.adminKey, 'PUT', path, { fuseauHoraire: zone })).status).toBe(200);
    const first = Date.parse(midnight);
    const last = first + 24 * 3_600_000 - 1;
    const at = (moment: number): string => new Date(moment).toISOString();
    const spans: Record<string, [string, string | null]> = {
      'DEBUT-DERNIER': [at(last), null],
      'DEBUT-LENDEMAIN': [at(last + 1), null],
      'FIN-MINUIT': ['2020-01-01', at(first)],
      'FIN-PREMIER': ['2020-01-01', at(first + 1)],
      'FIN-DATE': ['2020-01-01', day],
      'DEBUT-DATE': [day, null],
    };
    await employees(
      Object.fromEntries(
        Object.entries(spans).flatMap(([name, [begin, end]]) => [
          [`E-${name}`, { Emplois: [job('J', 'EMP-1', { DateDebut: begin, DateFin: end })] }],
          [`A-${name}`, { Adhesions: [membership('SYN-1', begin, end)] }],
        ]),
      ),
    );
    const active = ['DEBUT-DATE', 'DEBUT-DERNIER', 'FIN-PREMIER'];
    // The day as a date, and as its first and its last moment.
    for (const ActifsLe of [day, at(first), at(last)]) {
      const jobs = await campaigns.draft();
      await counts({ EmployeursIdentifiantsExternes: ['EMP-1'], ActifsLe }, jobs);
      expect(Object.keys(await roll(jobs)).sort()).toEqual(active.map((name) => `E-${name}`));
      const members = await campaigns.draft();
      await counts({ SyndicatsIdExternes: ['SYN-1'], ActifsLe }, members);
      expect(Object.keys(await roll(members)).sort()).toEqual(active.map((name) => `A-${name}`));
      const found = await app.send(campaigns.tenant, 'GET', `/b2b/v2/emploi?actifLe=${ActifsLe}`);
      const ids = found.json.map((one: Loose) => one.idExterneEmploye).sort();
      expect(ids).toEqual(active.map((name) => `E-${name}`));
    }
  });

  it('an employee who signs now is a voter of a list made now', async () => {
    await awayFromMidnight();
    await employees({ 'E-1': {}, 'E-2': { Adhesions: [membership('SYN-1', today(1))] } });
    await sign('E-1');
    // E-2 is a member from tomorrow on.
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'] })).toEqual([1, 1, 0]);
    expect(Object.keys(await roll())).toEqual(['E-1']);
  });

  it('voters have the names and the address of their employees, the right to vote and the weight of the list', async () => {
    await employees({ 'E-1': { Courriel: 'z@example.org' }, 'E-2': {} });
    await campaigns.votant(id, { EmployeIdExterne: 'E-2', SyndicatIdExterne: 'SYN-3', Poids: 7 });
    const EmployesIdExternes = ['E-1', 'E-2'];
    expect(await counts({ EmployesIdExternes, Poids: '2.5000' })).toEqual([2, 1, 1]);
    const [known, made] = (await campaigns.sent('GET', `/${id}/votants`)).json;
    expect(known).toMatchObject({ EmployeIdExterne: 'E-2', SyndicatIdExterne: 'SYN-3', Poids: 7 });
    expect(made).toEqual({
      ...{ VotantId: expect.stringMatching(GUID), Identifiant: null, Prenom: 'Zoé', Nom: "L'Écuyer" },
      ...{ Courriel: 'z@example.org', EmployeIdExterne: 'E-1', SyndicatIdExterne: null },
      ...{ EmployeurIdentifiantExterne: null, ADroitDeVote: true, AVote: false, Poids: 2.5 },
      ...{ EtatCourriel: null, StatutCourriel: null, RaisonCourriel: null },
    });
    for (const Poids of [0, -1, 1.00001, 1000001, '1e3', 'un']) {
      expectFaults(await list({ EmployesIdExternes, Poids }), '/Poids range');
    }
  });

  it('a list without voters is 201', async () => {
    await employees({ 'E-1': {} });
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'] })).toEqual([0, 0, 0]);
    expect(await roll()).toEqual({});
  });
});

describe('400', () => {
  it('without criteria, or with empty lists only: a list never means all employees', async () => {
    await members(3);
    const none = [
      ...[{}, { SyndicatsIdExternes: [] }, { ActifsLe: '2026-01-01', Poids: 2 }],
      { EmployesIdExternes: null },
      { SyndicatsIdExternes: [], EmployeursIdentifiantsExternes: [], EmployesIdExternes: [] },
    ];
    for (const criteria of none) expectFaults(await list(criteria), 'required');
    expect(await roll()).toEqual({});
    // An empty list is no criterion if another list has identifiers.
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'], EmployesIdExternes: [] })).toEqual([3, 3, 0]);
  });

  it('for each identifier that is unknown or of another tenant, with its pointer', async () => {
    await employees({ 'E-1': { Adhesions: [membership('SYN-1')], Emplois: [job('J', 'EMP-1')] } });
    const theirs = await newSpace();
    await synced(app, theirs.tenant, {
      ...{ Syndicats: [union('LEUR', [employer('LEUR')])], Employes: [employee('LEUR')] },
    });
    const criteria = {
      SyndicatsIdExternes: ['SYN-1', 'LEUR', 'syn-1'],
      EmployeursIdentifiantsExternes: ['LEUR', 'EMP-1'],
      EmployesIdExternes: ['X', 'E-1', 'LEUR'],
    };
    expectFaults(await list(criteria), {
      ...{ '/SyndicatsIdExternes/1': 'reference', '/SyndicatsIdExternes/2': 'reference' },
      ...{ '/EmployeursIdentifiantsExternes/0': 'reference' },
      ...{ '/EmployesIdExternes/0': 'reference', '/EmployesIdExternes/2': 'reference' },
    });
    expect(await roll()).toEqual({});
    expect((await campaigns.sent('GET', `/${id}/liste-electorale`)).json).toEqual([]);
  });

  it('for criteria of the wrong form', async () => {
    const faults: [Loose, string][] = [
      [{ SyndicatsIdExternes: 'SYN-1' }, '/SyndicatsIdExternes type'],
      [{ SyndicatsIdExternes: ['SYN-1', 'SYN-1'] }, '/SyndicatsIdExternes duplicate'],
      [{ SyndicatsIdExternes: [7, ' '] }, '/SyndicatsIdExternes/0 type, /SyndicatsIdExternes/1 required'],
      [{ EmployesIdExternes: ['\u0000'] }, '/EmployesIdExternes/0 characters'],
      [{ EmployesIdExternes: times(25_001, (n) => `E-${n}`) }, '/EmployesIdExternes length'],
      [{ SyndicatsIdExternes: ['SYN-1'], ActifsLe: '10/05/2026' }, '/ActifsLe date'],
      [{ SyndicatIdExterne: 'SYN-1' }, '/SyndicatIdExterne unknown'],
    ];
    for (const [criteria, expected] of faults) expectFaults(await list(criteria), expected);
  });
});

describe('the effects of a list', () => {
  /** The transactions of the last writes of these tables. */
  const writers = (): Promise<object[]> =>
    campaigns.rows(
      `SELECT xmin::text FROM liste_electorale WHERE tenant_id = $1 UNION SELECT xmin::text FROM votant WHERE tenant_id = $1
       UNION SELECT xmin::text FROM campagne WHERE tenant_id = $1 UNION SELECT xmin::text FROM journal
         WHERE tenant_id = $1 AND action = 'listeElectorale.creer'
       UNION SELECT xmin::text FROM evenement WHERE tenant_id = $1 AND type = 'listeElectorale.creee'`,
    );

  it('201, Location and the counts; the event has the same with the campaign, in the same transaction', async () => {
    await members(5);
    const { status, headers, text, json } = await list({ SyndicatsIdExternes: ['SYN-1'] });
    expect([status, headers.get('location')]).toEqual([201, `/b2b/v1/campagnes/${id}/liste-electorale`]);
    expect([json.Id, json.DateCreationUtc]).toEqual([
      expect.stringMatching(GUID),
      expect.stringMatching(INSTANT),
    ]);
    const counted = { NombreVotants: 5, NombreAjoutes: 5, NombreDejaPresents: 0 };
    expect(text).toBe(JSON.stringify({ Id: json.Id, ...counted, DateCreationUtc: json.DateCreationUtc }));
    const events = await campaigns.rows(
      `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'listeElectorale.creee'`,
    );
    expect(events).toEqual([{ data: { CampagneId: id, ...json } }]);
    const journal = await campaigns.rows(
      `SELECT cle_id, objet_id FROM journal WHERE tenant_id = $1 AND action = 'listeElectorale.creer'`,
    );
    expect(journal).toEqual([{ cle_id: campaigns.tenant.cleId, objet_id: id }]);
    expect(await writers()).toHaveLength(1);
  });

  it.each(['evenement', 'journal', 'liste_electorale'])(
    'negative control: if %s takes no row, no voter is added',
    async (table) => {
      await members(5);
      const before = await writers();
      const answer = await refusing(app, table, () => list({ SyndicatsIdExternes: ['SYN-1'] }));
      expectProblem(answer, 500, 'Service.ErreurInterne');
      expect(await roll()).toEqual({});
      expect(await writers()).toEqual(before);
    },
  );

  it('GET 200 returns the lists with their criteria, also in pages; 404 for a foreign campaign', async () => {
    await members(3);
    const made: Answer['json'][] = [];
    const none = {
      SyndicatsIdExternes: null,
      EmployeursIdentifiantsExternes: null,
      EmployesIdExternes: null,
    };
    const given: Loose[] = [
      { SyndicatsIdExternes: ['SYN-2', 'SYN-1'], ActifsLe: '2026-05-10', Poids: 1.5 },
      { EmployeursIdentifiantsExternes: ['EMP-1'], ActifsLe: '2026-05-10' },
      {
        EmployesIdExternes: ['M-1', 'M-0'],
        SyndicatsIdExternes: [],
        ActifsLe: '2026-05-10',
        Poids: '2.5000',
      },
    ];
    for (const criteria of given) made.push((await list(criteria)).json);
    const expected = given.map((criteria, index) => ({
      ...{ ...none, ...criteria, ...made[index], ActifsLe: '2026-05-10T00:00:00.000Z' },
      Poids: [1.5, 1, 2.5][index],
      ...(index === 2 ? { SyndicatsIdExternes: null } : {}),
    }));
    const path = `/b2b/v1/campagnes/${id}/liste-electorale`;
    expect((await campaigns.sent('GET', `/${id}/liste-electorale`)).json).toEqual(expected);
    const pages = await walk(app, campaigns.tenant, `${path}?limite=2`);
    expect(pages).toEqual([expected.slice(0, 2), [expected[2]]]);
    expectFaults(await app.send(campaigns.tenant, 'GET', `${path}?syndicat=SYN-1`), '?syndicat unknown');
    const theirs = await newSpace();
    for (const [method, body] of [['GET'], ['POST', { SyndicatsIdExternes: ['SYN-1'] }]] as const) {
      const foreign = await theirs.send(method, `/${id}/liste-electorale`, body);
      expectProblem(foreign, 404, 'Campagne.NotFound');
      const unknown = await theirs.send(method, `/${randomUUID()}/liste-electorale`, body);
      expect(comparable(foreign)).toEqual(comparable(unknown));
    }
    expect((await campaigns.sent('GET', `/${await campaigns.draft()}/liste-electorale`)).text).toBe('[]');
  });

  it('one list for one Idempotency-Key', async () => {
    await members(3);
    const criteria = { SyndicatsIdExternes: ['SYN-1'] };
    const send = () =>
      campaigns.send('POST', `/${id}/liste-electorale`, criteria, { 'Idempotency-Key': 'liste-1' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect((await campaigns.sent('GET', `/${id}/liste-electorale`)).json).toHaveLength(1);
    expect(await campaigns.events(id)).toEqual(['listeElectorale.creee']);
  });

  it('409 and no list after the end of the campaign', async () => {
    await members(2);
    id = await campaigns.closed();
    expectProblem(await list({ SyndicatsIdExternes: ['SYN-1'] }), 409, 'Campagne.ModificationNonPermise');
    expect((await campaigns.sent('GET', `/${id}/liste-electorale`)).json).toEqual([]);
    expect(await campaigns.events(id)).not.toContain('listeElectorale.creee');
  });
});

describe('an employee becomes a voter once', () => {
  it('by a second list, by one of other criteria, or beside a voter made before', async () => {
    await members(10);
    await campaigns.sent('POST', `/${id}/votants/upsert`, [
      { EmployeIdExterne: 'M-3' },
      { Prenom: 'Z', Nom: 'R' },
    ]);
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'] })).toEqual([10, 9, 1]);
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'] })).toEqual([10, 0, 10]);
    expect(await counts({ EmployesIdExternes: ['M-3', 'M-4'] })).toEqual([2, 0, 2]);
    expect((await campaigns.item(id)).nombreVotants).toBe(11);
    // Each campaign has its own roll.
    expect(await counts({ SyndicatsIdExternes: ['SYN-1'] }, await campaigns.draft())).toEqual([10, 10, 0]);
  });

  it('by two equal lists at once, or ten that overlap over two replicas', async () => {
    await members(300);
    const names = (from: number, to: number) => times(to - from, (n) => `M-${from + n}`);
    const rounds: Loose[][] = [
      times(2, () => ({ SyndicatsIdExternes: ['SYN-1'] })),
      times(10, (n) => ({ EmployesIdExternes: names(20 * n, 20 * n + 120) })),
    ];
    for (const lists of rounds) {
      const campaign = await campaigns.draft();
      const answers = await Promise.all(
        lists.map((criteria, n) => list(criteria, n % 2 ? elsewhere : campaigns, campaign)),
      );
      expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 201));
      const sum = (name: string): number => answers.reduce((total, { json }) => total + json[name], 0);
      expect(sum('NombreAjoutes')).toBe(300);
      expect(sum('NombreAjoutes') + sum('NombreDejaPresents')).toBe(sum('NombreVotants'));
      expect(answers.map(({ json }) => json.NombreVotants)).toEqual(
        lists.map(() => (lists.length === 2 ? 300 : 120)),
      );
      expect(Object.keys(await roll(campaign))).toHaveLength(300);
    }
  });

  it('lists during deletions of employees: no deleted employee stays a voter', async () => {
    await members(200);
    let deleted = 0;
    for (let round = 0; round < 5; round++) {
      const campaign = await campaigns.draft();
      const [answers, deletions] = await Promise.all([
        Promise.all(
          times(4, (n) => list({ SyndicatsIdExternes: ['SYN-1'] }, n % 2 ? elsewhere : campaigns, campaign)),
        ),
        Promise.all(
          times(20, async (n) => {
            await new Promise((resolve) => setTimeout(resolve, 4 * n));
            return deleteEmployee(`M-${20 * round + n}`, n % 2 ? app : replica);
          }),
        ),
      ]);
      expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
        times(4, () => [201, undefined]),
      );
      expect(deletions.map(({ status }) => status)).toEqual(times(20, () => 204));
      deleted += 20;
      expect(Object.keys(await roll(campaign))).toHaveLength(200 - deleted);
    }
  });
});

describe('the lists of a campaign', () => {
  it('are at most 1,000, also equal ones; beyond, 400 Requete.Invalide', async () => {
    const criteria = { SyndicatsIdExternes: ['SYN-1'] };
    await campaigns.rows(
      `INSERT INTO liste_electorale (tenant_id, campagne_id, syndicats, actifs_le, poids, nombre_ajoutes, nombre_deja_presents)
       SELECT $1, $2, '{SYN-1}', now(), 1, 0, 0 FROM generate_series(1, 999)`,
      id,
    );
    await counts(criteria);
    const answer = await list(criteria);
    expectFaults(answer, 'maximum');
    expect(answer.json.errors[0].detail).toContain('1000');
  });
});
