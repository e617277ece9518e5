import type { Stage } from './stage';
import { SwaggerPage } from './swagger-page';
import { operationsOf, overviewFaults, type Step, walk, type WalkedDocument, walkFaults } from './walk';

/** Creations first and deletions last: each example names what the demonstration tenant has. */
const ORDER = ['POST', 'GET', 'PUT', 'DELETE'];

/**
 * A body and a list by each method that the pages offer; the demonstration tenant has what their examples name.
 * every-operation.e2e-spec.ts executes all operations at full depth.
 */
const TRIED = [
  'POST /plateforme/v1/adhesions',
  'POST /plateforme/v1/consentements',
  'POST /b2b/v1/employe',
  'PUT /b2b/v1/employe',
  'POST /b2b/v2/sync',
  'GET /b2b/v1/moi',
  'GET /b2b/v2/employe',
];

const stepsOf = (document: WalkedDocument): Step<undefined>[] => {
  const names = [...operationsOf(document).keys()].filter((name) => TRIED.includes(name));
  return ORDER.flatMap((method) => names.filter((name) => name.startsWith(`${method} `))).map(
    (operation) => ({ operation }),
  );
};

/** Tests of the pages of partners and of the platform. */
export function describeIntegrators(stage: Stage): void {
  // The platform's first: a partner's deletions take away what its examples name.
  it.each([
    ['platform', '/docs/plateforme', 'plateforme', 2],
    ['partners', '/docs', 'partenaire', 5],
  ] as const)(
    'for %s: shows all groups and operations, and what is tried succeeds with its examples as they are shown',
    async (who, path, role, count) => {
      const { service, window } = stage;
      const document = (await (await fetch(`${service.url}${path}/openapi.json`)).json()) as WalkedDocument;
      const page = await SwaggerPage.open(window, `${service.url}${path}`);
      await window.photograph(`${who}-overview`);
      expect(await overviewFaults(page, document)).toEqual([]);
      // Each page keeps its own key.
      expect(await page.isAuthorised()).toBe(false);
      await page.authorise(service.keys[role]);
      const steps = stepsOf(document);
      const walked = await walk(page, steps, undefined, async ({ operation }, id) => {
        if (/ \/(b2b\/v2\/sync|plateforme\/v1\/adhesions)$/.test(operation))
          await page.photograph(id, `${who}-operation`);
      });
      const tried = steps.map(({ operation }) => operation);
      expect(walkFaults(tried, walked)).toEqual([]);
      expect(tried.length).toBe(count);
      expect(window.complaints).toEqual([]);
      // Keys of integrators are kept: a reload asks for none.
      await page.load();
      expect(await page.isAuthorised()).toBe(true);
    },
    120_000,
  );

  it('an error leads to its code on the page of errors', async () => {
    const { service, window } = stage;
    const { page } = window;
    await page.goto(`${service.url}/docs/erreurs#Vote.DejaVote`, { waitUntil: 'networkidle0' });
    expect(await page.$eval('tr:target', (row) => row.textContent)).toContain('Has voted already');
    await window.photograph('errors');
    expect(window.complaints).toEqual([]);
  });
}
