import { Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Config } from '#shared/config/config';
import { SecretBox } from '#shared/crypto/secret-box';
import { IdempotencyRecords } from '#shared/database/idempotency-records';
import { Transactions } from '#shared/database/transactions';
import { rewriteAliases } from '#shared/http/aliases';
import { BodyInterceptor } from '#shared/http/body.interceptor';
import { configureHttp } from '#shared/http/configure-http';
import { IdempotencyInterceptor } from '#shared/http/idempotency.interceptor';
import { InputInterceptor } from '#shared/http/input.interceptor';
import { EventCatalogue } from '#webhooks';
import { serveErrorPage } from './error-page';
import { serveDocumentation } from './openapi';

/** Turns the bare application into the partner API; tests and production configure the very same one. */
export function configureApp(app: NestExpressApplication): void {
  const { publicUrl } = app.get(Config);
  configureHttp(app);
  app.use(rewriteAliases);
  const body = new BodyInterceptor(app.get(Reflector));
  const idempotency = new IdempotencyInterceptor(
    app.get(Transactions),
    app.get(IdempotencyRecords),
    app.get(SecretBox),
    publicUrl,
    app.get(Reflector),
  );
  app.useGlobalInterceptors(new InputInterceptor(body, idempotency));
  serveErrorPage(app);
  const document = serveDocumentation(app, publicUrl);
  app.get(EventCatalogue).describe(document.components?.schemas ?? {});
}
