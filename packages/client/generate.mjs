import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientDocumentOf, documentOf, SURFACES } from '../surfaces.mjs';

// Generates src/generated from docs/openapi, unless it is up to date. With a folder as its argument it writes there.

const HERE = dirname(fileURLToPath(import.meta.url));
const OUTPUT = resolve(process.argv[2] ?? join(HERE, 'src/generated'));

/** Identifies the generated files and what they were made from. */
const STAMP = join(OUTPUT, '.made-from');

const generator = createRequire(import.meta.url).resolve('@hey-api/openapi-ts/package.json');
const PROGRAMS = [fileURLToPath(import.meta.url), join(HERE, '../surfaces.mjs')];
const INPUTS = [...Object.keys(SURFACES).map(documentOf), generator, ...PROGRAMS];

/** Returns a hash of the inputs and of the generated files. Times of files differ between clones. */
function state() {
  const entries = readdirSync(OUTPUT, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const outputs = files.filter((file) => file !== STAMP).sort();
  const hash = createHash('sha256');
  for (const file of INPUTS) hash.update(readFileSync(file));
  for (const file of outputs) hash.update(relative(OUTPUT, file)).update(readFileSync(file));
  return hash.digest('hex');
}

const isUpToDate = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state();

async function generate() {
  // The generator takes a second to load.
  const { createClient } = await import('@hey-api/openapi-ts');
  // A failed generation leaves the files of the last one.
  const made = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    for (const [name, containerName] of Object.entries(SURFACES)) {
      await createClient({
        input: clientDocumentOf(name),
        output: { path: join(made, name), tsConfigPath: join(HERE, 'tsconfig.json') },
        logs: { level: 'silent', file: false },
        plugins: [
          { name: '@hey-api/client-fetch', throwOnError: true },
          '@hey-api/typescript',
          {
            name: '@hey-api/sdk',
            // `connect` sets the key as a header of every request.
            auth: false,
            // `EmployesV2_list` is `employesV2.list`.
            operations: { strategy: 'single', containerName, nestingDelimiters: /_/ },
          },
        ],
      });
    }
    rmSync(OUTPUT, { recursive: true, force: true });
    cpSync(made, OUTPUT, { recursive: true });
    writeFileSync(STAMP, state());
  } finally {
    rmSync(made, { recursive: true });
  }
}

if (!isUpToDate()) await generate();
