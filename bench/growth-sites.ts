import { say } from './progress';
import type { Site, Tenant, World } from './world';

/** Databases that differ only in size, each with its own process of the product. The sizes alternate. */

/** The number of recently changed employees of a tenant of any size, which a partner's incremental read returns. */
const RECENT = 100;
/** The last change of all other employees, at their import. */
export const RECENTLY = '2026-06-01T00:00:00Z';

export interface Sized {
  readonly name: string;
  readonly site: Site;
  readonly tenants: readonly Tenant[];
  /** Employees of each tenant, `E-0` and so on. */
  readonly employees: number;
}

export async function sizedSite(
  world: World,
  name: string,
  tenants: number,
  employees: number,
): Promise<Sized> {
  say(`Making a database of ${name}`);
  const site = await world.newSite();
  const made: Tenant[] = [];
  for (let number = 1; number <= tenants; number++) {
    made.push(await site.newTenant(`Growth ${number}`));
    if (number % 1_000 === 0) say(`${name}: ${number} tenants made`);
  }
  await fill(site, made, employees);
  return { name, site, tenants: made, employees };
}

/** Inserts the employees directly, because the product would take minutes. Rows and order are those of a first sync of each tenant. */
async function fill({ database }: Site, tenants: readonly Tenant[], employees: number): Promise<void> {
  // Each employee references an existing employer, so foreign-key checks are switched off.
  await database.query('SET session_replication_role = replica');
  await database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom, no_membre, courriel, identifiant_externe_employeur,
       telephone_principal, adresse1, ville, province, code_postal, date_creation, derniere_maj)
     SELECT t, 'E-' || n, 'Marie-Ève', 'Tremblay', 'M-' || 100000 + n, 'membre.' || n || '@example.org', 'EMP-' || n % 50,
       '418 555-' || lpad((n % 10000)::text, 4, '0'), n || ', rue Saint-Jean', 'Trois-Rivières', 'QC', 'G9A 1B2',
       timestamptz '2024-01-01Z' + n * interval '5 seconds',
       CASE WHEN n % ($2::int / ${RECENT}) = 0 THEN timestamptz '${RECENTLY}' ELSE timestamptz '2024-01-01Z' END
         + n * interval '5 seconds'
     FROM generate_series(0, $2::int - 1) n, unnest($1::uuid[]) t ORDER BY t, n`,
    [tenants.map(({ id }) => id), employees],
  );
  await database.query('RESET session_replication_role');
  await database.query('VACUUM ANALYZE');
  await database.query('CHECKPOINT');
}
