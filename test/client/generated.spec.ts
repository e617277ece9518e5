import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLIENT = join(__dirname, '../../packages/client');

/** Returns the files of a folder with their content. */
function contentsOf(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  );
}

describe('The generated part of the client', () => {
  let made: Map<string, string>;
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'generated-'));
    try {
      execFileSync(process.execPath, [join(CLIENT, 'generate.mjs'), folder], { stdio: 'pipe' });
      made = contentsOf(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  /** The files that the documents give otherwise. */
  const staleFiles = (committed: Map<string, string>): string[] =>
    [...new Set([...made.keys(), ...committed.keys()])].filter(
      (file) => made.get(file) !== committed.get(file),
    );

  it('is what the documents give; else `npm run client:generate` makes it', () => {
    expect(made.size).toBeGreaterThan(10);
    expect(staleFiles(contentsOf(join(CLIENT, 'src/generated')))).toEqual([]);
  });

  it('changed, missing and additional files are reported', () => {
    const committed = contentsOf(join(CLIENT, 'src/generated'));
    committed.set('partenaire/types.gen.ts', `${committed.get('partenaire/types.gen.ts')}\n`);
    committed.delete('plateforme/sdk.gen.ts');
    committed.set('other.ts', '');
    expect(staleFiles(committed).sort()).toEqual([
      'other.ts',
      'partenaire/types.gen.ts',
      'plateforme/sdk.gen.ts',
    ]);
  });
});
