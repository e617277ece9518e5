import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Config } from '#platform/ops/config';
import { rewriteAliases } from './aliases';
import { configureHttp } from '#platform/http/configure-http';
import { EventCatalogue } from '#webhooks';
import { Documentation } from './documentation';
import { documentsOf, wholeDocument } from './openapi';

/** Turns the bare application into the partner API; tests and production configure the very same one. */
export function configureApp(app: NestExpressApplication): void {
  const { publicUrl } = app.get(Config);
  configureHttp(app);
  app.use(rewriteAliases);
  let made: OpenAPIObject | undefined;
  const whole = (): OpenAPIObject => (made ??= wholeDocument(app, publicUrl));
  app.get(Documentation).describe(() => documentsOf(whole()));
  app.get(EventCatalogue).describe(() => whole().components?.schemas ?? {});
}
