import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolved } from '../../tools/openapi/resolve';

const ROOT = join(__dirname, '../..');

/** A document as loosely as a test changes it. */
type Loose = ReturnType<typeof JSON.parse>;

const PATH = '/plateforme/v1/campagnes/{id}/recus/{recu}';

/** A fault for each rule that it breaks. */
const FAULTS: Record<string, (document: Loose) => unknown> = {
  'operation-description': (document) => delete read(document).description,
  'info-contact': (document) => delete document.info.contact,
  'operation-tag-defined': (document) => (document.tags = []),
  'oas3-unused-component': (document) => (document.components.schemas.Rien = { type: 'object' }),
  'oas3-valid-schema-example': (document) => (read(document).parameters[0].schema.example = 7),
  'oas3-valid-media-example': (document) =>
    delete Object.values<Loose>(problem(document).examples)[0].value.code,
  'no-$ref-siblings': (document) => (problem(document).schema.nullable = true),
  'path-params': (document) => (read(document).parameters = []),
  'oas3-schema': (document) => delete read(document).responses,
  'operation-operationId-unique': (document) => (document.paths[PATH].put = read(document)),
  'invalid-ref': (document) => delete document.components.schemas.FaultItem,
};

const read = (document: Loose): Loose => document.paths[PATH].get;
const problem = (document: Loose): Loose => read(document).responses[404].content['application/problem+json'];

/** A document of one operation, which has no fault. */
function sound(): Loose {
  const document: Loose = resolved(
    JSON.parse(readFileSync(join(ROOT, 'docs/openapi/plateforme.json'), 'utf8')),
  );
  document.paths = { [PATH]: document.paths[PATH] };
  const { ProblemItem, FaultItem, ...schemas } = document.components.schemas;
  const answer = read(document).responses[200].content['application/json'].schema.$ref.split('/').at(-1);
  document.components.schemas = { ProblemItem, FaultItem, [answer]: schemas[answer] };
  return document;
}

describe('The linter of the documents', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lint-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Lints documents by name, all at once. */
  const lint = (documents: Record<string, Loose>): { status: number | null; lines: string[] } => {
    for (const [name, document] of Object.entries(documents))
      writeFileSync(join(folder, name), JSON.stringify(document, null, 2));
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'tools/openapi/lint.mjs'), ...Object.keys(documents)],
      { cwd: folder, encoding: 'utf8' },
    );
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  it('reports what is wrong, and fails', () => {
    const rules = Object.keys(FAULTS);
    const spoilt = rules.map((rule) => {
      const document = sound();
      FAULTS[rule]!(document);
      return [rule, document] as const;
    });
    const { status, lines } = lint(Object.fromEntries(spoilt));
    const found = rules.filter((rule) =>
      lines.some((line) => line.startsWith(`${rule}:`) && line.includes(` ${rule}: `)),
    );
    expect(found).toEqual(rules);
    expect(status).toBe(1);
  });

  it('a valid document has no faults', () => {
    expect(lint({ sound: sound() })).toEqual({ status: 0, lines: ['1 documents, 0 faults.'] });
  });

  it('without a file it exits with 1', () => {
    expect(lint({}).status).toBe(1);
  });
});
