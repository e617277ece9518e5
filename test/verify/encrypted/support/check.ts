import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasModule, python } from '../../../client-python/support/python';
import { type Made } from '../../support/bundle';
import { verifier } from '../../support/verifier';

const EXAMPLES = join(__dirname, '../../../../examples');

/** Verifies a bundle in this process. Returns the differences as `file:line: figure`. */
export async function differences({ tar, jwks, emargement }: Made, withRoll = false): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  try {
    const [bundle, register] = [join(folder, 'dossier.tar'), join(folder, 'emargement.ndjson')];
    writeFileSync(bundle, tar);
    writeFileSync(register, emargement);
    const { findings } = await verifier.verifyBundle({
      bundle,
      keys: verifier.readKeys(Buffer.from(jwks), 'jwks.json'),
      held: { notes: [], receipts: [], proofs: [], attestations: [], growths: [] },
      voters: [],
      ...(withRoll ? { register } : {}),
    });
    return findings.differences.map(({ fichier, ligne, chiffre }) => {
      const file = fichier.replace(`${folder}/`, '');
      return `${file}${ligne === undefined ? '' : `:${ligne}`}: ${chiffre}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The program ends without libsodium. */
const VARIABLES = { PYTHONPATH: EXAMPLES, PYTHONDONTWRITEBYTECODE: '1' };
const isHere = hasModule('verify_encrypted', VARIABLES);
if (!isHere)
  console.warn(
    'Tests of the second verifier of encrypted votes are skipped: they need Python and libsodium (PYTHON and LIBSODIUM name others).',
  );

/** Describes tests of the verifier in Python. */
export const describePython = isHere ? describe : describe.skip;

const ALL = `
import sys, verify_encrypted
for path in sys.argv[1:]:
    verify_encrypted.main(path)
`;

/** Verifies bundles by the verifier in Python. Returns the lines that it writes for each, without the last one. */
export async function differencesInPython(bundles: readonly Made[]): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'verify-'));
  try {
    const paths = bundles.map(({ tar }, index) => {
      const path = join(folder, `${index}.tar`);
      writeFileSync(path, tar);
      return path;
    });
    const { code, output } = await python(['-c', ALL, ...paths], VARIABLES);
    if (code !== 0) throw new Error(output);
    const found: string[][] = [[]];
    for (const line of output.trimEnd().split('\n'))
      if (line !== 'ALL EQUAL' && line !== 'DIFFERS') found.at(-1)!.push(line);
      else found.push([]);
    return found.slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
