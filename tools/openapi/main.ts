import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { changesBetween, type Document, lineOf } from './compare';
import { fileOf, makeDocuments, NAMES, textOf, writeDocuments } from './documents';

// `npm run openapi` writes the documents of the code to docs/openapi; `-- --since <git ref>` prints the changes since
// then.

const ROOT = process.cwd();

async function main(args: readonly string[]): Promise<void> {
  const [option, ref, ...more] = args;
  if (option === undefined) return write();
  if (option !== '--since' || !ref || more.length > 0)
    throw new Error('Usage: npm run openapi [-- --since <git ref>]');
  await compareWith(ref);
}

async function write(): Promise<void> {
  const changed = writeDocuments(ROOT, await makeDocuments());
  for (const name of NAMES)
    console.log(`${fileOf('.', name)}: ${changed.includes(name) ? 'written' : 'as it was'}`);
}

/** Prints the changes since a commit, breaking changes first. Exit code 1 if there are any breaking ones. */
async function compareWith(ref: string): Promise<void> {
  const documents = await makeDocuments();
  for (const name of NAMES) {
    const before = JSON.parse(stateAt(ref, fileOf('.', name))) as Document;
    const changes = changesBetween(before, JSON.parse(textOf(documents[name])) as Document);
    console.log(`${name}: ${changes.length === 0 ? `nothing changed since ${ref}` : ''}`);
    for (const change of changes) console.log(`  ${lineOf(change)}`);
    if (changes.some(({ breaking }) => breaking)) process.exitCode = 1;
  }
}

function stateAt(ref: string, file: string): string {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' } as const;
    return execFileSync('git', ['show', `${ref}:${file}`], options);
  } catch (error) {
    throw new Error(`${file} cannot be read at ${ref}: ${(error as { stderr?: string }).stderr?.trim()}`, {
      cause: error,
    });
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 2;
});
