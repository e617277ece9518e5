import type { DemonstrationService } from '../setup/demonstration-service';
import type { Window } from './browser';
import { IS_WHOLE } from '../setup/depth';
import type { Stage } from './stage';
import { SwaggerPage } from './swagger-page';
import {
  nameOf,
  operationsOf,
  overviewFaults,
  type Step,
  walk,
  type WalkedDocument,
  walkFaults,
} from './walk';

/** Ids that an administrator has read in earlier responses. */
interface Known {
  nouveau: string;
  demonstration: string;
}

interface Listed {
  id: string;
  nom: string;
}

const CLIENT = '/admin/v1/clients/{clientId}';

/**
 * A body, a list, an answer that leads on, a filter. every-operation.e2e-spec.ts executes all operations at full depth.
 */
const STEPS: readonly Step<Known>[] = [
  {
    operation: 'POST /admin/v1/clients',
    keep: (answer, known) => (known.nouveau = (answer as Listed).id),
  },
  {
    operation: 'GET /admin/v1/clients',
    keep: (answer, known) =>
      (known.demonstration = (answer as Listed[]).find(({ nom }) => nom === 'Démonstration')!.id),
  },
  { operation: `POST ${CLIENT}/cles`, fill: ({ nouveau }) => ({ parameters: { clientId: nouveau } }) },
  {
    operation: `GET ${CLIENT}/journal`,
    fill: ({ demonstration }) => ({ parameters: { clientId: demonstration } }),
  },
];
const TRIED = STEPS.map(({ operation }) => operation);

const NOBODY = '00000000-0000-4000-8000-000000000000';

const PHOTOGRAPHED: Readonly<Record<string, string>> = {
  [`POST ${CLIENT}/cles`]: 'administration-key',
  [`GET ${CLIENT}/journal`]: 'administration-journal',
};

/** Tests of the page of administrators. */
export function describeAdministration(stage: Stage): void {
  let service: DemonstrationService;
  let window: Window;
  let page: SwaggerPage;
  let document: WalkedDocument;
  let readOne: string;

  beforeAll(async () => {
    ({ service, window } = stage);
    const answer = await fetch(`${service.url}/docs/admin/openapi.json`);
    document = (await answer.json()) as WalkedDocument;
    page = await SwaggerPage.open(window, `${service.url}/docs/admin`);
    readOne = (await page.operations()).find((operation) => nameOf(operation) === `GET ${CLIENT}`)!.id;
  });

  it('shows every group and every operation with its description', async () => {
    await window.photograph('administration-overview');
    expect(operationsOf(document).size).toBeGreaterThan(10);
    expect(await overviewFaults(page, document)).toEqual([]);
  });

  it('says of each operation and of each of its parameters what it is', async () => {
    const shown = (await page.operations()).filter((one) => IS_WHOLE || TRIED.includes(nameOf(one)));
    for (const operation of shown) {
      const { description, parameters } = await page.describe(operation.id);
      const silent = parameters.filter((parameter) => parameter.description === '').map(({ name }) => name);
      expect({ operation: nameOf(operation), isSilent: description === '', silent }).toEqual({
        operation: nameOf(operation),
        isSilent: false,
        silent: [],
      });
    }
  }, 120_000);

  it('is walked through, with the examples as they are shown, and each operation succeeds', async () => {
    await page.authorise(service.keys.admin);
    const known: Known = { nouveau: '', demonstration: '' };
    const walked = await walk(page, STEPS, known, async ({ operation }, id) => {
      const name = PHOTOGRAPHED[operation];
      if (name) await page.photograph(id, name);
    });
    expect(walkFaults(TRIED, walked)).toEqual([]);
    expect(window.complaints).toEqual([]);

    // Negative control: an operation that was left out, and one that is not answered with a 2xx, are seen.
    const missing = new Map(walked);
    missing.delete(`GET ${CLIENT}/journal`);
    missing.set('GET /admin/v1/clients', { status: 404, body: '' });
    expect(walkFaults(TRIED, missing)).toEqual([
      'GET /admin/v1/clients: 404 ',
      `GET ${CLIENT}/journal was not walked`,
    ]);
  }, 300_000);

  it('negative control: shows a refusal as one, which the console knows too', async () => {
    const answer = await page.execute(readOne, { parameters: { clientId: NOBODY } });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'Client.NotFound' });
    expect(window.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('negative control: the console knows what the content security policy refuses', async () => {
    await window.page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.spoilt = true';
      document.body.append(script);
    }`);
    expect(await window.page.evaluate('window.spoilt')).toBeUndefined();
    expect(window.complaints.splice(0)).toEqual([expect.stringMatching(/Content Security Policy/i)]);
  });

  it('keeps the key of an administrator nowhere: after a reload it is asked for again', async () => {
    expect(await page.isAuthorised()).toBe(true);
    await page.load();
    expect(await page.isAuthorised()).toBe(false);
    expect(await page.stored()).not.toContain(service.keys.admin);
    const answer = await page.execute(readOne);
    expect(answer.status).toBe(401);
  });
}
