import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** The page that Swagger UI's own distribution has, without its field for addresses of other documents. */
export function swaggerUiPage({ title, path }: SwaggerUi): string {
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
body { margin: 0; background: #fafafa; }
.swagger-ui .topbar .download-url-wrapper { display: none; }
</style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/${path}/swagger-ui-init.js"></script>
</body>
</html>
`;
}

/** The script that starts the page. It is a file because the content security policy refuses scripts inside of pages. */
export function swaggerUiInit({ path, keepsKey }: SwaggerUi): string {
  return `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '/${path}/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
    // No document is sent to a validator elsewhere.
    validatorUrl: null,
    persistAuthorization: ${keepsKey},
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
  });
};
`;
}
