import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { EXCEPTIONS, TABLES } from './tables';

const ROOT = join(__dirname, '../..');

const OWNERS = new Map(
  Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
);

/** SQL keywords before a table's name. */
const IN_SQL = /\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|ONLY|ON)\s+"?([a-z_0-9]+)\b/g;

/** A further item of a list of tables: `FROM a x, b y`. */
const IN_LIST = /\b(?:FROM|TABLE)\s+[a-z_0-9]+(?: [a-z]+)?((?:, [a-z_0-9]+(?: [a-z]+)?)+)/g;

/** Returns whether a literal is the column of the property of the same name: `Courriel: 'courriel'`, or first in a list. */
function isColumn({ parent: place, text }: ts.StringLiteralLike): boolean {
  const parent = ts.isArrayLiteralExpression(place) ? place.parent : place;
  return ts.isPropertyAssignment(parent) && parent.name.getText().toLowerCase() === text;
}

/** Returns the texts of a source's literals, with a space for each expression of a template. */
function literalsOf(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && !isColumn(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' '),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return texts;
}

/** Returns the tables of other libraries that the literals of a source name. */
function foreignTables(library: string, source: string): string[] {
  const names = literalsOf(source).flatMap((text) => [
    // `table: 'employe'` and other calls that take a table's name.
    ...(OWNERS.has(text) ? [text] : []),
    ...[...text.matchAll(IN_SQL)].map(([, name]) => name!),
    ...[...text.matchAll(IN_LIST)].flatMap(([, list]) =>
      [...list!.matchAll(/, ([a-z_0-9]+)/g)].map(([, n]) => n!),
    ),
  ]);
  return [...new Set(names)].filter((name) => (OWNERS.get(name) ?? library) !== library);
}

/** Files that contain SQL: persistence/ and sql/ of contexts, and all of platform, access and topology. */
function sourcesWithSql(): { file: string; library: string; source: string }[] {
  return globSync('libs/{*/src/**/{persistence,sql}/**/*.{ts,sql},{platform,access,topology}/src/**/*.ts}', {
    cwd: ROOT,
  })
    .filter((file) => !file.endsWith('.spec.ts'))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      // A file of SQL is one literal.
      const source = file.endsWith('.sql') ? JSON.stringify(text) : text;
      return { file, library: file.split('/')[1]!, source };
    });
}

describe('tables of the database', () => {
  it('are named in SQL by their owner only', () => {
    const violations = sourcesWithSql().flatMap(({ file, library, source }) =>
      foreignTables(library, source)
        .filter((table) => !EXCEPTIONS[library]?.[table])
        .map((table) => `${file} names ${table} of ${OWNERS.get(table)}`),
    );
    expect(violations).toEqual([]);
  });

  it.each([
    ['FROM', 'query(`SELECT nom FROM employe WHERE tenant_id = $1`)'],
    ['JOIN after an expression', 'query(`SELECT ${columns} FROM votant v LEFT JOIN employe e ON true`)'],
    ['a list in FROM', 'query("SELECT FROM votant v, employe e")'],
    ['UPDATE', 'query("UPDATE employe SET nom = $1")'],
    ['a property', `new JsonItems({ table: 'employe' })`],
    ['an argument', `missing('employe', 'id')`],
  ])('are found in a statement of another context: %s', (_case, source) => {
    expect(foreignTables('voting', source)).toEqual(['employe']);
    expect(foreignTables('membership', source.replace('votant', 'emploi'))).toEqual([]);
  });

  it('have one owner each, and every exception is used', () => {
    const tables = Object.values(TABLES).flat();
    expect(new Set(tables).size).toBe(tables.length);
    const used = new Set(
      sourcesWithSql().flatMap(({ library, source }) =>
        foreignTables(library, source).map((table) => `${library} ${table}`),
      ),
    );
    const listed = Object.entries(EXCEPTIONS).flatMap(([library, exceptions]) =>
      Object.keys(exceptions).map((table) => `${library} ${table}`),
    );
    expect(listed.filter((exception) => !used.has(exception))).toEqual([]);
  });

  const createdIn = (pattern: string): string[] =>
    globSync(pattern, { cwd: ROOT }).flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          /\bCREATE (?:UNLOGGED )?(?:TABLE|VIEW) "?([a-z_0-9]+)/g,
        ),
      ].map(([, name]) => name!),
    );

  it('are all listed', () => {
    const created = createdIn('migrations/{baseline,since-*}/*.{ts,sql}');
    expect([...new Set(created)].sort()).toEqual([...OWNERS.keys()].sort());
  });

  it('stand in the file of their owner, in the baseline', () => {
    const elsewhere = Object.keys(TABLES).flatMap((owner) =>
      createdIn(`migrations/baseline/${owner}.sql`).filter((name) => OWNERS.get(name) !== owner),
    );
    expect(elsewhere).toEqual([]);
  });
});
