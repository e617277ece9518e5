import fc from 'fast-check';

/** Titles that collide with each other inside a sequence, in title or in slug only; absent: one of its own. */
const TITLES = ['Été', 'ÉTÉ', ' été ', 'Ete', 'Hiver'] as const;

/**
 * The opening and closing of a vote, in hours from now. Time passes by whole hours. Each boundary is half an hour off them
 * and is therefore never near.
 */
export type Window = readonly [ouverture: number, fermeture: number];
const FUTURE: readonly Window[] = [
  [0.5, 4.5],
  [2.5, 10.5],
  [4.5, 4.5],
];
const OPEN: readonly Window[] = [
  [-3.5, 6.5],
  [-0.5, 1.5],
];
const USELESS: readonly Window[] = [
  [-9.5, -1.5],
  [8.5, 3.5],
];

/** The part of a campaign that a PUT changes; the rest is sent as it is. */
export type Change =
  | { readonly what: 'nothing' | 'text' | 'label' | 'random' | 'later' | 'earlier' }
  | { readonly what: 'title'; readonly title?: string | undefined }
  | { readonly what: 'window'; readonly window: Window };

/** Kinds of questions: some have enough options to be published with, some have not. */
export const KINDS = {
  proposition: { Type: 'Proposition' },
  choice: { Type: 'ChoixLibre', Options: [{ Libelle: 'A' }, { Libelle: 'B' }] },
  empty: { Type: 'ChoixLibre' },
  short: { Type: 'Election', MinReponses: 2, MaxReponses: 2, Options: [{ Libelle: 'A' }] },
} as const;
export type Kind = keyof typeof KINDS;

/** Numbers pick one of the records that exist or existed. */
export type Command = { readonly on: number } & (
  | { readonly do: 'create'; readonly title?: string | undefined; readonly window: Window }
  | { readonly do: 'replace'; readonly change: Change }
  | { readonly [D in Plain]: { readonly do: D } }[Plain]
  | { readonly do: 'pass'; readonly hours: number }
  | { readonly do: 'addQuestion'; readonly kind: Kind; readonly ordre?: number | undefined }
  | {
      readonly do: 'replaceQuestion';
      readonly question: number;
      readonly withOptions: boolean;
      readonly ordre?: number | undefined;
    }
  | { readonly do: 'deleteQuestion'; readonly question: number }
  | { readonly do: 'orderQuestions'; readonly shuffle: Shuffle }
  | { readonly do: 'addOption'; readonly question: number; readonly ordre?: number | undefined }
  | {
      readonly do: 'replaceOption';
      readonly question: number;
      readonly option: number;
      readonly ordre?: number | undefined;
    }
  | { readonly do: 'deleteOption'; readonly question: number; readonly option: number }
  | { readonly do: 'orderOptions'; readonly question: number; readonly shuffle: Shuffle }
  | { readonly do: 'deleteVotant'; readonly votant: number }
  | { readonly do: 'setDroit'; readonly votants: readonly number[]; readonly droit: boolean }
);

export type Transition = 'publier' | 'depublier' | 'ouvrir' | 'fermer' | 'archiver';

/** Commands with no parameter other than the campaign. */
type Plain = Transition | 'delete' | 'validation' | 'addVotant' | 'vote';

/** How the ids of a new order are sent: rotated or reversed, or with one left out or unknown. */
export type Shuffle = 'rotated' | 'reversed' | 'without one' | 'one unknown';

const number = fc.nat(7);
const window = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...FUTURE) },
  { weight: 4, arbitrary: fc.constantFrom(...OPEN) },
  { weight: 1, arbitrary: fc.constantFrom(...USELESS) },
);
const title = fc.option(fc.constantFrom(...TITLES), { nil: undefined, freq: 3 });
const ordre = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 });
const kind = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Kind>('proposition', 'choice') },
  { weight: 1, arbitrary: fc.constantFrom<Kind>('empty', 'short') },
);
const shuffle = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Shuffle>('rotated', 'reversed') },
  { weight: 1, arbitrary: fc.constantFrom<Shuffle>('without one', 'one unknown') },
);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ what: fc.constantFrom('nothing', 'text', 'label', 'random', 'later', 'earlier') }),
  fc.record({ what: fc.constant('title' as const), title }),
  fc.record({ what: fc.constant('window' as const), window }),
);

