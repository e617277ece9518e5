import type { OpenAPIObject } from '@nestjs/swagger';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SurfaceName } from '../../apps/partner-api/src/openapi';
import { changesBetween, type Document, lineOf } from '../../tools/openapi/compare';
import {
  fileOf,
  makeDocuments,
  NAMES,
  readText,
  textOf,
  writeDocuments,
} from '../../tools/openapi/documents';
import { resolved } from '../../tools/openapi/resolve';

const ROOT = join(__dirname, '../..');

/** Returns a message for a developer if the files differ from the documents of the code. */
function staleness(name: SurfaceName, document: OpenAPIObject, file: string | undefined): string | undefined {
  const made = textOf(document);
  if (file === made) return undefined;
  const changes = file
    ? changesBetween(JSON.parse(file) as Document, JSON.parse(made) as Document).map(lineOf)
    : ['there is no file'];
  const advice = 'The code makes another document; `npm run openapi` writes it.';
  return [`${fileOf('.', name)}: ${advice}`, ...changes].join('\n  ');
}

describe('The files under docs/openapi', () => {
  let documents: Record<SurfaceName, OpenAPIObject>;
  beforeAll(async () => {
    documents = await makeDocuments();
  });

  it.each(NAMES)('hold what the code makes: %s', (name) => {
    const stale = staleness(name, documents[name], readText(fileOf(ROOT, name)));
    if (stale) throw new Error(stale);
  });

  it.each(NAMES)('write a response that several operations have once, as a component: %s', (name) => {
    const written = Object.values(documents[name].paths)
      .flatMap((item) => Object.values(item as Record<string, { responses: Record<string, object> }>))
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([status, response]) => status >= '300' && !('$ref' in response))
      .map((entry) => JSON.stringify(entry));
    expect(written.filter((text, place) => written.indexOf(text) !== place)).toEqual([]);
    const { responses } = documents[name].components!;
    expect(Object.keys(responses!)).toContain('Service.Indisponible');
    expect(JSON.stringify(resolved(documents[name]))).not.toMatch(/components\/(?!schemas)/);
  });

  it('differences from the code are reported in words', () => {
    const file = textOf(documents.partenaire);
    const changed = structuredClone(documents.partenaire) as unknown as Document;
    const paths = changed.paths as Record<string, unknown>;
    delete paths['/b2b/v1/moi'];
    const answered = changed.components.schemas.EmployeItem as { properties: Record<string, unknown> };
    answered.properties.surnom = { type: 'string', description: 'A nickname.' };
    expect(staleness('partenaire', changed as unknown as OpenAPIObject, file)).toBe(
      [
        'docs/openapi/partenaire.json: The code makes another document; `npm run openapi` writes it.',
        'BREAKING  GET /b2b/v1/moi, as sent: is gone',
        'harmless  EmployeItem.surnom, as answered: is new',
      ].join('\n  '),
    );
    expect(staleness('partenaire', documents.partenaire, undefined)).toContain('there is no file');
  });

  it('are written once, and do not depend on the order of the code', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    try {
      expect(writeDocuments(folder, documents)).toEqual(NAMES);
      const { paths, components, ...rest } = documents.plateforme;
      const reversed = <T extends object>(record: T) =>
        Object.fromEntries(Object.entries(record).reverse()) as T;
      const schemas = reversed(components!.schemas!);
      const moved = { ...rest, paths: reversed(paths), components: { ...components, schemas } };
      expect(Object.keys(moved.paths)).not.toEqual(Object.keys(paths));
      expect(writeDocuments(folder, { ...documents, plateforme: moved })).toEqual([]);
      const retitled = { ...rest, info: { ...rest.info, title: 'Other' }, paths, components };
      expect(writeDocuments(folder, { ...documents, plateforme: retitled })).toEqual(['plateforme']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
