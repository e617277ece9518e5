import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { AppModule } from '../../../apps/partner-api/src/app.module';
import { configureApp } from '../../../apps/partner-api/src/configure-app';
import { TestApp } from '../../setup/test-app';

/** What the checks of this folder need of a running application. */
export type RunningApp = Pick<TestApp, 'app' | 'send'>;

/** The same application once more, with controllers that break a rule: what a check must be seen to catch. */
export async function startWithControllers(
  like: TestApp,
  ...controllers: Type[]
): Promise<RunningApp & { stop: () => Promise<void> }> {
  @Module({ imports: [AppModule.forRoot(like.config)], controllers })
  class ExtendedModule {}

  const app = await NestFactory.create<NestExpressApplication>(ExtendedModule, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  configureApp(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const send = TestApp.prototype.send.bind({ url: `http://127.0.0.1:${port}` } as TestApp);
  return { app, send, stop: () => app.close() };
}
