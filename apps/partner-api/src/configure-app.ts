import type { NestExpressApplication } from '@nestjs/platform-express';
import { Config } from '#shared/config/config';
import { rewriteAliases } from '#shared/http/aliases';
import { configureHttp } from '#shared/http/configure-http';
import { EventCatalogue } from '#webhooks';
import { serveErrorPage } from './error-page';
import { serveDocumentation } from './openapi';

/** Turns the bare application into the partner API; tests and production configure the very same one. */
export function configureApp(app: NestExpressApplication): void {
  const { publicUrl } = app.get(Config);
  configureHttp(app);
  app.use(rewriteAliases);
  serveErrorPage(app);
  const document = serveDocumentation(app, publicUrl);
  app.get(EventCatalogue).describe(() => document().components?.schemas ?? {});
}
