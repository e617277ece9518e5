import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLIENT = join(__dirname, '../../packages/client');
const GENERATED = join(CLIENT, 'src/generated');

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
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'generated-'));
    cpSync(GENERATED, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const generate = () => execFileSync(process.execPath, [join(CLIENT, 'generate.mjs'), folder]);

  it('offers no parameter of CSV, because the client asks for JSON, and no language in each method', () => {
    const types = readFileSync(join(GENERATED, 'partenaire/types.gen.ts'), 'utf8');
    const document = readFileSync(join(CLIENT, '../../docs/openapi/partenaire.json'), 'utf8');
    for (const name of ['limite', 'Idempotency-Key'])
      expect(types).toMatch(new RegExp(`^ +'?${name}'?\\?: `, 'm'));
    for (const name of ['separateur', 'Accept-Language']) {
      expect(types).not.toMatch(new RegExp(`^ +'?${name}'?\\?: `, 'm'));
      expect(document).toContain(`"name": "${name}"`);
    }
  });

  it('is left as it is if it was made from the documents', () => {
    const made = statSync(join(folder, '.made-from')).mtimeMs;
    generate();
    expect(statSync(join(folder, '.made-from')).mtimeMs).toBe(made);
  });

  it('is replaced if it was made from other documents, or if its files have changed', () => {
    const made = contentsOf(folder);
    expect(made.size).toBeGreaterThan(10);
    writeFileSync(join(folder, '.made-from'), 'other documents');
    writeFileSync(join(folder, 'other.ts'), '');
    generate();
    expect(contentsOf(folder)).toEqual(made);
    rmSync(join(folder, 'partenaire/types.gen.ts'));
    generate();
    expect(contentsOf(folder)).toEqual(made);
  }, 60_000);
});

describe('The package of the client', () => {
  it('contains JavaScript and types, the generated ones included, and no sources', () => {
    const options = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const [{ files }] = JSON.parse(
      execFileSync('npm', options, { cwd: CLIENT, encoding: 'utf8', stdio: 'pipe' }),
    ) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    const others = paths.filter((path) => !path.startsWith('dist/'));
    expect(others.sort()).toEqual(['README.md', 'package.json']);
    for (const name of ['index', 'plateforme', 'administration', 'generated/partenaire/sdk.gen'])
      expect(paths).toEqual(expect.arrayContaining([`dist/${name}.js`, `dist/${name}.d.ts`]));
    expect(paths.filter((path) => !/\.(d\.ts|js)$/.test(path)).sort()).toEqual(others.sort());
  });
});
