import { completeDemonstration } from '../contract/support/documented-calls';
import type { Role } from '../../libs/access/src/caller';
import { ClientsService } from '../../libs/clients/src';
import { IS_WHOLE } from '../setup/depth';
import { cloneTemplate, TestApp } from '../setup/test-app';
import { chromium, Window } from './browser';
import type { ShownAnswer } from './swagger-page';
import { SwaggerPage } from './swagger-page';
import { operationsOf, walk, type WalkedDocument, walkFaults } from './walk';

/** The pages in the order of their walk: administration limits the requests of the client. */
const PAGES: readonly (readonly [path: string, role: Role])[] = [
  ['/docs/plateforme', 'plateforme'],
  ['/docs', 'partenaire'],
  ['/docs/admin', 'admin'],
];

const executable = chromium();
// By default swagger-ui.e2e-spec.ts executes some operations, and test/contract/openapi.e2e-spec.ts all over HTTP.
const describeWalk = executable && IS_WHOLE ? describe : describe.skip;

describeWalk('Each operation of the three documents', () => {
  let app: TestApp;
  let window: Window;
  let keys: Record<Role, string>;

  beforeAll(async () => {
    const databaseUrl = await cloneTemplate();
    // The examples move a data space to another cell, and revoke a key of an administrator that is not the last one.
    const cells = new Map([
      ['principal', databaseUrl],
      ['nord', await cloneTemplate()],
    ]);
    app = await TestApp.start({ databaseUrl, cells });
    ({ keys } = await completeDemonstration(app));
    await app.app.get(ClientsService).issueAdminCle('Another one');
    window = await Window.open(executable!);
  }, 120_000);
  afterAll(async () => {
    await window?.close();
    await app.stop();
  });

  it('succeeds in Swagger UI with the examples as they are shown', async () => {
    const walked = new Map<string, ShownAnswer>();
    const names = new Set<string>();
    // Creations come first and deletions last, because the examples name the same records.
    for (const methods of [['POST'], ['GET', 'PUT', 'DELETE']]) {
      for (const [path, role] of PAGES) {
        const document = (await (await fetch(`${app.url}${path}/openapi.json`)).json()) as WalkedDocument;
        const operations = [...operationsOf(document).keys()];
        for (const name of operations) names.add(name);
        const page = await SwaggerPage.open(window, app.url + path);
        // The page keeps keys of integrators.
        if (!(await page.isAuthorised())) await page.authorise(keys[role]);
        const steps = methods
          .flatMap((method) => operations.filter((name) => name.startsWith(`${method} `)))
          .map((operation) => ({ operation }));
        for (const [name, answer] of await walk(page, steps, undefined)) walked.set(name, answer);
      }
    }
    expect(walkFaults(names, walked)).toEqual([]);
    expect(names.size).toBeGreaterThan(140);
  }, 1_800_000);
});
