import fc from 'fast-check';
import { expectFaults } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, type OpenTenant, PNG, signed, SIGNING_PATH } from './support/cards';
import { type CardItem, idsOf, newestFirst, pagesOf } from './support/lists';
import { perFile, perTest } from '../setup/fixtures';

const V1 = '/b2b/v1/adhesion';
const V2 = '/b2b/v2/adhesion';

const app = perFile(() => TestApp.start());
const open = perTest(() => openTenant(app));

type Filters = Record<string, string>;

const list = (path: string, filters: Filters = {}) =>
  app.send(open.partenaire, 'GET', `${path}?${new URLSearchParams(filters).toString()}`);
/** Sends a query without escaping. */
const listRaw = (path: string, query: string) => app.send(open.partenaire, 'GET', `${path}?${query}`);
const sign = async (overrides: object = {}): Promise<string> =>
  (await signed(app, open.plateforme, overrides)).json.idUniqueAdhesion;
async function pay(id: string, to = open): Promise<void> {
  const sent = { montant: '12.50', devise: 'CAD', reference: 'PAY-1' };
  const answer = await app.send(to.plateforme, 'POST', `${SIGNING_PATH}/${id}/paiements`, sent);
  expect(answer.status).toBe(201);
}

describe('time bounds', () => {
  const NAMES: [path: string, name: string, includes: (at: number, bound: number) => boolean][] = [
    [V1, 'apres', (at, bound) => at >= bound],
    [`${V1}/E-1`, 'apres', (at, bound) => at >= bound],
    [V2, 'apres', (at, bound) => at >= bound],
    [`${V2}/E-1`, 'apres', (at, bound) => at >= bound],
    [V2, 'avant', (at, bound) => at <= bound],
    [`${V2}/E-1`, 'avant', (at, bound) => at <= bound],
  ];
  const SIGNED = [
    '2026-03-01T00:00:00.000Z',
    '2026-03-02T14:05:09.122Z',
    '2026-03-02T14:05:09.123Z',
    '2026-03-02T14:05:09.124Z',
    '2026-03-03T00:00:00.000Z',
  ];
  /** Values of the filter with the time that they mean. */
  const ASKED: [text: string, instant: string][] = [
    ...SIGNED.map((text): [string, string] => [text, text]),
    ['2026-03-02T14:05:09.1239999Z', '2026-03-02T14:05:09.123Z'],
    ['2026-03-02T19:05:09.123+05:00', '2026-03-02T14:05:09.123Z'],
    ['2026-03-02T19:05:09.124+0500', '2026-03-02T14:05:09.124Z'],
    ['2026-03-02T09:05:09.123-05:00', '2026-03-02T14:05:09.123Z'],
    ['2026-03-02T09:05:09.122-05:00', '2026-03-02T14:05:09.122Z'],
    ['2026-03-02T14:05Z', '2026-03-02T14:05:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-03-03', '2026-03-03T00:00:00.000Z'],
  ];

  it.each(NAMES)(
    '%s?%s is inclusive to the millisecond, with Z, any offset or a day',
    async (path, name, includes) => {
      for (const dateSignature of SIGNED) await sign({ dateSignature });
      for (const [text, instant] of ASKED) {
        const expected = SIGNED.filter((at) => includes(Date.parse(at), Date.parse(instant))).reverse();
        // The second request is not escaped: the + of an offset arrives as a space.
        for (const answer of [await list(path, { [name]: text }), await listRaw(path, `${name}=${text}`)]) {
          expect(answer.status).toBe(200);
          const found = (answer.json as CardItem[]).map(({ dateSignature }) => dateSignature);
          expect({ text, found }).toEqual({ text, found: expected });
        }
      }
    },
  );

  it('apres and avant together include both bounds', async () => {
    for (const dateSignature of SIGNED) await sign({ dateSignature });
    const span = async (apres: string, avant: string): Promise<string[]> =>
      (await list(V2, { apres, avant })).json.map(({ dateSignature }: CardItem) => dateSignature);
    expect(await span(SIGNED[1]!, SIGNED[3]!)).toEqual(SIGNED.slice(1, 4).reverse());
    expect(await span(SIGNED[2]!, SIGNED[2]!)).toEqual([SIGNED[2]]);
    expect(await span(SIGNED[3]!, SIGNED[1]!)).toEqual([]);
  });

  const GARBAGE = [
    ...['hier', '2026', '2026-3-1', '2026-02-30', '01/02/2026', '2026-03-02T14:05:09', '1772460309'],
    ...['2026-03-02 14:05:09', '2026-03-02T25:00:00Z', '2026-03-02T14:05:09+24:00', '0000-01-01', 'NaN'],
  ];

  it.each(NAMES)('%s?%s: 400 for an invalid date or an empty value', async (path, name) => {
    for (const text of GARBAGE) expectFaults(await list(path, { [name]: text }), { [`?${name}`]: 'date' });
    for (const text of ['', ' ']) {
      expectFaults(await list(path, { [name]: text }), { [`?${name}`]: 'required' });
    }
    expectFaults(await listRaw(path, `${name}=2026-01-01&${name}=2026-01-02`), { [`?${name}`]: 'duplicate' });
  });
});