const plain = fc.constantFrom(
  ...(['publier', 'publier', 'depublier', 'depublier', 'ouvrir', 'fermer', 'archiver'] as const),
  ...(['delete', 'delete', 'validation', 'addVotant', 'vote', 'vote'] as const),
);

/** Mostly the campaign that was made first; otherwise few commands would have an effect. */
const on = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: number });

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), on, title, window }) },
  { weight: 11, arbitrary: fc.record({ do: plain, on }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('replace' as const), on, change }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), on, hours: fc.constantFrom(1, 3, 5, 9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('addQuestion' as const), on, kind, ordre }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('replaceQuestion' as const), on, question: number },
      ...{ withOptions: fc.boolean(), ordre },
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteQuestion' as const), on, question: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('orderQuestions' as const), on, shuffle }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('addOption' as const), on, question: number, ordre }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('replaceOption' as const), on, question: number, option: number, ordre },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('deleteOption' as const), on, question: number, option: number },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('orderOptions' as const), on, question: number, shuffle }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteVotant' as const), on, votant: number }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('setDroit' as const), on, droit: fc.boolean() },
      votants: fc.uniqueArray(number, { minLength: 1, maxLength: 2 }),
    }),
  },
);

/** The commands that a campaign starts with. Without them most sequences would be refused from beginning to end. */
const start = fc
  .record({
    window,
    title,
    kinds: fc.array(kind, { maxLength: 2 }),
    votants: fc.constantFrom(1, 1, 1, 0),
    then: fc.constantFrom<Plain[]>([], ['publier'], ['publier', 'ouvrir'], ['publier', 'vote']),
  })
  .map(({ window, title, kinds, votants, then }): Command[] => [
    { do: 'create', on: 0, title, window },
    ...kinds.map((kind): Command => ({ do: 'addQuestion', on: 0, kind })),
    ...Array.from({ length: votants }, (): Command => ({ do: 'addVotant', on: 0 })),
    ...then.map((plain): Command => ({ do: plain, on: 0 })),
  ]);

/** Commands that matter most in a row and seldom follow each other by chance. */
const chain = fc
  .record({
    on,
    chain: fc.constantFrom<(Plain | Change)[]>(
      ['publier', 'vote', 'depublier'],
      ['vote', 'delete'],
      ['fermer', 'publier'],
      ['fermer', 'addVotant'],
      ['depublier', 'publier', 'ouvrir'],
      ['publier', { what: 'earlier' }],
      ['ouvrir', { what: 'earlier' }],
    ),
  })
  .map(({ on, chain }) =>
    chain.map((one): Command =>
      typeof one === 'string' ? { do: one, on } : { do: 'replace', on, change: one },
    ),
  );

/** A campaign takes a title, and another one the same or nearly so. */
const namesakes = fc
  .record({ on, window, one: fc.constantFrom(...TITLES), other: fc.constantFrom(...TITLES) })
  .map(({ on, window, one, other }): Command[] => [
    { do: 'create', on, title: one, window },
    { do: 'replace', on, change: { what: 'title', title: other } },
  ]);

const some = fc.oneof(
  { weight: 12, arbitrary: command.map((one) => [one]) },
  { weight: 4, arbitrary: chain },
  { weight: 1, arbitrary: namesakes },
);

/** 4 to 14 commands. */
export const sequence: fc.Arbitrary<Command[]> = fc
  .tuple(start, fc.array(some, { minLength: 3, maxLength: 7 }))
  .map(([first, others]) => [...first, ...others.flat()].slice(0, 14));
