import { Module, type Type } from '@nestjs/common';
import { AppModule } from '../../../apps/partner-api/src/app.module';
import { listen, TestApp } from '../../setup/test-app';

/** What the checks of this folder need of a running application. */
export type RunningApp = Pick<TestApp, 'app' | 'send'>;

/** The same application once more, with controllers that break a rule: what a check must be seen to catch. */
export async function startWithControllers(
  like: TestApp,
  ...controllers: Type[]
): Promise<RunningApp & { stop: () => Promise<void> }> {
  @Module({ imports: [AppModule.forRoot(like.config)], controllers })
  class ExtendedModule {}

  const { app, url } = await listen(ExtendedModule);
  const send = TestApp.prototype.send.bind({ url } as TestApp);
  return { app, send, stop: () => app.close() };
}