describe('unknown parameters of the lists', () => {
  it('400 for each version’s own, the other’s, misspelt and repeated ones', async () => {
    const faults: [path: string, query: string, faults: Record<string, string>][] = [
      [V1, 'avant=2026-01-01', { '?avant': 'unknown' }],
      [V1, 'idExterneEmploye=E-1', { '?idExterneEmploye': 'unknown' }],
      [V1, 'noMembre=1&avecPaiement=true', { '?noMembre': 'unknown', '?avecPaiement': 'unknown' }],
      [V1, 'IdExterne=E-1', { '?IdExterne': 'unknown' }],
      [V1, 'idExterne=', { '?idExterne': 'required' }],
      [V1, 'idExterne=E-1&idExterne=E-2', { '?idExterne': 'duplicate' }],
      [`${V1}/E-1`, 'idExterne=E-1', { '?idExterne': 'unknown' }],
      [V2, 'Apres=2026-01-01', { '?Apres': 'unknown' }],
      [V2, 'depuis=2026-01-01', { '?depuis': 'unknown' }],
      // The name of the item's property, not of the filter.
      [V2, 'aSignatureManuscripte=true', { '?aSignatureManuscripte': 'unknown' }],
      [V2, 'aSignatureManuscrite=1', { '?aSignatureManuscrite': 'type' }],
      [
        V2,
        'aSignatureManuscrite=oui&avecPaiement=TRUE',
        { '?aSignatureManuscrite': 'type', '?avecPaiement': 'type' },
      ],
      [V2, 'avecPaiement=', { '?avecPaiement': 'required' }],
      [V2, 'noMembre=', { '?noMembre': 'required' }],
      [V2, 'idExterneSyndicat=%20', { '?idExterneSyndicat': 'required' }],
      [V2, 'idExterneEmploye=', { '?idExterneEmploye': 'required' }],
      [V2, `idExterneEmploye=${'x'.repeat(256)}`, { '?idExterneEmploye': 'length' }],
      [V2, 'noMembre=%00', { '?noMembre': 'characters' }],
      [V2, 'noMembre=1&noMembre=2', { '?noMembre': 'duplicate' }],
      [V2, 'limite=0&curseur=x', { '?limite': 'range' }],
      [V2, 'curseur=x', { '?curseur': 'cursor' }],
      [`${V2}/E-1`, 'limite=1001', { '?limite': 'range' }],
    ];
    for (const [path, query, expected] of faults) expectFaults(await listRaw(path, query), expected);
    const renamed: [path: string, sent: string, name: string][] = [
      [V2, 'idExterne', 'idExterneEmploye'],
      [V2, 'syndicatIdExterne', 'idExterneSyndicat'],
      [V2, 'aSignatureManuscripte', 'aSignatureManuscrite'],
      [V1, 'idExterneEmploye', 'idExterne'],
      ['/b2b/v2/emploi', 'syndicatIdExterne', 'idExterneSyndicat'],
      ['/b2b/v2/seance', 'idExterneSyndicat', 'syndicatIdExterne'],
    ];
    for (const [path, sent, name] of renamed) {
      const { errors } = (await listRaw(path, `${sent}=E-1`)).json;
      expect(errors).toEqual([
        expect.objectContaining({ detail: `is not a parameter of this operation; renamed: ${name}` }),
      ]);
    }
  });

  it.each([V2, `${V2}/E-1`])('%s?idExterne: the message names idExterneEmploye', async (path) => {
    const answer = await list(path, { idExterne: 'E-1' });
    expectFaults(answer, { '?idExterne': 'unknown' });
    expect(answer.json.errors[0].detail).toContain('idExterneEmploye');
  });
});

