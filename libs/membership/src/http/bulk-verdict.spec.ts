import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '#platform/errors/domain-error';
import type { RecordClass } from '#platform/input/field.decorator';
import { InputPipe } from '#platform/input/input.pipe';
import type { RecordDefinition } from '#platform/input/field';
import { RecordValidator } from '#platform/input/record-validator';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { EMPLOYEUR_FIELDS } from '../domain/employeur.fields';
import { EmployeInput } from './employes.dto';
import { EmployeurInput } from './employeurs.dto';

const RECORDS = 2_000;

/** The checked values, or undefined for a record that is refused. */
function bulk(validator: RecordValidator<RecordDefinition>, sent: unknown): object | undefined {
  const { values } = validator.check(sent);
  return values && { ...values };
}

const pipe = new InputPipe();

async function single(metatype: RecordClass, sent: unknown): Promise<object | undefined> {
  try {
    const input = (await pipe.transform(sent, { type: 'body', metatype })) as object;
    // A request class has its absent properties as undefined, a record of a sync does not have them.
    const entries = Object.entries(input);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'Requete.Invalide') return undefined;
    throw error;
  }
}

const SOUND = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };

const values: fc.Arbitrary<unknown> = fc.oneof(
  // Lengths on both sides of every limit, in characters of one, two and more units.
  fc
    .tuple(
      fc.constantFrom('x', 'é', '😀', 'e\u0301', '☎\ufe0f', ' '),
      fc.constantFrom(19, 20, 50, 51, 127, 128, 255, 256, 320, 321),
    )
    .map(([character, length]) => character.repeat(length)),
  fc.constantFrom(
    'zoe@example.org',
    ' zoe@example.org ',
    'zoé@exemple.québec',
    'zoe@example',
    'zoe@',
    '@',
    'a"b@example.org',
    `${'z'.repeat(64)}@example.org`,
    `${'z'.repeat(65)}@example.org`,
    `zoe@${'e'.repeat(63)}.org`,
    `zoe@${'e.'.repeat(130)}org`,
    'zoe@[127.0.0.1]',
    '"z oe"@example.org',
    'zoe@example.org\u0000',
  ),
  fc.constantFrom<unknown>(
    '',
    ' ',
    null,
    0,
    true,
    [],
    {},
    ['Roy'],
    'a\u0000b',
    '\ud800',
    'Roy',
    '2026-01-31',
    '\u00a0\ufeff',
  ),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\u0000', '')),
  fc.emailAddress(),
  fc.jsonValue({ maxDepth: 1 }),
);

/** A sound record with properties changed, added, absent and in the other casing. */
function record(definition: RecordDefinition): fc.Arbitrary<object> {
  const known = Object.keys(definition);
  const other = known.map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  const odd = ['id_externe', 'NOM', '', '__proto__', 'constructor', 'tenantId', 'a/b~c'];
  const name = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known) },
    { weight: 3, arbitrary: fc.constantFrom(...other) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
  const sound = Object.entries(SOUND).filter(([property]) => known.includes(property));
  return fc
    .tuple(
      fc.array(fc.tuple(name, values), { maxLength: 4 }),
      fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.keys(SOUND))),
    )
    .map(([changes, absent]) =>
      Object.fromEntries([...sound.filter(([property]) => property !== absent), ...changes]),
    );
}

describe('a record of a sync and a single write of it', () => {
  it.each<[string, RecordDefinition, RecordClass]>([
    ['employee', EMPLOYE_FIELDS, EmployeInput],
    ['employer', EMPLOYEUR_FIELDS, EmployeurInput],
  ])('%s: both accept it as the same values, or both refuse it', async (_what, definition, type) => {
    const validator = new RecordValidator(definition);
    const verdicts = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(record(definition), async (sent) => {
        const [found, expected] = [bulk(validator, sent), await single(type, sent)];
        // Jest's comparison costs more than both verdicts, and is only needed to show a difference.
        if (!isDeepStrictEqual(found, expected)) expect(found).toStrictEqual(expected);
        verdicts[found ? 'accepted' : 'refused']++;
      }),
      { numRuns: RECORDS },
    );
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(RECORDS / 10);
  });

  it('negative control: the comparison finds a field that only one of them requires, and one character’s difference', async () => {
    const nom = { ...EMPLOYE_FIELDS.nom, required: false, max: 254 };
    const broken = new RecordValidator({ ...EMPLOYE_FIELDS, nom });
    const agree = async (sent: unknown) =>
      isDeepStrictEqual(bulk(broken, sent), await single(EmployeInput, sent));
    const property = fc.asyncProperty(record(EMPLOYE_FIELDS), agree);
    expect((await fc.check(property, { numRuns: RECORDS })).failed).toBe(true);
    expect(await agree({ ...SOUND, nom: 'é'.repeat(254) })).toBe(true);
    expect(await agree({ ...SOUND, nom: 'é'.repeat(255) })).toBe(false);
  });
});
