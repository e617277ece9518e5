import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT, describePython, hasModule, python } from './support/python';

const API = 'src/mandat/api';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-python-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('The generated part of the Python client', () => {
  it('is what the documents give', () => {
    execFileSync(process.execPath, [join(CLIENT, 'generate.mjs'), folder]);
    const files = readdirSync(folder).sort();
    expect(files).toEqual(['__init__.py', 'administration.py', 'partenaire.py', 'plateforme.py']);
    for (const file of files)
      expect(readFileSync(join(CLIENT, API, file), 'utf8')).toBe(readFileSync(join(folder, file), 'utf8'));
  });
});

describePython('The Python test of the generated part', () => {
  const run = (): Promise<{ code: number | null; output: string }> =>
    python(['-m', 'unittest', 'tests/test_generated.py'], { PYTHONPATH: folder });

  it('agrees with the documents, and notices each change of the generated part', async () => {
    cpSync(join(CLIENT, 'src'), folder, { recursive: true });
    expect(await run()).toEqual({ code: 0, output: expect.stringContaining('OK') });
    const module = join(folder, 'mandat/api/partenaire.py');
    const made = readFileSync(module, 'utf8');
    const changes: [given: string, changed: string][] = [
      ['    noMembre: Optional[str]', '    noMembre: str'],
      ['"sync.bloquee"', '"sync.blocked"'],
      ['"If-Match": if_match', '"If-None-Match": if_match'],
      ['"GET", f"/b2b/v1/moi"', '"GET", f"/b2b/v2/moi"'],
      ['class _EmployeInput(TypedDict)', 'class _EmployeInput(TypedDict, total=False)'],
      ['def list(self, *, ', 'def list(self, *, autre: Optional[str] = None, '],
    ];
    for (const [given, changed] of changes) {
      expect(made).toContain(given);
      writeFileSync(module, made.replace(given, changed));
      expect([given, (await run()).code]).toEqual([given, 1]);
    }
  });
});

// A wheel is made by pip, which gets the build backend from a registry unless it is here.
const canBuild = hasModule('flit_core') && hasModule('pip');
if (!canBuild)
  console.warn('The test of the wheel is skipped: Python has no flit_core (pip install flit_core==4.1.0).');
(canBuild ? describe : describe.skip)('The wheel of the Python client', () => {
  it('has the package, its types, and no dependency', async () => {
    const options = ['--no-deps', '--no-index', '--no-build-isolation', '--quiet', '--wheel-dir', folder];
    const { code, output } = await python(['-m', 'pip', 'wheel', ...options, '.']);
    expect([code, output]).toEqual([0, expect.anything()]);
    const [wheel] = readdirSync(folder);
    expect(wheel).toMatch(/^mandat_client-\d+\.\d+\.\d+-py3-none-any\.whl$/);
    const listed = await python(['-m', 'zipfile', '--list', join(folder, wheel!)]);
    const files = listed.output.match(/^mandat\S+/gm)!;
    const expected = readdirSync(join(CLIENT, 'src/mandat'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(CLIENT, 'src/').length));
    expect(files.filter((file) => !file.includes('.dist-info/')).sort()).toEqual(expected.sort());
    expect(expected).toEqual(expect.arrayContaining(['mandat/py.typed', 'mandat/api/partenaire.py']));
    // It works where only the wheel is.
    const used = await python(['-c', 'import mandat; print(mandat.__file__)'], {
      PYTHONPATH: join(folder, wheel!),
    });
    expect(used).toEqual({ code: 0, output: expect.stringContaining('.whl') });
  });
});