describe('each filter alone', () => {
  it('200 [] for values that no card has', async () => {
    await sign({ noMembre: '7' });
    const filters: Filters = {
      ...{ apres: '2100-01-01', avant: '1900-01-01', idExterneSyndicat: 'SYN-9', idExterneEmploye: 'E-9' },
      ...{ noMembre: '8', aSignatureManuscrite: 'true', avecPaiement: 'true' },
    };
    for (const [name, value] of Object.entries(filters)) {
      const answer = await list(V2, { [name]: value, limite: '5' });
      expect([name, answer.status, answer.text, answer.headers.get('link')]).toEqual([name, 200, '[]', null]);
    }
    expect((await list(V1, { idExterne: 'E-9' })).text).toBe('[]');
  });

  it('aSignatureManuscrite, avecPaiement, union and employee split the cards in two parts', async () => {
    const [image, paid, other] = [
      await sign({ imageSignature: PNG }),
      await sign({ syndicatIdExterne: 'SYN-2' }),
      await sign({ employeIdExterne: 'E-2' }),
    ];
    await pay(paid);
    const found = async (filters: Filters) => idsOf(await list(V2, filters)).sort();
    expect(await found({ aSignatureManuscrite: 'true' })).toEqual([image]);
    expect(await found({ aSignatureManuscrite: 'false' })).toEqual([paid, other].sort());
    expect(await found({ avecPaiement: 'true' })).toEqual([paid]);
    expect(await found({ avecPaiement: 'false' })).toEqual([image, other].sort());
    expect(await found({ idExterneSyndicat: 'SYN-2' })).toEqual([paid]);
    expect(await found({ idExterneEmploye: 'E-2' })).toEqual([other]);
    expect(idsOf(await list(V1, { idExterne: 'E-2' }))).toEqual([other]);
  });

  it('an authorization of payments is not a payment', async () => {
    const id = await sign();
    const path = `${SIGNING_PATH}/${id}/autorisations-paiement`;
    expect((await app.send(open.plateforme, 'POST', path, { reference: 'AUT-1' })).status).toBe(201);
    expect((await list(V2, { avecPaiement: 'true' })).text).toBe('[]');
  });

  it('% and _ and * are ordinary characters in a member number and in identifiers', async () => {
    const NUMBERS = ['7%', '77', '7_', '7*', '%', '_', '7', '77%'];
    const made = new Map<string, string>();
    for (const noMembre of NUMBERS) made.set(noMembre, await sign({ noMembre }));
    for (const [noMembre, id] of made) expect(idsOf(await list(V2, { noMembre }))).toEqual([id]);
    for (const value of ['%', '_', 'E-_', 'E-%', 'e-1']) {
      expect((await list(V2, { idExterneEmploye: value })).text).toBe('[]');
      expect((await list(V2, { idExterneSyndicat: value })).text).toBe('[]');
      expect((await list(V1, { idExterne: value })).text).toBe('[]');
    }
  });

  it('noMembre is the signed number or, without one, the number of the employee at that time', async () => {
    const renumber = (NoMembre: string) =>
      synced(app, open.partenaire, { Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', NoMembre }] });
    const before = await sign();
    await renumber('100');
    const [fallenBack, own] = [await sign(), await sign({ noMembre: '200' })];
    await renumber('300');
    const later = await sign();
    const found = async (noMembre: string) => idsOf(await list(V2, { noMembre }));
    expect(await found('100')).toEqual([fallenBack]);
    expect(await found('200')).toEqual([own]);
    expect(await found('300')).toEqual([later]);
    const { rows } = await app.database.query('SELECT no_membre FROM adhesion WHERE id_unique = $1', [
      before,
    ]);
    expect(rows).toEqual([{ no_membre: null }]);
  });
});

describe('all combinations of the seven filters', () => {
  const CARDS = depth(220, 400);
  const RUNS = depth(3, 8);
  /** Each value has a similar one beside it that a pattern or a case-insensitive comparison would match. */
  const EMPLOYES = ['E-1', 'E_1', 'e-1', 'E-2', 'E-11'];
  const SYNDICATS = ['SYN-1', 'SYN_1', 'SYN-2', 'syn-1'];
  const NUMBERS = ['1', '11', '1%', '1_', 'A', 'a'];
  const TIMES = times(8, (index) => new Date(Date.UTC(2026, 0, 1) + index).toISOString());

  interface Model extends CardItem {
    employe: string;
    noMembre: string | null;
    signature: boolean;
    paid: boolean;
  }
  type Value = string | boolean | null;

  const FILTERS: Record<
    string,
    { of: (card: Model) => Value; others: Value[]; keeps?: (at: string, asked: string) => boolean }
  > = {
    apres: { of: (card) => card.dateSignature, others: TIMES, keeps: (at, asked) => at >= asked },
    avant: { of: (card) => card.dateSignature, others: TIMES, keeps: (at, asked) => at <= asked },
    idExterneSyndicat: { of: (card) => card.syndicatIdExterne, others: [...SYNDICATS, 'SYN-9'] },
    idExterneEmploye: { of: (card) => card.employe, others: [...EMPLOYES, 'E-9'] },
    noMembre: { of: (card) => card.noMembre, others: [...NUMBERS, '2'] },
    aSignatureManuscrite: { of: (card) => card.signature, others: [true, false] },
    avecPaiement: { of: (card) => card.paid, others: [true, false] },
  };
  const NAMES = Object.keys(FILTERS);
  const SUBSETS = times(2 ** NAMES.length, (bits) => NAMES.filter((_, index) => bits & (1 << index)));

  /** The expected result, in its simplest form. */
  const passes = (card: Model, filters: Filters): boolean =>
    Object.entries(filters).every(([name, asked]) => {
      const { of, keeps } = FILTERS[name]!;
      const value = String(of(card) ?? '');
      return keeps ? keeps(value, asked) : value === asked;
    });

  let full: OpenTenant;
  let cards: Model[];
  const ask = (path: string, filters: Filters): Promise<Answer<CardItem[]>> =>
    app.send(full.partenaire, 'GET', `${path}?${new URLSearchParams(filters).toString()}`);

  beforeAll(async () => {
    full = await openTenant(app);
    await synced(app, full.partenaire, {
      Syndicats: SYNDICATS.map((IdentifiantExterne) => ({ IdentifiantExterne, Nom: 'S' })),
      // Some have their own number, which is used if none was signed.
      Employes: EMPLOYES.map((IdExterne, index) => ({
        ...{ IdExterne, Prenom: 'P', Nom: 'N', NoMembre: index % 2 ? NUMBERS[index] : null },
      })),
    });
    const card = fc.record({
      employe: fc.constantFrom(...EMPLOYES),
      syndicatIdExterne: fc.constantFrom(...SYNDICATS),
      noMembre: fc.constantFrom(...NUMBERS, null),
      dateSignature: fc.constantFrom(...TIMES),
      signature: fc.boolean(),
      paid: fc.boolean(),
    });
    cards = [];
    for (const one of fc.sample(card, { numRuns: CARDS, seed: SEED })) {
      const { employe, noMembre, signature, paid, ...rest } = one;
      const image = signature ? { imageSignature: PNG } : {};
      const sent = { ...rest, ...image, noMembre, employeIdExterne: employe };
      const { idUniqueAdhesion } = (await signed(app, full.plateforme, sent)).json;
      if (paid) await pay(idUniqueAdhesion, full);
      const own = EMPLOYES.indexOf(employe) % 2 ? NUMBERS[EMPLOYES.indexOf(employe)]! : null;
      cards.push({ ...one, idUniqueAdhesion, noMembre: noMembre ?? own });
    }
    cards.sort(newestFirst);
  });

  it('find exactly the cards of a plain filter over the signed data, in its order', async () => {
    const emptyHanded = new Set(SUBSETS.map((names) => names.join()));
    const question = fc.record({
      anchor: fc.nat(CARDS - 1),
      // Mostly values of one card, because combinations of many filters must find some cards.
      stray: fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }),
      others: fc.tuple(...NAMES.map((name) => fc.constantFrom(...FILTERS[name]!.others))),
    });
    const property = fc.asyncProperty(question, async ({ anchor, stray, others }) => {
      for (const names of SUBSETS) {
        const filters: Filters = {};
        for (const [index, name] of NAMES.entries()) {
          if (!names.includes(name)) continue;
          const value = FILTERS[name]!.of(cards[anchor]!);
          filters[name] = String(value === null || stray.includes(name) ? others[index] : value);
        }
        const expected = cards.filter((card) => passes(card, filters));
        const answer = await ask(V2, filters);
        expect({ filters, found: idsOf(answer) }).toEqual({ filters, found: idsOf({ json: expected }) });
        if (expected.length > 0 && expected.length < CARDS) emptyHanded.delete(names.join());
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
    // Without filters all cards are found; every other combination has found some and not all cards.
    expect([...emptyHanded]).toEqual(['']);
  }, 240_000);

  it('find the same in pages and by the path of the employee', async () => {
    for (const names of SUBSETS.filter((_, index) => index % 5 === 0)) {
      const anchor = cards[names.length * 31]!;
      const filters: Filters = {};
      for (const name of names) filters[name] = String(FILTERS[name]!.of(anchor) ?? '1');
      const expected = idsOf({ json: cards.filter((card) => passes(card, filters)) });
      const limite = Math.max(1, Math.ceil(expected.length / 3));
      const query = new URLSearchParams({ ...filters, limite: String(limite) }).toString();
      const pages = await pagesOf(app, full.partenaire, `${V2}?${query}`);
      expect(idsOf({ json: pages.flat() })).toEqual(expected);
      const own = cards.filter((card) => card.employe === anchor.employe && passes(card, filters));
      expect(idsOf(await ask(`${V2}/${anchor.employe}`, filters))).toEqual(idsOf({ json: own }));
    }
  });

  it('V1 finds the same by its two filters', async () => {
    for (const apres of TIMES) {
      for (const idExterne of EMPLOYES) {
        const expected = cards.filter((card) => card.dateSignature >= apres && card.employe === idExterne);
        expect(idsOf(await ask(V1, { apres, idExterne }))).toEqual(idsOf({ json: expected }));
        expect(idsOf(await ask(`${V1}/${idExterne}`, { apres }))).toEqual(idsOf({ json: expected }));
      }
    }
  });
});
