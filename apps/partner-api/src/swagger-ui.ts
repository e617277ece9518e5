import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SURFACES } from './openapi';
import { fr, type Language, type Text } from '#platform/errors/text';

/** A page of Swagger UI. */
export interface SwaggerUi {
  readonly title: string;
  readonly path: string;
  readonly keepsKey: boolean;
}

/** The files that a page loads, by name; all pages share those under /docs. */
export const SWAGGER_UI_FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
} as const;

/** @param name a key of SWAGGER_UI_FILES */
export function swaggerUiFile(name: string): Buffer {
  const folder = join(require.resolve('swagger-ui-dist/package.json'), '..');
  return readFileSync(join(folder, name));
}

/** Title of the page of errors. */
export const ERROR_CODES: Text = { en: 'Error codes', fr: fr("Codes d'erreur") };

/** Links to the documents and to the page of errors. */
export function linksOf(path?: string, language: Language = 'en'): string {
  const links = [
    ...SURFACES.map((surface) => [surface.path, surface.title] as const),
    ['docs/erreurs', ERROR_CODES[language]] as const,
  ];
  return links
    .map(([to, name]) =>
      to === path ? `<a aria-current="page"><b>${name}</b></a>` : `<a href="/${to}">${name}</a>`,
    )
    .join('\n');
}

/** The page that Swagger UI's own distribution has, without its field for addresses of other documents. */
export function swaggerUiPage({ title, path, keepsKey }: SwaggerUi): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="/docs/favicon-16x16.png" sizes="16x16">
<style>
body { margin: 0; }
html:not(.dark-mode) body { background: #fafafa; }
nav { font: 14px/1.5 sans-serif; margin: 0 auto; max-width: 1460px; padding: 12px 20px; box-sizing: border-box; }
nav a { margin-right: 1.5em; }
.swagger-ui .topbar .download-url-wrapper, .swagger-ui .response-col_links { display: none; }
</style>
</head>
<body>
<nav>${linksOf(path)}${keepsKey ? '' : '<p>The browser does not keep the key of an administrator: enter it again after a reload.</p>'}</nav>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/${path}/swagger-ui-init.js"></script>
</body>
</html>
`;
}

/**
 * Keeps the key of a page. `persistAuthorization` of Swagger UI has one place for all pages, so a page would look authorised by
 * the key of another one.
 */
const keptKey = (path: string): string => `const PLACE = 'authorized /${path}';
const KeptKey = {
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded: (_, { authSelectors }) => () => {
          localStorage.setItem(PLACE, JSON.stringify(authSelectors.authorized().toJS()));
        },
      },
    },
    configs: {
      wrapActions: {
        loaded: (loaded, { authActions }) => (...args) => {
          loaded(...args);
          // Release 0.2.0 kept the keys of all pages there.
          localStorage.removeItem('authorized');
          const kept = localStorage.getItem(PLACE);
          if (kept) authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
        },
      },
    },
  },
};
`;

/** The script that starts the page. It is a file because the content security policy refuses scripts inside of pages. */
export function swaggerUiInit({ path, keepsKey }: SwaggerUi): string {
  return `// Execute calls the service that served the page, under whatever address: there is no server to choose.
// Swagger UI fills in examples. An optional filter with one would find nothing in a real data space, so it is shown as text.
function adapted(document) {
  delete document.servers;
  for (const operations of Object.values(document.paths))
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) {
        const { schema = {} } = parameter;
        const example = parameter.example ?? schema.example;
        if (parameter.in !== 'query' || parameter.required || parameter.name === 'limite' || example === undefined) continue;
        delete parameter.example;
        delete schema.example;
        parameter.description += ' Example: \`' + example + '\`.';
      }
  return document;
}
// Shows the operations whose group, method, path and summary have all words. By itself Swagger UI compares names of groups.
function found(groups, words) {
  const wanted = words.toLowerCase().split(/\\s+/);
  return groups
    .map((group, name) =>
      group.update('operations', (operations) =>
        operations.filter((one) => {
          const text = [name, one.get('method'), one.get('path'), one.getIn(['operation', 'summary'])].join(' ').toLowerCase();
          return wanted.every((word) => text.includes(word));
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
}
${keepsKey ? keptKey(path) : ''}const Adapted = {
  fn: { opsFilter: found },
  // From 150 rows on, Swagger UI draws only those in the window: the browser would not find the others. It counts the operations of
  // unfolded groups. Here the count gets only folded ones, and each group gets its real state.
  wrapComponents: {
    operations: (Operations, { React }) => (props) =>
      React.createElement(Operations, { ...props, layoutSelectors: { ...props.layoutSelectors, isShown: () => false } }),
    OperationTag: (OperationTag, { React, layoutSelectors }) => (props) =>
      React.createElement(OperationTag, { ...props, layoutSelectors }),
  },
  statePlugins: {
    spec: { wrapActions: { updateJsonSpec: (update) => (document) => update(adapted(document)) } },
  },
};
window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '/${path}/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [${keepsKey ? 'Adapted, KeptKey' : 'Adapted'}],
    layout: 'StandaloneLayout',
    filter: true,
    // No document is sent to a validator elsewhere.
    validatorUrl: null,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    onComplete: () => {
      document.querySelector('.operation-filter-input').placeholder = 'Search by group, path, method or summary';
    },
  });
};
`;
}
