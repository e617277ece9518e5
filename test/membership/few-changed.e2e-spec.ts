import { TestApp, type TestTenant } from '../setup/test-app';
import { nodesOf, planAlone, statementsOf } from './plans';
import { perFile } from '../setup/fixtures';

const EMPLOYEES = 100_000;
const SINCE = '2026-06-01T00:00:00Z';

const app = perFile(() => TestApp.own('volume'));
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await app.tenant();
  // All were imported together, long ago; every thousandth was changed since.
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom, date_creation, derniere_maj)
     SELECT $1, 'E-' || n, 'Zoé', 'Roy', timestamptz '2024-01-01Z' + n * interval '30 seconds',
       CASE WHEN n % 1000 = 0 THEN timestamptz '${SINCE}' ELSE timestamptz '2024-01-01Z' END + n * interval '30 seconds'
     FROM generate_series(0, $2::int - 1) n`,
    [tenant.tenantId, EMPLOYEES],
  );
  // As coarse for these rows as the usual statistics are for a million.
  await app.database.query('ALTER TABLE employe ALTER derniere_maj SET STATISTICS 2');
  await app.database.query('ANALYZE employe');
}, 60_000);

const page = (query: string) => app.send(tenant, 'GET', `/b2b/v1/employe?${query}`);

/** Rows of `employe` that the statements of a page read, one after the other. */
async function rowsOf(query: string): Promise<number[]> {
  const statements = await statementsOf(() => page(query));
  const reads = statements.filter(({ text }) => /FROM \(?\s*\(?\s*SELECT[^]*\bemploye\b/.test(text));
  expect(reads.length).toBeGreaterThan(0);
  return Promise.all(
    reads.map(async (statement) => {
      const scans = nodesOf(await planAlone(app, tenant.tenantId, statement)).filter(
        (node) => node['Relation Name'] === 'employe',
      );
      return scans.reduce(
        (sum, node) =>
          sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0,
      );
    }),
  );
}

describe('GET /b2b/v1/employe?modifieDepuis= of few among many', () => {
  it('returns them in the order of the list, page by page', async () => {
    const ids: string[] = [];
    let next: string | undefined = `modifieDepuis=${SINCE}&limite=30`;
    let pages = 0;
    while (next !== undefined) {
      const answer = await page(next);
      expect(answer.status).toBe(200);
      ids.push(...(answer.json as { idExterne: string }[]).map(({ idExterne }) => idExterne));
      next = /\?([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      pages++;
    }
    expect(pages).toBe(4);
    expect(ids).toEqual(Array.from({ length: EMPLOYEES / 1_000 }, (_, n) => `E-${n * 1_000}`));
  });

  it('reads little more than them', async () => {
    for (const query of [`modifieDepuis=${SINCE}&limite=100`, `modifieDepuis=${SINCE}&limite=30`])
      expect(Math.max(...(await rowsOf(query)))).toBeLessThanOrEqual(500);
  });

  it('many changed ones are read in the list’s order, with little more than a page', async () => {
    const rows = await rowsOf('modifieDepuis=2024-01-01T00:00:00Z&limite=100');
    // The first statement checks whether they are few.
    expect(Math.max(...rows)).toBeLessThanOrEqual(1_001);
    expect(rows.at(-1)).toBeLessThanOrEqual(300);
  });
});
