import { TestApp } from '../setup/test-app';
import { documents, rowsOf } from './markdown';

/** Words of names that are English, abbreviations, or have the same meaning in both languages. */
const ENGLISH = new Set(
  `action add admin api b2b code count created csv data date description detail errors health html http id image
   index instance kind live max message metrics min minute ms null option page pointer production ready role rotation schema
   smtp staging startup status sync test timestamp title total trace transaction type update updated upsert url utc v
   version x
   delayed delivered expanded failed relayed`.split(/\s+/),
);

/** The words of a name, in lower case, without accents and the s of a plural. */
function wordsOf(name: string): string[] {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<=..)[sx]$/, ''));
}

/** Returns the names in a document: properties, parameters, parts of paths, values of enums. */
function namesOf(part: unknown, key = ''): string[] {
  if (Array.isArray(part)) return part.flatMap((one) => (key === 'enum' ? [String(one)] : namesOf(one)));
  if (typeof part !== 'object' || part === null) return [];
  const record = part as Record<string, unknown>;
  const own =
    typeof record.in === 'string' && typeof record.name === 'string' && record.in !== 'header'
      ? [record.name]
      : [];
  const inside = Object.entries(record).flatMap(([name, value]) => {
    if (['example', 'examples', 'headers', 'x-codes', 'x-requires'].includes(name) && key !== 'properties')
      return [];
    const called = key === 'properties' ? [name] : key === 'paths' ? name.split('/') : [];
    return [...called, ...namesOf(value, key === 'properties' ? '' : name)];
  });
  return [...own, ...inside];
}

/** Returns words of the documents that the glossary lacks, each with a name that contains it. */
function missingWords(glossary: string, openapi: readonly unknown[]): string[] {
  const known = new Set([...ENGLISH].flatMap(wordsOf));
  for (const [nouns] of rowsOf(glossary)) for (const word of wordsOf(nouns!)) known.add(word);
  for (const [, noun] of glossary.matchAll(/`(\w+)`|_(\w+)_/g))
    for (const word of wordsOf(noun ?? '')) known.add(word);
  const missing = new Map<string, string>();
  for (const name of openapi.flatMap((document) => namesOf(document)))
    for (const word of wordsOf(name)) if (!known.has(word)) missing.set(word, name);
  return [...missing].map(([word, name]) => `${word} (${name})`);
}

/** Returns nouns with two rows. */
function doubles(glossary: string): string[] {
  const nouns = rowsOf(glossary).flatMap(([cell]) => cell!.split(',').map((noun) => noun.trim()));
  return nouns.filter((noun, place) => nouns.indexOf(noun) !== place);
}

describe('docs/glossary.md', () => {
  const text = documents().get('docs/glossary.md')!;
  let app: TestApp;
  let openapi: unknown[];
  beforeAll(async () => {
    app = await TestApp.start();
    const paths = ['/docs', '/docs/plateforme', '/docs/admin'];
    openapi = await Promise.all(
      paths.map(async (path) => (await app.send(undefined, 'GET', `${path}/openapi.json`)).json as unknown),
    );
  });
  afterAll(() => app.stop());

  it('has every French word of the OpenAPI documents', () => {
    expect(new Set(openapi.flatMap((document) => namesOf(document))).size).toBeGreaterThan(250);
    expect(missingWords(text, openapi)).toEqual([]);
  });

  it('has each noun once', () => {
    expect(doubles(text)).toEqual([]);
  });

  it('a missing word and a duplicate word are reported', () => {
    const rows = text.split('\n');
    const without = rows
      .filter((row) => !row.startsWith('| depouillement') && !row.startsWith('| matricule'))
      .join('\n');
    expect(missingWords(without, openapi)).toEqual([
      expect.stringMatching(/^matricule /),
      expect.stringMatching(/^depouillement /),
    ]);
    expect(doubles(`${text}\n| x | y |\n| --- | --- |\n| matricule | again |\n`)).toEqual(['matricule']);
  });
});
