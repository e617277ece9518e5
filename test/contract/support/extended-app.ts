import { Module, type Type } from '@nestjs/common';
import { AppModule } from '../../../apps/partner-api/src/app.module';
import { listen, TestApp } from '../../setup/test-app';

/** The parts of a running application that these checks use. */
export type RunningApp = Pick<TestApp, 'app' | 'send'>;

/** Starts the same application with additional controllers that break a rule, which a check must find. */
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
