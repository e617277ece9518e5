import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../errors/domain-error';
import { InputPipe } from './input.pipe';
import { InputOf } from './record-classes';
import { type RecordDefinition, readOnly, text } from './field';
import { RecordValidator } from './record-validator';
import { words } from '../../../../test/setup/words';

const RECORDS = 3_000;

const description = 'A field.';

/** Every kind of field that a record of a bulk write can have, once required and once not. */
const FIELDS = {
  nom: text(5, { required: true, description }),
  note: text(5, { description }),
  courriel: text(320, { format: 'email', description }),
  lien: text(40, { format: 'uuid', description }),
  rang: { kind: 'integer', min: 1, max: 9, required: true, description },
  points: { kind: 'integer', min: -2, max: 2, description },
  actif: { kind: 'boolean', required: true, description },
  note2: { kind: 'boolean', description },
  debut: { kind: 'date', required: true, description },
  fin: { kind: 'date', description },
  signe: { kind: 'date', notAhead: true, description },
  sorte: { kind: 'choice', values: ['un', 'deux'], required: true, description },
  choix: { kind: 'choice', values: ['un', 'deux'], description },
  idUnique: readOnly(description, 'x'),
} as const satisfies RecordDefinition;

const SOUND = { nom: 'Roy', rang: 3, actif: true, debut: '2026-01-31', sorte: 'un' };

const validator = new RecordValidator(FIELDS);
class Single extends InputOf(FIELDS) {}
const pipe = new InputPipe();

type Verdict = { values: object } | { refused: true };

function bulk(sent: unknown, by: RecordValidator<RecordDefinition> = validator): Verdict {
  const { values } = by.check(sent);
  return values ? { values: { ...values } } : { refused: true };
}

async function single(sent: unknown): Promise<Verdict> {
  try {
    return { values: { ...((await pipe.transform(sent, { type: 'body', metatype: Single })) as object) } };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'Requete.Invalide') return { refused: true };
    throw error;
  }
}

const names = Object.keys(FIELDS).flatMap((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]);
const oddNames = [...words(`NOM nom2 __proto__ constructor toString length a/b~c`), 'Nom ', '', '\ud800'];
const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...['Roy', ' Roy ', 'Roy-R', 'Roy-Ro', '', ' \t', '😀😀😀😀😀', '😀😀😀😀😀😀', 'e\u0301'.repeat(3)],
    ...['☎\ufe0f☎\ufe0f☎\ufe0f', '\u0000', 'a\ud800', '\udc00', '\u00a0', '\ufeff', ' deux ', null, true],
    ...words(`
      un Un true 3 null 2026-01-31 2026-02-30 2026-01-31T13:00:00 2026-01-31T13:00:00+05:00 0000-01-01 9999-12-31
      0198c2d46f0e7b3a9c552f1d8e0a4b11 0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b11 0198C2D4-6F0E-7B3A-9C55-2F1D8E0A4B11
    `),
    ...[false, 0, -0, 1, 9, 10, -2, -3, 1.5, 1e21, 2 ** 53, [], {}, [null], ['Roy'], [3], { nom: 'Roy' }],
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 1 }),
);

/** Values that some field takes, by its name, beside those that are odd for any. */
const FITTING: Record<string, unknown[]> = {
  nom: ['Roy', ' Roy-R ', '😀😀😀😀😀'],
  note: ['', null, 'e\u0301'],
  courriel: ['a@example.org', ' ', null],
  lien: ['0198C2D4-6F0E-7B3A-9C55-2F1D8E0A4B11', null],
  rang: [1, 9],
  points: [-2, 0, 2, null],
  actif: [true, false],
  note2: [true, null],
  debut: ['2026-01-31T13:00:00+05:00', ' 9999-12-31 '],
  fin: ['0001-01-01', '', null],
  signe: ['0001-01-01', '2999-01-01', null],
  sorte: ['un', ' deux '],
  choix: ['deux', '', null],
  idUnique: [5, {}, 'anything'],
};

const emails = fc.oneof(
  fc.constantFrom(
    ...words('a@example.org a@b a@ @ é@exemple.québec a"b@example.org a@[127.0.0.1]'),
    ...['a@example.org\n', 'a@example.org\u0000', 'a b@example.org', '"a b"@example.org'],
    ...[`${'a'.repeat(64)}@example.org`, `${'a'.repeat(65)}@example.org`, `a@${'e'.repeat(63)}.org`],
    `a@${'e.'.repeat(130)}org`,
  ),
  fc.emailAddress(),
);
const fitting = Object.entries(FITTING).flatMap(([name, all]) => all.map((value) => [name, value] as const));
const change = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...fitting) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...names), values) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('courriel'), emails) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...oddNames), values) },
);

