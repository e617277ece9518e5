import fc from 'fast-check';
import { DomainError } from '#platform/errors/domain-error';
import type { NestedOptionRecord, QuestionRecord } from './question.fields';
import { contentOf, moved, optionsOf, type QuestionContent } from './question.rules';

const RUNS = { numRuns: 500 };

type Sent = Partial<QuestionRecord>;

const record = (sent: Sent): QuestionRecord => ({ Titre: 'Qui ?', Type: 'ChoixLibre', ...sent });
const content = (sent: Sent): QuestionContent => contentOf(record(sent));

/** Error code and validation errors of a refused question. */
function refusal(sent: Sent): { code: string; faults: string[] } | undefined {
  try {
    content(sent);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, members } = error;
    return { code, faults: (members.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail.en}`) };
  }
}
const invalid = (...faults: string[]) => ({ code: 'Requete.Invalide', faults });

const TYPES = ['Proposition', 'ChoixLibre', 'Election'] as const;
const count = fc.option(fc.integer({ min: 1, max: 500 }), { nil: null });
const questions: fc.Arbitrary<Sent> = fc.record(
  {
    Type: fc.constantFrom(...TYPES),
    EstPreferentiel: fc.option(fc.boolean()),
    OrdreReponsesAleatoire: fc.option(fc.integer({ min: 0, max: 2 })),
    MinReponses: count,
    MaxReponses: count,
    NombreElus: count,
  },
  { requiredKeys: ['Type'] },
);

describe('the defaults of a question', () => {
  it.each([
    ['Proposition', { minReponses: 1, maxReponses: 1, nombreElus: null }],
    ['ChoixLibre', { minReponses: 1, maxReponses: 1, nombreElus: null }],
    ['Election', { minReponses: 1, maxReponses: 1, nombreElus: 1 }],
  ] as const)('are those of its type: %s', (Type, expected) => {
    expect(content({ Type })).toEqual({
      ...{ titre: 'Qui ?', description: null, type: Type, estPreferentiel: false },
      ...{ ordreReponsesAleatoire: 0, ...expected },
    });
  });

  it('null says as little as absence', () => {
    const nulls = {
      ...{ Description: null, EstPreferentiel: null, OrdreReponsesAleatoire: null, Ordre: null },
      ...{ MinReponses: null, MaxReponses: null, NombreElus: null, Options: null },
    };
    for (const Type of TYPES) expect(content({ Type, ...nulls })).toEqual(content({ Type }));
  });

  it('keep what is sent', () => {
    const sent = {
      ...{ Titre: 'T', Description: 'D', Type: 'Election' as const, EstPreferentiel: true },
      ...{ OrdreReponsesAleatoire: 2, MinReponses: 2, MaxReponses: 5, NombreElus: 3 },
    };
    expect(contentOf(sent)).toEqual({
      ...{ titre: 'T', description: 'D', type: 'Election', estPreferentiel: true },
      ...{ ordreReponsesAleatoire: 2, minReponses: 2, maxReponses: 5, nombreElus: 3 },
    });
  });

  it.each<[string, Sent, number | null]>([
    ['1 of a free choice', {}, 1],
    ['as many as are elected', { Type: 'Election', NombreElus: 4 }, 4],
    ['at least the fewest of a free choice', { MinReponses: 3 }, 3],
    ['at least the fewest of an election', { Type: 'Election', NombreElus: 2, MinReponses: 3 }, 3],
    ['all where options are ranked', { EstPreferentiel: true }, null],
    ['all where persons are ranked', { Type: 'Election', NombreElus: 2, EstPreferentiel: true }, null],
    ['all where some must be ranked', { EstPreferentiel: true, MinReponses: 3 }, null],
  ])('give as the most answers %s', (_what, sent, most) => {
    expect(content(sent).maxReponses).toBe(most);
  });
});

describe('a question that says what cannot be together', () => {
  it('is refused as a ranked Proposition, before anything else about it', () => {
    const ranked = { Type: 'Proposition', EstPreferentiel: true } as const;
    for (const sent of [ranked, { ...ranked, NombreElus: 2, MinReponses: 5, MaxReponses: 1 }]) {
      expect(refusal(sent)?.code).toBe('Question.PreferentielNonSupporte');
    }
    for (const Type of ['ChoixLibre', 'Election'] as const)
      expect(refusal({ Type, EstPreferentiel: true })).toBe(undefined);
    expect(refusal({ Type: 'Proposition', EstPreferentiel: false })).toBe(undefined);
  });

  it.each(['Proposition', 'ChoixLibre'] as const)('is refused as a %s with seats', (Type) => {
    const detail = '/NombreElus is for the type Election only';
    expect(refusal({ Type, NombreElus: 1 })).toEqual(invalid(detail));
    expect(refusal({ Type, NombreElus: null })).toBe(undefined);
  });

  it('is refused with fewer answers at most than at least', () => {
    const detail = '/MaxReponses must not be below MinReponses';
    expect(refusal({ MinReponses: 2, MaxReponses: 1 })).toEqual(invalid(detail));
    expect(refusal({ Type: 'Election', NombreElus: 5, MinReponses: 4, MaxReponses: 3 })).toEqual(
      invalid(detail),
    );
    expect(refusal({ EstPreferentiel: true, MinReponses: 2, MaxReponses: 1 })).toEqual(invalid(detail));
    expect(refusal({ MinReponses: 2, MaxReponses: 2 })).toBe(undefined);
  });

  it('a Proposition with several answers is refused with a pointer to the property', () => {
    const Type = 'Proposition';
    const detail = 'must be 1: a Proposition has one answer';
    expect(refusal({ Type, MaxReponses: 2 })).toEqual(invalid(`/MaxReponses ${detail}`));
    expect(refusal({ Type, MinReponses: 2 })).toEqual(invalid(`/MinReponses ${detail}`));
    expect(refusal({ Type, MinReponses: 2, MaxReponses: 2 })).toEqual(invalid(`/MinReponses ${detail}`));
    expect(refusal({ Type, MinReponses: 1, MaxReponses: 1 })).toBe(undefined);
  });

  it('all faults are returned at once', () => {
    expect(refusal({ Type: 'ChoixLibre', NombreElus: 2, MinReponses: 3, MaxReponses: 2 })?.faults).toEqual([
      '/NombreElus is for the type Election only',
      '/MaxReponses must not be below MinReponses',
    ]);
  });

  it('is the only one that is refused; every other can be counted', () => {
    let kept = 0;
    fc.assert(
      fc.property(questions, (sent) => {
        if (refusal(sent)) return;
        kept++;
        const { type, estPreferentiel, minReponses, maxReponses, nombreElus } = content(sent);
        expect(minReponses).toBeGreaterThanOrEqual(1);
        expect(maxReponses ?? Infinity).toBeGreaterThanOrEqual(minReponses);
        expect(nombreElus !== null).toBe(type === 'Election');
        if (maxReponses === null) expect(estPreferentiel).toBe(true);
        if (type === 'Proposition')
          expect([estPreferentiel, minReponses, maxReponses]).toEqual([false, 1, 1]);
      }),
      RUNS,
    );
    // One that refused everything would pass the above.
    expect(kept).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('changes nothing when what was made of it is sent again', () => {
    fc.assert(
      fc.property(questions, (sent) => {
        if (refusal(sent)) return;
        const first = content(sent);
        const again = contentOf({
          ...{ Titre: first.titre, Description: first.description, Type: first.type },
          ...{ EstPreferentiel: first.estPreferentiel, OrdreReponsesAleatoire: first.ordreReponsesAleatoire },
          ...{ MinReponses: first.minReponses, MaxReponses: first.maxReponses, NombreElus: first.nombreElus },
        });
        expect(again).toEqual(first);
      }),
      RUNS,
    );
  });
});

describe('the options of a question', () => {
  const labels = (sent: Sent): string[] => optionsOf(record(sent)).map(({ Libelle }) => Libelle);

  it.each([undefined, null, []])('are Pour and Contre of a Proposition that is sent with %j', (Options) => {
    const sent = Options === undefined ? {} : { Options };
    expect(labels({ Type: 'Proposition', ...sent })).toEqual(['Pour', 'Contre']);
    for (const Type of ['ChoixLibre', 'Election'] as const) expect(labels({ Type, ...sent })).toEqual([]);
  });

  it('are those of a Proposition that is sent with some', () => {
    expect(labels({ Type: 'Proposition', Options: [{ Libelle: 'Oui' }] })).toEqual(['Oui']);
  });

  it.each<[string, (number | null | undefined)[], string]>([
    ['their list where none has a place', [undefined, null, undefined], 'A B C'],
    ['their places', [3, 1, 2], 'B C A'],
    ['their places, which need not be next to each other', [40, 7, 500], 'B A C'],
    ['their list where places are the same', [1, 1, 1], 'A B C'],
    ['their places, and those without in between', [3, undefined, 1], 'C B A'],
    ['their list where a place is that of another', [2, undefined, undefined], 'A B C'],
  ])('are in the order of %s', (_what, places, expected) => {
    const Options = places.map((place, index): NestedOptionRecord => ({
      Libelle: 'ABC'.charAt(index),
      ...(place === undefined ? {} : { Ordre: place }),
    }));
    expect(labels({ Options }).join(' ')).toBe(expected);
  });

  it('are all that were sent, each as it was sent', () => {
    const option = fc.record(
      {
        Libelle: fc.string({ minLength: 1 }),
        Ordre: fc.option(fc.integer({ min: 1, max: 500 })),
        Id: fc.uuid(),
      },
      { requiredKeys: ['Libelle'] },
    );
    fc.assert(
      fc.property(fc.array(option, { minLength: 1 }), (Options) => {
        const sent = structuredClone(Options);
        const found = optionsOf(record({ Options }));
        expect(new Set(found)).toEqual(new Set(Options));
        expect(found).toHaveLength(Options.length);
        expect(Options).toEqual(sent);
      }),
      RUNS,
    );
  });
});

describe('moved', () => {
  const lists = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 20 }).chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      id: fc.constantFrom(...ids),
      place: fc.integer({ min: 1, max: 40 }),
    }),
  );

  it('has every element once, the moved one at its place, the others as they were', () => {
    fc.assert(
      fc.property(lists, ({ ids, id, place }) => {
        const before = [...ids];
        const after = moved(ids, id, place);
        expect(after.toSorted()).toEqual(ids.toSorted());
        expect(after.indexOf(id)).toBe(Math.min(place, ids.length) - 1);
        const others = (list: string[]): string[] => list.filter((one) => one !== id);
        expect(others(after)).toEqual(others(ids));
        expect(ids).toEqual(before);
      }),
      RUNS,
    );
  });

  it('changes nothing where the element is at its place', () => {
    fc.assert(
      fc.property(lists, ({ ids, id }) => {
        expect(moved(ids, id, ids.indexOf(id) + 1)).toEqual(ids);
      }),
      RUNS,
    );
  });

  it.each([
    [1, 'C A B D'],
    [2, 'A C B D'],
    [3, 'A B C D'],
    [4, 'A B D C'],
    [5, 'A B D C'],
    [500, 'A B D C'],
  ])('to place %i', (place, expected) => {
    expect(moved(['A', 'B', 'C', 'D'], 'C', place).join(' ')).toBe(expected);
  });
});
