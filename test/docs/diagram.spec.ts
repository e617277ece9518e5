import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, ROOT } from './markdown';

const folders = (name: string): string[] => readdirSync(join(ROOT, name)).sort();

/** Returns the imports between contexts. */
function imports(): string[] {
  const contexts = folders('libs').filter(
    (name) => !['platform', 'access', 'topology', 'embedded-postgres'].includes(name),
  );
  return contexts.flatMap((context) => {
    const files = readdirSync(join(ROOT, 'libs', context, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => readFileSync(join(ROOT, 'libs', context, 'src', file), 'utf8'))
      .join('\n');
    return contexts
      .filter((other) => new RegExp(`from '#${other}(/module)?'`).test(sources))
      .map((other) => `${context} --> ${other}`);
  });
}

/** Returns the faults of a drawing: contexts, apps, and arrows between contexts. */
function faultsOf(drawing: string): string[] {
  const group = /subgraph contexts[^\n]*\n([\s\S]*?)\n\s*end/.exec(drawing)![1]!;
  const drawn = group.split('\n').map((line) => line.trim());
  const real = imports();
  const missing = [...folders('apps').map((name) => `apps/${name}`), ...folders('libs')].filter(
    (name) => !drawing.includes(name),
  );
  return [
    ...missing,
    ...real.filter((arrow) => !drawn.includes(arrow)),
    ...drawn.filter((arrow) => !real.includes(arrow)),
  ];
}

describe('The drawing in README.md', () => {
  const drawing = /^```mermaid\n([\s\S]*?)^```$/m.exec(documents().get('README.md')!)![1]!;

  it('has every app and every context, and an arrow for each import between contexts', () => {
    expect(imports().length).toBeGreaterThan(10);
    expect(faultsOf(drawing)).toEqual([]);
  });

  it.each([
    ['a missing arrow', '    voting --> membership\n', '', 'voting --> membership'],
    ['an arrow without an import', 'voting --> membership', 'membership --> voting', 'membership --> voting'],
    ['a missing app', 'apps/cli', 'tools', 'apps/cli'],
  ])('%s is reported', (_what, from, to, found) => {
    expect(faultsOf(drawing.replace(from, to))).toContain(found);
  });
});
