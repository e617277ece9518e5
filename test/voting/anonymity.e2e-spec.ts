import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DossierBuilderService } from '../../libs/voting/src';
import { expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { depth } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { download, filesIn, linesOf } from './support/bundle';
import { type Elector, endedVote } from './support/ended-vote';
import { app, campaigns, seal, spaceOfFile, stats, votes } from './support/scene';
import type { Vote } from './support/votes';

const PARTITIONS = depth(24, 500);

const BUNDLES = depth(8, 60);

const UNIONS = ['SYN-1', 'SYN-2', 'SYN-3'];
const EMPLOYERS = ['EMP-1', 'EMP-2', 'EMP-3'];

spaceOfFile({
  sync: {
    Syndicats: UNIONS.map((IdentifiantExterne) => ({
      ...{ IdentifiantExterne, Nom: IdentifiantExterne },
      Employeurs: EMPLOYERS.map((employer) => ({ IdentifiantExterne: employer, Nom: employer })),
    })),
  },
});

interface Partition {
  readonly k: number;
  readonly electors: readonly Elector[];
}

const partition: fc.Arbitrary<Partition> = fc
  .record({
    k: fc.integer({ min: 2, max: 7 }),
    unions: fc.integer({ min: 1, max: 3 }),
    employers: fc.integer({ min: 1, max: 3 }),
    weights: fc.integer({ min: 1, max: 2 }),
  })
  .chain(({ k, unions, employers, weights }) =>
    fc
      .array(
        fc.record({
          syndicat: fc.option(fc.constantFrom(...UNIONS.slice(0, unions)), { freq: 6 }),
          employeur: fc.option(fc.constantFrom(...EMPLOYERS.slice(0, employers)), { freq: 6 }),
          poids: fc.integer({ min: 1, max: weights }),
        }),
        { minLength: 1, maxLength: 40, size: 'max' },
      )
      .map((electors) => ({ k, electors })),
  );

/** Makes a vote that has ended, and seals its box. @param answers what each elector chose */
async function sealed(
  { k, electors }: Partition,
  options = 2,
  answers: (elector: number) => number = () => 0,
): Promise<string> {
  const ballots = electors.map((one, n) => ({ ...one, reponses: [`${answers(n)}`] }));
  const { id } = await endedVote([{ isRanked: false, seats: 1, options }], ballots, k);
  // The first request closes the box.
  await stats(id);
  expect(await seal(id)).toBe(true);
  return id;
}

it('a box of 10,000 unions and employers is divided, and each class has k ballots', async () => {
  const electors = times(20_000, (n) => ({
    ...{ syndicat: `SYN-${n % 100}`, employeur: `EMP-${Math.floor(n / 200)}`, poids: 1 },
  }));
  const id = await sealed({ k: 3, electors });
  const classes = await campaigns.rows<{ bulletins: number }>(
    `SELECT sum(bulletins)::int AS bulletins FROM depouillement WHERE tenant_id = $1 AND campagne_id = $2 GROUP BY classe`,
    id,
  );
  // Each pair of union and employer has two ballots, so a class has all employers of one union.
  expect(classes).toEqual(Array(100).fill({ bulletins: 200 }));
}, 30_000);

interface Filter {
  readonly syndicat?: string;
  readonly employeur?: string;
}

const FILTERS: readonly Filter[] = [undefined, ...UNIONS].flatMap((syndicat) =>
  [undefined, ...EMPLOYERS].map((employeur) => ({
    ...(syndicat ? { syndicat } : {}),
    ...(employeur ? { employeur } : {}),
  })),
);

/** The electors whose ballots a filter counts, as bits. */
function ballotsOf(electors: readonly Elector[], { syndicat, employeur }: Filter): bigint {
  return electors.reduce(
    (bits, one, place) =>
      (syndicat ?? one.syndicat) === one.syndicat && (employeur ?? one.employeur) === one.employeur
        ? bits | (1n << BigInt(place))
        : bits,
    0n,
  );
}

function sizeOf(bits: bigint): number {
  let size = 0;
  for (let left = bits; left > 0n; left &= left - 1n) size++;
  return size;
}

/** Every set of ballots whose figures are sums and differences of shown ones, the smallest first. */
function follows(shown: readonly bigint[]): bigint[] {
  const known = new Set(shown);
  for (const one of known) {
    for (const other of known) {
      if ((one & other) === other) known.add(one ^ other);
      if ((one & other) === 0n) known.add(one | other);
    }
  }
  known.delete(0n);
  return [...known].sort((one, other) => sizeOf(one) - sizeOf(other));
}

/** The size of the smallest group of fewer than k ballots that an attacker isolates; 0 if there is none. */
function singledOut({ k, electors }: Partition, shown: readonly bigint[]): number {
  const small = shown.filter((bits) => bits !== 0n && sizeOf(bits) < k);
  const [smallest] = follows(small.length > 0 ? small : shown);
  const size = smallest === undefined ? 0 : sizeOf(smallest);
  return size < k && size < electors.length ? size : 0;
}

/** Votes with a threshold of 4. A weight with fewer ballots is replaced by the other one (docs/secrecy.md, "Weights"). */
const bundled: readonly Partition[] = fc.sample(partition, BUNDLES).map(({ electors }) => {
  const heavy = electors.filter(({ poids }) => poids === 2).length;
  const isMixed = Math.min(heavy, electors.length - heavy) >= 4;
  return { k: 4, electors: isMixed ? electors : electors.map((one) => ({ ...one, poids: 1 })) };
});

const bitsOf = (electors: Iterable<number>): bigint =>
  [...electors].reduce((bits, elector) => bits | (1n << BigInt(elector)), 0n);

/** The sets of ballots that a bundle has figures of. Each elector chooses an option of their own, so it names its ballots. */
async function inBundle({ electors }: Partition, k: number): Promise<bigint[]> {
  const id = await sealed({ k, electors }, electors.length, (elector) => elector);
  const { tenantId, cle } = campaigns.tenant;
  await app.app.get(DossierBuilderService).build(tenantId, id);
  const files = await filesIn((await download(app, cle, `/b2b/v1/campagnes/${id}/dossier/archive`)).bytes);
  const lines = linesOf<{ classe: number; reponse: number[] }>(files.get('questions/00.ndjson'));
  // Weights less ballots show the answers of each weight of a class.
  const classes = Map.groupBy(lines, ({ classe, reponse: [n] }) => `${classe} ${electors[n!]!.poids}`);
  interface Figures {
    readonly questions: readonly [
      { readonly Options: readonly { readonly OptionId: string; readonly Votes: number }[] },
    ];
  }
  const { tout, filtres } = JSON.parse(files.get('resultats.json')!.toString()) as {
    readonly tout: Figures;
    readonly filtres: readonly Figures[];
  };
  const placeOf = new Map(tout.questions[0].Options.map(({ OptionId }, place) => [OptionId, place]));
  return [
    ...[...Map.groupBy(lines, ({ classe }) => classe).values(), ...classes.values()].map((those) =>
      bitsOf(those.map(({ reponse: [n] }) => n!)),
    ),
    ...[tout, ...filtres].map(({ questions: [{ Options }] }) =>
      bitsOf(Options.filter(({ Votes }) => Votes === 1).map(({ OptionId }) => placeOf.get(OptionId)!)),
    ),
  ];
}

async function toldOf(id: string, filter: Filter): Promise<boolean> {
  const query = new URLSearchParams({
    ...(filter.syndicat ? { syndicatIdExterne: filter.syndicat } : {}),
    ...(filter.employeur ? { employeurIdentifiantExterne: filter.employeur } : {}),
  });
  const json = await stats(id, `?${query.toString()}`);
  const isTold = json.resultatsVisibles as boolean;
  expect(json.questions[0].Exprimes === null).toBe(!isTold);
  return isTold;
}

describe(`an attacker with all shown figures of ${PARTITIONS} votes, and every sum and difference of them`, () => {
  const partitions = fc.sample(partition, PARTITIONS);

  it('isolates no group of 1 to k − 1 ballots', async () => {
    const odd: object[] = [];
    let [told, hidden] = [0, 0];
    for (const one of partitions) {
      const id = await sealed(one);
      const sets: bigint[] = [];
      for (const filter of FILTERS) {
        const isTold = await toldOf(id, filter);
        if (isTold) sets.push(ballotsOf(one.electors, filter));
        if (Object.keys(filter).length === 0) expect(isTold).toBe(true);
        else if (ballotsOf(one.electors, filter) > 0n && isTold) told++;
        else if (!isTold) hidden++;
      }
      if (singledOut(one, sets) > 0) odd.push(one);
    }
    expect(odd).toEqual([]);
    // Both results occur: shown and hidden.
    expect([told > PARTITIONS / 2, hidden > PARTITIONS / 2]).toEqual([true, true]);
  }, 300_000);

  it('isolates none with the bundle either: by classes, filters and weights', async () => {
    const odd: object[] = [];
    let shown = 0;
    for (const one of bundled) {
      const sets = await inBundle(one, one.k);
      shown += new Set(sets).size;
      if (singledOut(one, sets) > 0) odd.push(one);
    }
    expect(odd).toEqual([]);
    // There are classes or filters beside the whole of most votes.
    expect(shown).toBeGreaterThan(2 * bundled.length);
  }, 300_000);

  it('negative control: isolates one if the bundle has each union, employer and weight by itself', async () => {
    let isolated = 0;
    for (const one of bundled) if (singledOut(one, await inBundle(one, 1)) > 0) isolated++;
    expect(isolated).toBeGreaterThan(bundled.length / 2);
  }, 300_000);

  it('learns nothing about one ballot from the weight of options minus their votes', async () => {
    const of = (count: number, syndicat: string, employeur: string, poids: number): Elector[] =>
      times(count, () => ({ syndicat, employeur, poids }));
    const electors = [
      ...of(10, 'SYN-1', 'EMP-1', 1),
      ...of(4, 'SYN-1', 'EMP-2', 1),
      ...of(1, 'SYN-1', 'EMP-2', 2),
      ...of(20, 'SYN-2', 'EMP-3', 2),
    ];
    const id = await sealed({ k: 5, electors });
    for (const filter of FILTERS) {
      if (!(await toldOf(id, filter)) || Object.keys(filter).length === 0) continue;
      const counted = electors.filter((_, place) => (ballotsOf(electors, filter) >> BigInt(place)) & 1n);
      const heavy = counted.filter(({ poids }) => poids === 2).length;
      expect([filter, heavy === 0 || heavy >= 5]).toEqual([filter, true]);
    }
  });

  it('negative control: isolates one if the rule checks a filter and its complement only', () => {
    const found = partitions.findIndex((one) => {
      const { k, electors } = one;
      const enough = (size: number): boolean => size === 0 || size >= k;
      const sets = FILTERS.map((filter) => ballotsOf(electors, filter)).filter(
        (bits) => bits !== 0n && enough(sizeOf(bits)) && enough(electors.length - sizeOf(bits)),
      );
      return singledOut(one, [...sets, ballotsOf(electors, {})]) > 0;
    });
    expect(found).toBeGreaterThanOrEqual(0);
    expect(found).toBeLessThan(PARTITIONS / 4);
  });
});

describe('weights', () => {
  const client = (seuilAnonymat: number): Promise<void> => campaigns.setFlags({ seuilAnonymat });
  afterAll(() => client(1));

  async function draft(weights: readonly (number | string)[]): Promise<string> {
    const id = await campaigns.draft();
    await campaigns.question(id);
    const records = weights.map((Poids, n) => ({ Prenom: 'Zoé', Nom: `Roy ${n}`, Poids }));
    await campaigns.sent('POST', `/${id}/votants/upsert`, records);
    return id;
  }
  const signature = times(20, (n) => (2 ** n / 10_000).toFixed(4));

  it('400 for a publication if weights identify voters, unless the threshold is 1', async () => {
    await client(5);
    const id = await draft(signature);
    expectProblem(await campaigns.send('POST', `/${id}/publier`), 400, 'Campagne.PoidsIdentifiants');
    const { json } = await campaigns.sent('GET', `/${id}/validation`);
    expect(json.erreurs.map(({ code }: { code: string }) => code)).toEqual(['Campagne.PoidsIdentifiants']);
    const body = { seuilAnonymat: 1, raison: 'Vote des délégués' };
    await campaigns.administer('PUT', `/${id}/seuil-anonymat`, body);
    expect((await campaigns.send('POST', `/${id}/publier`)).status).toBe(200);
  });

  it.each([
    ['4 of 5 voters have it', [1, 1, 1, 1, 1, 2, 2, 2, 2], 400],
    ['each has 5 voters', [1, 1, 1, 1, 1, 2, 2, 2, '2.0', 2], 200],
  ])('of a campaign with a threshold of 5: %s', async (_what, weights, status) => {
    await client(5);
    expect((await campaigns.send('POST', `/${await draft(weights)}/publier`)).status).toBe(status);
  });

  it('does not restrict the weights of a draft, also if it has a threshold of its own', async () => {
    await client(5);
    const id = await draft([1, 2]);
    await campaigns.administer('PUT', `/${id}/seuil-anonymat`, { seuilAnonymat: 3, raison: 'Petit vote' });
    const record = { Prenom: 'Max', Nom: 'Roy', Poids: 7 };
    expect((await campaigns.send('POST', `/${id}/votants/upsert`, record)).status).toBe(201);
  });

  it('409 for each write of a published roll that leaves fewer than k voters of one weight', async () => {
    await client(3);
    await synced(app, campaigns.tenant, { Employes: [{ IdExterne: 'E-1', Prenom: 'Max', Nom: 'Roy' }] });
    const id = await draft([2, 2, 2, 4, 4, 4, 4]);
    await campaigns.sent('POST', `/${id}/publier`);
    const roll = async (): Promise<string> => (await campaigns.sent('GET', `/${id}/votants`)).text;
    const before = await roll();
    const [two, , , four] = JSON.parse(before) as { VotantId: string }[];
    const upsert = (body: unknown): Promise<Answer> => campaigns.send('POST', `/${id}/votants/upsert`, body);
    const right = { VotantIds: [two!.VotantId], ADroitDeVote: false };
    const refused: (() => Promise<Answer>)[] = [
      () => upsert({ VotantId: two!.VotantId, Poids: 4 }),
      () => upsert({ VotantId: four!.VotantId, Poids: 3 }),
      () => upsert({ Prenom: 'Max', Nom: 'Roy', Poids: 1 }),
      () =>
        upsert([
          { VotantId: four!.VotantId, Nom: 'Côté' },
          { Prenom: 'Max', Nom: 'Roy', Poids: 1 },
        ]),
      () => campaigns.send('DELETE', `/${id}/votants/${two!.VotantId}`),
      () => campaigns.send('PUT', `/${id}/votants/droit-de-vote`, right),
      () => campaigns.send('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-1'] }),
    ];
    for (const send of refused) expectProblem(await send(), 409, 'Votant.PoidsIdentifiants');
    expect(await roll()).toBe(before);
    // Writes that leave three voters of each weight are permitted.
    expect((await campaigns.send('DELETE', `/${id}/votants/${four!.VotantId}`)).status).toBe(204);
    expect((await upsert(times(3, (n) => ({ Prenom: 'Max', Nom: `Roy ${n}`, Poids: 1 })))).status).toBe(200);
    expect((await upsert({ VotantId: two!.VotantId, Nom: 'Côté' })).status).toBe(200);
  });
});

