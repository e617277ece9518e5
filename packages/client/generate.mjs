import { createClient } from '@hey-api/openapi-ts';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run client:generate`: makes src/generated of the documents in docs/openapi. With a folder as its argument it writes there.

const HERE = dirname(fileURLToPath(import.meta.url));
const OUTPUT = resolve(process.argv[2] ?? join(HERE, 'src/generated'));

/** Each surface has its document and the class of its operations. */
const SURFACES = { partenaire: 'Partenaire', plateforme: 'Plateforme', administration: 'Administration' };

// Made aside and then put in place whole: a generator that fails leaves what was there.
const made = mkdtempSync(join(tmpdir(), 'client-'));
try {
  for (const [name, containerName] of Object.entries(SURFACES)) {
    await createClient({
      input: join(HERE, '../../docs/openapi', `${name}.json`),
      output: { path: join(made, name), tsConfigPath: join(HERE, 'tsconfig.json') },
      logs: { level: 'error', file: false },
      plugins: [
        { name: '@hey-api/client-fetch', throwOnError: true },
        '@hey-api/typescript',
        {
          name: '@hey-api/sdk',
          // The key is a header of every request; `connect` sets it.
          auth: false,
          // `EmployesV2_list` is `employesV2.list`.
          operations: { strategy: 'single', containerName, nestingDelimiters: /_/ },
        },
      ],
    });
  }
  rmSync(OUTPUT, { recursive: true, force: true });
  cpSync(made, OUTPUT, { recursive: true });
} finally {
  rmSync(made, { recursive: true });
}
