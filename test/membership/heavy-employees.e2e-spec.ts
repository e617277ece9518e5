import { rowsRead } from './rows-read';

const EMPLOYEES = 100;
const EMPLOYMENTS = 1_000;

it('a page of employees with 1,000 employments each reads only the employments that fit in it', async () => {
  const read = await rowsRead('emploi', async (app) => {
    const tenant = await app.tenant();
    await app.database.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom, a_emplois)
       SELECT $1, 'E-' || n, 'Zoé', 'Roy', true FROM generate_series(1, $2::int) n`,
      [tenant.tenantId, EMPLOYEES],
    );
    await app.database.query(
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, 'EMP-1', 'Hôpital')`,
      [tenant.tenantId],
    );
    await app.database.query(
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, date_debut)
       SELECT $1, 'E-' || n, 'J-' || m, 'EMP-1', '2026-01-01Z'
       FROM generate_series(1, $2::int) n, generate_series(1, $3::int) m`,
      [tenant.tenantId, EMPLOYEES, EMPLOYMENTS],
    );
    const { json } = await app.send(tenant, 'GET', `/b2b/v2/employe?limite=${EMPLOYEES}`);
    expect(json.length).toBeGreaterThan(1);
    expect(json.length).toBeLessThan(20);
  });
  expect(read).toBeLessThan(30 * EMPLOYMENTS);
});
