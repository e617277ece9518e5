import { MEMBERSHIP_PERSONAL_DATA } from '../../libs/membership/src/relations';
import { nodesOf, planOf, rowsRead } from '../membership/plans';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';

/** Transactions of a tenant, and the employees that each has changed. */
const LOTS = 200;
const EACH = 1_000;

const app = perFile(() => TestApp.own('volume'));

/** Writes changes of every employee to some transactions of a tenant. */
async function fill(tenantId: string): Promise<void> {
  await app.database.query(
    `WITH lots AS (
       INSERT INTO changement_lot (tenant_id, origine) SELECT $1, 'sync' FROM generate_series(1, $2::int)
       RETURNING id_unique
     )
     INSERT INTO changement (tenant_id, lot, id_unique, entite, id_externe, id_externe_employe, nature)
     SELECT $1, id_unique, uuidv7(), CASE WHEN nested THEN 'Emploi' ELSE 'Employe' END,
       CASE WHEN nested THEN 'J-1' ELSE employe END, CASE WHEN nested THEN employe END, 'Modifie'
     FROM (SELECT id_unique, row_number() OVER () AS lot FROM lots) l
     CROSS JOIN generate_series(1, $3::int) n
     CROSS JOIN LATERAL (SELECT n % 3 = 0 AS nested, 'E-' || n + $3 * (lot % 50) AS employe) c`,
    [tenantId, LOTS, EACH],
  );
}

describe('the changes to a person', () => {
  it.each([1, 6])('are found by their index under the policies, at the execution %i', async (execution) => {
    const { tenantId } = await app.tenant();
    await fill(tenantId);
    await fill((await app.tenant()).tenantId);
    // Autovacuum does the same.
    await app.database.query('VACUUM (ANALYZE) changement');
    const { table, where } = MEMBERSHIP_PERSONAL_DATA.rows.find(({ section }) => section === 'changements')!;
    const text = `SELECT FROM ${table} WHERE tenant_id = $1 AND ${where.replace(':idExterne', '$2')}`;
    for (const employe of ['E-7', 'E-9']) {
      const plan = await planOf(app, tenantId, { name: '', text, values: [tenantId, employe] }, execution);
      expect(plan['Actual Rows']).toBe(LOTS / 50);
      const months = nodesOf(plan).map((node) => node['Relation Name'] ?? '');
      expect(rowsRead(plan, months)).toBeLessThan((LOTS * EACH) / 8);
    }
  });
});
