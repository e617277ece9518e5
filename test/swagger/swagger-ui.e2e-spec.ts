import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
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

  it('links to the other documents, has a search box, and fills in no optional filter; the list of errors has a filter', async () => {
    const { page } = stage.window;
    await page.goto(`${stage.service.url}/docs/admin`, { waitUntil: 'networkidle0' });
    await page.waitForSelector('.operation-filter-input');
    const links = await page.$$eval('nav a', (shown) => shown.map((one) => one.getAttribute('href')));
    expect(links).toEqual(['/docs/plateforme', null, '/docs', '/docs/erreurs']);
    expect(await page.$eval('nav p', (shown) => shown.textContent)).toMatch(/does not keep the key/);
    await page.click('#operations-Audit_trail-Journal_list .opblock-summary');
    await page.waitForSelector('tr[data-param-name="depuis"] input');
    const values = await page.$$eval('tr[data-param-name] :is(input, select)', (fields) =>
      fields.map((field) => (field as unknown as { value: string }).value).filter((text) => text !== ''),
    );
    expect(values).toEqual([EXAMPLE_CLIENT_ID, '100']);
    await page.goto(`${stage.service.url}/docs/erreurs`);
    await page.type('#filter', '403 suspen');
    const rows = await page.$$eval('tbody tr:not([hidden])', (shown) => shown.map(({ id }) => id));
    expect(rows).toEqual(['Client.Suspendu']);
  });

  describe('for integrators', () => describeIntegrators(stage));
  describe('for administrators', () => describeAdministration(stage));
});