const absent = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  fc.constantFrom(...Object.keys(SOUND)),
);
/** A sound record with some properties changed, added or absent. */
const record = fc.tuple(fc.array(change, { maxLength: 4 }), absent).map(([changes, left]): unknown => {
  const sound = Object.entries(SOUND).filter(([name]) => name !== left);
  return Object.fromEntries([...sound, ...changes]);
});
const sendings = fc.oneof({ weight: 30, arbitrary: record }, { weight: 1, arbitrary: values });

describe('RecordValidator', () => {
  it('accepts and rejects the same records as a single write, with the same values', async () => {
    const verdicts = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(sendings, async (sent) => {
        const [verdict, expected] = [bulk(sent), await single(sent)];
        // Jest's comparison costs more than both verdicts, and is only needed to show a difference.
        if (!isDeepStrictEqual(verdict, expected)) expect(verdict).toStrictEqual(expected);
        verdicts['values' in verdict ? 'accepted' : 'refused']++;
      }),
      { numRuns: RECORDS },
    );
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(RECORDS / 10);
  });

  it.each<[string, RecordDefinition]>([
    ['a limit one shorter', { ...FIELDS, nom: { ...FIELDS.nom, max: 4 } }],
    ['a field not required', { ...FIELDS, rang: { ...FIELDS.rang, required: false } }],
    ['an e-mail as any text', { ...FIELDS, courriel: text(320, { description }) }],
    ['a range one wider', { ...FIELDS, points: { ...FIELDS.points, max: 3 } }],
    ['a choice less', { ...FIELDS, choix: { ...FIELDS.choix, values: ['un'] } }],
  ])('negative control: the comparison finds %s', async (_what, definition) => {
    const broken = new RecordValidator(definition);
    const sent = [{ nom: 'Roy-R' }, { rang: null }, { courriel: 'a@b' }, { points: 3 }, { choix: 'deux' }];
    const differing = await Promise.all(
      sent.map(async (change) => {
        const record = { ...SOUND, ...change };
        return 'values' in bulk(record, broken) !== 'values' in (await single(record));
      }),
    );
    expect(differing.filter(Boolean)).toHaveLength(1);
  });

  it.each<[object | null, string]>([
    [null, 'the record must be an object'],
    [[SOUND], 'the record must be an object'],
    [{ nom: undefined, rang: undefined }, 'nom is required; rang is required'],
    [{ nom: '  ' }, 'nom is required'],
    [{ nom: null }, 'nom is required'],
    [{ nom: 5 }, 'nom must be text'],
    [{ nom: 'Roy-Ro' }, 'nom must have at most 5 characters'],
    [{ Nom: 'Roy' }, 'Nom is sent twice, in two casings; send it once'],
    [{ nom: 'a\u0000' }, 'nom must not contain the character U+0000'],
    [{ note: 'a\ud800' }, 'note must not contain half of a surrogate pair'],
    [{ surnom: 'x' }, expect.stringMatching(/^surnom is not a property of this record; known are nom, /)],
    [
      { rangs: 'x' },
      expect.stringMatching(/^rangs is not a property of this record; nearest is rang; known are /),
    ],
    // The published words, without the name (docs/contract.md, "Employees").
    [{ courriel: 'a@b' }, 'invalid e-mail'],
    [{ lien: 'x' }, 'lien must be a GUID'],
    [{ rang: 10 }, 'rang must be from 1 to 9'],
    [{ rang: '3' }, 'rang must be a whole number'],
    [{ points: 1.5 }, 'points must be a whole number'],
    [{ actif: 'true' }, 'actif must be true or false'],
    [
      { debut: '30/01/2026' },
      'debut must be an ISO 8601 date-time with Z or an offset, such as 2026-01-31T13:00:00Z, or a date AAAA-MM-JJ',
    ],
    [{ debut: '2026-02-30' }, expect.stringMatching(/or a date AAAA-MM-JJ; this day does not exist$/)],
    [{ choix: 'trois' }, 'choix must be one of un, deux'],
    [{ nom: 'Roy-Ro', courriel: 'a@b' }, 'nom must have at most 5 characters; invalid e-mail'],
  ])('%j is rejected: %s', (change, fault) => {
    const sent = change === null || Array.isArray(change) ? change : { ...SOUND, ...change };
    expect(validator.check(JSON.parse(JSON.stringify(sent)))).toEqual({
      fault: expect.objectContaining({ en: fault }),
    });
  });

  it('a rejection lists ten faults, the known names once, and the number of further faults', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x${index}`, index]));
    const { fault } = validator.check({ ...SOUND, ...many });
    expect(fault!.en.split('; ')).toHaveLength(12);
    expect(fault!.en).toMatch(/; and 2 faults more$/);
  });
});
