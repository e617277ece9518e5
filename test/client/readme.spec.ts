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

type Loose = ReturnType<typeof JSON.parse>;

/** Operations that answer in two forms, of which the service chooses one. */
const CHOSEN_BY_THE_SERVICE = ['Plans_apply', 'SignatureImages_read', 'Signing_sign', 'Signing_get'];

/** Operations whose answer is a result or a task: `taskResult` returns the result of both. */
const TAKEN_BY_TASK_RESULT = ['Electorat_create', 'Identifiants_rename'];

/** Operations whose simulation has the same counts, and more. */
const SIMULATED = ['ListesElectorales_create'];

describe('The answer of an operation that answers in two forms', () => {
  it('is typed by the request where the request decides', () => {
    const body = 'body: { Employes: [] }';
    expect(
      faultsOf([
        `const { data } = await mandat.syncV2.sync({ ${body} }); data.Employes.AddCount;`,
        `import { idempotencyKey } from '@mandat/client';
         const query = { simulation: true };
         const { data } = await mandat.syncV2.sync({ ${body}, query, headers: idempotencyKey() }); data.Emplois.Erreurs;`,
        `const { data } = await mandat.syncV2.sync({ ${body}, headers: { Prefer: 'respond-async' } }); data.etat;`,
        `import { taskResult } from '@mandat/client'; const headers = { Prefer: 'respond-async' };
         (await taskResult(mandat, await mandat.syncV2.sync({ ${body}, headers }))).Employes;`,
        `const { data } = await mandat.plans.create({ ${body} }); data.resume;`,
        `import { taskResult } from '@mandat/client'; const headers = { Prefer: 'respond-async' } as const;
         (await taskResult(mandat, await mandat.plans.create({ ${body}, headers }))).planId;`,
        `import { taskResult } from '@mandat/client';
         (await taskResult(mandat, await mandat.identifiants.rename({ body: [] }))).nombreModifies;`,
        `const { data } = await mandat.votants.upsert({ path: { id: '' }, body: { Nom: 'Roy' } }); data.VotantId;`,
        `const { data } = await mandat.votants.upsert({ path: { id: '' }, body: [{ Nom: 'Roy' }] }); data.Erreurs;`,
      ]),
    ).toEqual([[], [], [], [], [], [], [], [], []]);
    for (const [fault] of faultsOf([
      `const { data } = await mandat.syncV2.sync({ ${body} }); data.etat;`,
      `const headers = { Prefer: 'respond-async' };
       const { data } = await mandat.syncV2.sync({ ${body}, headers }); data.Employes;`,
      `const { data } = await mandat.votants.upsert({ path: { id: '' }, body: [{}] }); data.VotantId;`,
    ]))
      expect(fault).toContain('does not exist');
  }, 60_000);

  it('is known here for each such operation', () => {
    const several = ['partenaire', 'plateforme', 'administration'].flatMap((name) => {
      const { paths } = JSON.parse(readFileSync(join(ROOT, `docs/openapi/${name}.json`), 'utf8'));
      return Object.values<Loose>(paths)
        .flatMap((item) => Object.values<Loose>(item))
        .filter(({ responses }) => {
          const shapes = Object.keys(responses)
            .filter((status) => status < '300')
            .map((status) => JSON.stringify(responses[status].content?.['application/json']?.schema));
          return new Set(shapes).size > 1 || shapes[0]?.includes('"anyOf"');
        })
        .map(({ operationId }) => operationId as string);
    });
    expect(several.sort()).toEqual(
      [
        ...[...CHOSEN_BY_THE_SERVICE, ...TAKEN_BY_TASK_RESULT, ...SIMULATED],
        ...['Plans_create', 'SyncV2_sync', 'Votants_upsert'],
      ].sort(),
    );
  });
});
