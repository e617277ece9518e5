import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const TABLE = readFileSync(join(ROOT, 'docs/conformity.md'), 'utf8');
const ROWS = TABLE.split('\n').filter((line) => line.startsWith('|'));

/** Returns the texts in backticks. */
const codes = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** A route without the names of its parameters. */
const anonymous = (route: string): string => route.replaceAll(/:\w+|\{\w+\}/g, '{}');

/** Returns the routes of a controller. Paths in its decorators are literals, or constants of the same file. */
function routesOf(source: string): string[] {
  const constants = new Map(
    [...source.matchAll(/const (\w+) = '([^']*)'/g)].map(([, name, value]) => [name!, value!]),
  );
  const valueOf = (argument: string): string => {
    const literal = /^'([^']*)'$/.exec(argument)?.[1];
    const value = argument === '' ? '' : (literal ?? constants.get(argument));
    if (value === undefined) throw new Error(`This test cannot read the path ${argument}.`);
    return value;
  };
  let prefix = '';
  return [...source.matchAll(/^ *@(Controller|Get|Post|Put|Patch|Delete)\(([^)]*)\)/gm)].flatMap(
    ([, decorator, argument]) => {
      if (decorator === 'Controller') {
        prefix = valueOf(argument!.trim());
        return [];
      }
      const path = [prefix, valueOf(argument!.trim())].filter((part) => part !== '').join('/');
      return [anonymous(`${decorator!.toUpperCase()} /${path}`)];
    },
  );
}

const controllers = ['libs', 'apps'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.controller.ts'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
);
const declared = controllers.flatMap(routesOf);
const named = codes(ROWS.join('\n'))
  .filter((code) => /^[A-Z]+ \//.test(code))
  .map(anonymous);

describe('docs/conformity.md', () => {
  it('names only existing files', () => {
    const files = codes(TABLE).filter((code) =>
      /^(apps|bench|docs|examples|libs|migrations|test)\//.test(code),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('quotes only titles of the tests that it names', () => {
    const missing = ROWS.flatMap((row) => {
      const shown = row.split(' | ')[2] ?? '';
      const specs = codes(shown).filter((code) => existsSync(join(ROOT, code)));
      const texts = specs.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
      const titles = [...shown.matchAll(/“([^”]+)”/g)].map(([, title]) => title!.replaceAll('\\', ''));
      return titles.filter((title) => !texts.includes(title));
    });
    expect(missing).toEqual([]);
  });

  it('names only routes of controllers', () => {
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((route) => !declared.includes(route))).toEqual([]);
  });

  it('has every route of the three surfaces in a row', () => {
    const ours = declared.filter((route) => /^[A-Z]+ \/(b2b|plateforme|admin)(\/|$)/.test(route));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.filter((route) => !named.includes(route))).toEqual([]);
  });

  it('is compared with every route decorator of the controllers', () => {
    const decorators = controllers.join('\n').match(/@(Get|Post|Put|Patch|Delete|All|Head|Options)\(/g) ?? [];
    expect(declared).toHaveLength(decorators.length);
  });
});
