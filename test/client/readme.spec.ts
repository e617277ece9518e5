import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');
const README = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8');
const EXAMPLES = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);

/** Declarations that the examples need: the first example creates them. */
const CONNECTED = `import type { Partenaire } from '@mandat/client'; declare const mandat: Partenaire;\n`;

/** Returns the compiler's errors for each of some examples, as a user of the installed client gets them. */
function faultsOf(examples: readonly string[]): string[][] {
  const files = new Map(
    examples.map((code, at) => [
      join(ROOT, `test/client/example-${at}.mts`),
      code.includes('const mandat =') ? code : CONNECTED + code,
    ]),
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2024.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const code = files.get(file);
    return code === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, code, rest[0]);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  );
}

describe('The README of the client', () => {
  it('has examples that compile against it, without the help of skipLibCheck', () => {
    expect(EXAMPLES.length).toBeGreaterThan(5);
    expect(faultsOf(EXAMPLES)).toEqual(EXAMPLES.map(() => []));
  }, 60_000);

  it('would be caught out by one that does not', () => {
    const [operation, property, body, paged, event] = faultsOf([
      `await mandat.employes.fetch();`,
      `const { data } = await mandat.moi.get(); data.motDePasse;`,
      `await mandat.campagnes.create({ body: { titre: 1 } });`,
      `import { eachItem } from '@mandat/client'; eachItem((page) => mandat.moi.get({ query: page }));`,
      `import { verifyWebhook } from '@mandat/client';
       const event = verifyWebhook({}, '', []); if (event.type === 'webhook.test') event.data.employeNom;`,
    ]) as [string[], string[], string[], string[], string[]];
    expect(operation[0]).toContain(`'fetch' does not exist`);
    expect(property[0]).toContain(`'motDePasse' does not exist`);
    expect(body[0]).toContain(`'number' is not assignable to type 'string'`);
    expect(paged).not.toEqual([]);
    expect(event[0]).toContain(`'employeNom' does not exist`);
  }, 60_000);
});
