import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { type Language, LANGUAGES } from '#platform/errors/text';
import { FixedBody } from '#platform/http/fixed-body';
import { errorFilter, errorPage } from './error-page';
import { type Surface, type SurfaceName, SURFACES } from './openapi';
import { SWAGGER_UI_FILES, swaggerUiFile, swaggerUiInit, swaggerUiPage } from './swagger-ui';

type Documents = Readonly<Record<SurfaceName, OpenAPIObject>>;

interface Page {
  readonly type: string;
  readonly make: (documents: () => Documents) => string | Buffer;
  /** Set if the path has a page in each language. */
  readonly language?: Language;
}

const HTML = 'text/html; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const JSON_TEXT = 'application/json; charset=utf-8';
const YAML = 'text/yaml; charset=utf-8';
const AS_YAML = { aliasDuplicateObjects: false, lineWidth: 0 };

function pagesOf(surface: Surface): [path: string, page: Page][] {
  const { name, path, title, prefix } = surface;
  // An administrator's key is not left behind in the browser.
  const ui = { path, title, keepsKey: prefix !== '/admin/' };
  return [
    [`/${path}`, { type: HTML, make: () => swaggerUiPage(ui) }],
    [`/${path}/swagger-ui-init.js`, { type: JAVASCRIPT, make: () => swaggerUiInit(ui) }],
    [`/${path}/openapi.json`, { type: JSON_TEXT, make: (documents) => JSON.stringify(documents()[name]) }],
    [`/${path}/openapi.yaml`, { type: YAML, make: (documents) => stringify(documents()[name], AS_YAML) }],
  ];
}

const files = Object.entries(SWAGGER_UI_FILES).map(([name, type]): [path: string, page: Page] => [
  `/docs/${name}`,
  { type, make: () => swaggerUiFile(name) },
]);

/** The key of a path that has a page in each language. */
function keyOf(path: string, language: Language): string {
  return `${path} ${language}`;
}

/** Everything that is served under /docs, by its path (docs/contract.md, "Surfaces"). */
const PAGES = new Map<string, Page>([
  ...SURFACES.flatMap(pagesOf),
  ...LANGUAGES.map((language): [path: string, page: Page] => [
    keyOf('/docs/erreurs', language),
    { type: HTML, make: () => errorPage(language), language },
  ]),
  ['/docs/erreurs.js', { type: JAVASCRIPT, make: errorFilter }],
  ...files,
]);

/** The bytes of the documentation. */
@Injectable()
export class Documentation {
  private documents: () => Documents = () => {
    throw new Error('The application has not described itself.');
  };
  private readonly bodies = new Map(
    [...PAGES].map(([path, { type, make, language }]) => [
      path,
      new FixedBody(type, () => make(() => this.documents()), language),
    ]),
  );

  /** @param documents the documents of the application, which only the application itself can make */
  describe(documents: () => Documents): void {
    this.documents = documents;
  }

  /** Makes every body at the start, which takes about 1 s, because requests would otherwise wait for it. */
  async prepare(): Promise<void> {
    for (const body of this.bodies.values()) await body.prepare();
  }

  /** Returns the document at a path without a trailing slash, or undefined. */
  at(path: string, language: Language): FixedBody | undefined {
    return this.bodies.get(path) ?? this.bodies.get(keyOf(path, language));
  }
}
