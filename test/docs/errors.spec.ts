import type { ErrorDefinition } from '../../libs/platform/src/errors/error-definition';
import { verbatim } from '../../libs/platform/src/errors/text';
import { ERRORS } from '../../apps/partner-api/src/errors';
import { documents, rowsOf } from './markdown';

const REGISTRY: Readonly<Record<string, ErrorDefinition>> = Object.fromEntries(ERRORS);

/** Returns the differences between the tables of a text and the registry. */
function faultsOf(text: string, registry: Readonly<Record<string, ErrorDefinition>>): string[] {
  const rows = rowsOf(text).filter(([code]) => /^`[A-Z]\w+\.\w+`$/.test(code!));
  const said = rows.map((cells) => cells.join(' | '));
  const meant = Object.entries(registry).map(([code, { status, title, description }]) =>
    [`\`${code}\``, status, title.en, description.en].join(' | '),
  );
  return [
    ...meant.filter((row) => !said.includes(row)).map((row) => `missing: ${row}`),
    ...said
      .filter((row, place) => !meant.includes(row) || said.indexOf(row) !== place)
      .map((row) => `wrong: ${row}`),
  ];
}

describe('docs/errors.md', () => {
  const text = documents().get('docs/errors.md')!;

  it('has each code once, with its status, title and description', () => {
    expect(Object.keys(REGISTRY).length).toBeGreaterThan(70);
    expect(faultsOf(text, REGISTRY)).toEqual([]);
  });

  it('has a row for every status', () => {
    const statuses = new Set(Object.values(REGISTRY).map(({ status }) => String(status)));
    const rows = rowsOf(text).filter(([status]) => /^\d{3}$/.test(status!));
    expect(new Set(rows.map(([status]) => status))).toEqual(statuses);
  });

  const NOT_FOUND = REGISTRY['Employe.NotFound']!;
  it.each<[string, Readonly<Record<string, ErrorDefinition>>]>([
    ['a new code', { ...REGISTRY, 'Neuf.Neuf': NOT_FOUND }],
    ['another status', { ...REGISTRY, 'Employe.NotFound': { ...NOT_FOUND, status: 410 } }],
    [
      'another description',
      { ...REGISTRY, 'Employe.NotFound': { ...NOT_FOUND, description: verbatim('Gone.') } },
    ],
    ['a removed code', Object.fromEntries(Object.entries(REGISTRY).slice(1))],
  ])('%s is reported', (_what, registry) => {
    expect(faultsOf(text, registry)).not.toEqual([]);
  });

  it('a duplicate row is reported', () => {
    const row = text.split('\n').find((line) => line.includes('`Employe.NotFound`'))!;
    expect(faultsOf(text.replace(row, `${row}\n${row}`), REGISTRY)).toEqual([
      expect.stringContaining('wrong: '),
    ]);
  });
});