describe('a partner who writes the roll while the vote is open', () => {
  /** Twenty voters of each of two unions. */
  async function opened(k: number): Promise<Vote> {
    await campaigns.setFlags({ seuilAnonymat: k });
    return votes.opened(40, {}, (n) => ({ SyndicatIdExterne: UNIONS[n % 2] }));
  }
  it('is visible in the statistics, which count changes since the opening', async () => {
    const changes = async (id: string): Promise<unknown> => (await stats(id)).modificationsApresOuverture;
    const id = await campaigns.scheduled();
    const first = await campaigns.votant(id);
    const upsert = (body: unknown): Promise<Answer> => campaigns.sent('POST', `/${id}/votants/upsert`, body);
    await upsert({ VotantId: first, Nom: 'Avant' });
    expect(await changes(id)).toEqual({ ajoutes: 0, retires: 0, modifies: 0 });
    await campaigns.sent('POST', `/${id}/ouvrir`);
    await upsert([
      { VotantId: first, Nom: 'Après' },
      { Prenom: 'A', Nom: 'B' },
      { Prenom: 'C', Nom: 'D' },
    ]);
    // An equal record is no change.
    await upsert({ VotantId: first, Nom: 'Après' });
    const droit = { VotantIds: [first, randomUUID()], ADroitDeVote: false };
    for (let sent = 0; sent < 2; sent++) await campaigns.sent('PUT', `/${id}/votants/droit-de-vote`, droit);
    await campaigns.sent('DELETE', `/${id}/votants/${first}`);
    expect(await changes(id)).toEqual({ ajoutes: 2, retires: 1, modifies: 2 });
    await campaigns.sent('POST', `/${id}/depublier`);
    await campaigns.sent('POST', `/${id}/publier`);
    expect(await changes(id)).toEqual({ ajoutes: 0, retires: 0, modifies: 0 });
  });

  const expressed = async ({ id }: Vote, query: string): Promise<number | null> =>
    (await stats(id, query)).questions[0].Exprimes as number | null;
  const move = (vote: Vote, voter: number, SyndicatIdExterne: string | null): Promise<Answer> =>
    campaigns.send('POST', `/${vote.id}/votants/upsert`, { VotantId: vote.voters[voter], SyndicatIdExterne });

  it.each([
    [5, false],
    // The control: with a threshold of 1 the difference is that voter's ballot.
    [1, true],
  ])(
    'with a threshold of %i, removes a voter’s union before the ballot: the difference is shown (%s)',
    async (k, isTold) => {
      const vote = await opened(k);
      expect((await move(vote, 0, null)).status).toBe(200);
      await votes.voted(vote, 0, 1);
      // The ballot fixes the union.
      expectProblem(await move(vote, 0, UNIONS[0]!), 409, 'Votant.AVote');
      for (const voter of times(39, (n) => n + 1)) await votes.voted(vote, voter);
      await campaigns.sent('POST', `/${vote.id}/fermer`);
      expect(await seal(vote.id)).toBe(true);
      const [whole, one, other] = await Promise.all(
        ['', ...UNIONS.slice(0, 2).map((union) => `?syndicatIdExterne=${union}`)].map((query) =>
          expressed(vote, query),
        ),
      );
      expect(whole).toBe(40);
      expect(one !== null && other !== null && whole! - one! - other! === 1).toBe(isTold);
      expect(other).toBe(20);
    },
  );
});
