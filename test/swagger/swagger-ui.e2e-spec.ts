import { DemonstrationService } from '../setup/demonstration-service';
import { describeAdministration } from './administration';
import { chromium, Window } from './browser';
import { describeIntegrators } from './integrators';
import type { Stage } from './stage';

const executable = chromium();
if (!executable)
  console.warn(
    'The walk through Swagger UI is skipped: no CHROMIUM, and no chromium on PATH (.ci/chromium installs one).',
  );
const describeWalk = executable ? describe : describe.skip;

describeWalk('Swagger UI', () => {
  const stage = {} as Stage;

  beforeAll(async () => {
    stage.service = await DemonstrationService.start({ WEBHOOK_ALLOW_INSECURE: 'true' });
    stage.window = await Window.open(executable!);
  }, 90_000);
  afterAll(async () => {
    await stage.window?.close();
    await stage.service?.stop();
  });

  describe('for integrators', () => describeIntegrators(stage));
  describe('for administrators', () => describeAdministration(stage));
});
