import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import { DemonstrationService } from '../setup/demonstration-service';
import { describeAdministration } from './administration';
import { chromium, Window } from './browser';
import { describeIntegrators } from './integrators';
import type { Stage } from './stage';
import { drawn } from './swagger-page';

const executable = chromium();
if (!executable)
  console.warn(
    'The walk through Swagger UI is skipped: no CHROMIUM, and no chromium on PATH (.ci/chromium installs one).',
  );
const describeWalk = executable ? describe : describe.skip;

describeWalk('Swagger UI', () => {
  const stage = {} as Stage;

  beforeAll(async () => {
    stage.service = await DemonstrationService.start();
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

  it.each(['docs', 'docs/plateforme', 'docs/admin'])(
    '%s has each group of the document once, in its order, without a choice of servers and without empty columns',
    async (path) => {
      const { page } = stage.window;
      await page.goto(`${stage.service.url}/${path}`, { waitUntil: 'networkidle0' });
      await drawn(page);
      const document = (await (await fetch(`${stage.service.url}/${path}/openapi.json`)).json()) as {
        tags: { name: string }[];
      };
      const groups = await page.$$eval('.opblock-tag', (shown) =>
        shown.map((one) => one.getAttribute('data-tag')),
      );
      expect(groups).toEqual(document.tags.map(({ name }) => name));
      expect(await page.$('.servers')).toBeNull();
      await page.click('.opblock .opblock-summary');
      await page.waitForSelector('.responses-table .response');
      const columns = await page.$$eval(
        '.responses-table thead td, .responses-table tr.response > td',
        (cells) => cells.filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent),
      );
      expect(columns.slice(0, 2)).toEqual(['Code', 'Description']);
      expect(columns.filter((text) => /^(No )?links$/i.test(text))).toEqual([]);
    },
  );

  it('the search finds operations by group, path, method and summary, without regard to case', async () => {
    const { page } = stage.window;
    await page.goto(`${stage.service.url}/docs`, { waitUntil: 'networkidle0' });
    const found = async (words: string): Promise<string[]> => {
      await page.$eval('.operation-filter-input', (field) =>
        (field as unknown as { select(): void }).select(),
      );
      await page.type('.operation-filter-input', words);
      return page.$$eval('.opblock', (shown) => shown.map(({ id }) => id));
    };
    expect(await found('RECUPERER')).toEqual(['operations-Webhooks-Webhooks_replay']);
    expect(await found('delete voter')).toEqual(['operations-Voters-Votants_delete']);
    expect(await found('consent objects list')).toEqual([
      'operations-Consent_objects-ObjetsConsentement_list',
    ]);
    expect(await found('nowhere')).toEqual([]);
  });

  it('the list of errors fits a narrow window', async () => {
    const { page } = stage.window;
    const wide = page.viewport();
    await page.setViewport({ width: 420, height: 900 });
    await page.goto(`${stage.service.url}/docs/erreurs`);
    const width = await page.$eval(
      'html',
      (html) => (html as unknown as { scrollWidth: number }).scrollWidth,
    );
    await page.setViewport(wide);
    expect(width).toBe(420);
  });

  describe('for integrators', () => describeIntegrators(stage));
  describe('for administrators', () => describeAdministration(stage));
});
