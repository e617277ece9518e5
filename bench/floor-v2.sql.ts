import type { EmployeeV2 } from './employees-v2';

/** SQL of the V2 sync's floor: one unnest and upsert for each of the three tables. */

interface Upsert {
  readonly table: string;
  /** The columns of the unique key without the tenant. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, 'text' | 'timestamptz'>>;
}

const EMPLOYE: Upsert = {
  table: 'floor_employe',
  key: ['id_externe'],
  columns: {
    id_externe: 'text',
    prenom: 'text',
    nom: 'text',
    no_membre: 'text',
    courriel: 'text',
    telephone_principal: 'text',
    adresse1: 'text',
    ville: 'text',
    province: 'text',
    code_postal: 'text',
  },
};
const EMPLOI: Upsert = {
  table: 'floor_emploi',
  key: ['id_externe_employe', 'identifiant_externe'],
  columns: {
    id_externe_employe: 'text',
    identifiant_externe: 'text',
    identifiant_externe_employeur: 'text',
    matricule: 'text',
    date_debut: 'timestamptz',
    date_fin: 'timestamptz',
  },
};
const MEMBERSHIP: Upsert = {
  table: 'floor_membership',
  key: ['id_externe_employe', 'syndicat_id_externe'],
  columns: { id_externe_employe: 'text', syndicat_id_externe: 'text', date_adhesion: 'timestamptz' },
};

export const SQL_V2 = {
  employes: upsert(EMPLOYE),
  emplois: upsert(EMPLOI),
  memberships: upsert(MEMBERSHIP),
  /** The product's tables, with their indexes, checks and foreign keys, without row-level security. */
  createTables: `
    CREATE TABLE floor_emploi (LIKE emploi INCLUDING ALL,
      FOREIGN KEY (tenant_id, id_externe_employe) REFERENCES floor_employe (tenant_id, id_externe),
      FOREIGN KEY (tenant_id, identifiant_externe_employeur) REFERENCES employeur (tenant_id, id_externe));
    CREATE TABLE floor_membership (LIKE membership INCLUDING ALL,
      FOREIGN KEY (tenant_id, id_externe_employe) REFERENCES floor_employe (tenant_id, id_externe),
      FOREIGN KEY (tenant_id, syndicat_id_externe) REFERENCES syndicat (tenant_id, id_externe))`,
};

function upsert({ table, key, columns }: Upsert): string {
  const names = Object.keys(columns);
  const written = names.filter((name) => !key.includes(name));
  const list = (prefix: string): string => written.map((name) => `${prefix}.${name}`).join(', ');
  const arrays = Object.values(columns).map((type, index) => `$${index + 2}::${type}[]`);
  const isEmployee = table === EMPLOYE.table;
  return `
    INSERT INTO ${table} AS t (tenant_id, ${names.join(', ')})
    SELECT $1::uuid, * FROM unnest(${arrays.join(', ')})
    ON CONFLICT (tenant_id, ${key.join(', ')}) DO UPDATE SET
      ${written.map((name) => `${name} = excluded.${name}`).join(', ')}${isEmployee ? ', derniere_maj = now()' : ''}
    WHERE (${list('t')}) IS DISTINCT FROM (${list('excluded')})`;
}

/** Returns the arrays of the three statements. */
export function columnsOf(
  employees: readonly EmployeeV2[],
): Record<'employes' | 'emplois' | 'memberships', unknown[][]> {
  const emplois = employees.flatMap((one) =>
    one.Emplois.map((emploi) => ({ ...emploi, employe: one.IdExterne })),
  );
  const adhesions = employees.flatMap((one) =>
    one.Adhesions.map((each) => ({ ...each, employe: one.IdExterne })),
  );
  return {
    employes: [
      employees.map((one) => one.IdExterne),
      employees.map((one) => one.Prenom),
      employees.map((one) => one.Nom),
      employees.map((one) => one.NoMembre),
      employees.map((one) => one.Courriel),
      employees.map((one) => one.TelephonePrincipal),
      employees.map((one) => one.Adresse1),
      employees.map((one) => one.Ville),
      employees.map((one) => one.Province),
      employees.map((one) => one.CodePostal),
    ],
    emplois: [
      emplois.map((one) => one.employe),
      emplois.map((one) => one.IdentifiantExterne),
      emplois.map((one) => one.IdentifiantExterneEmployeur),
      emplois.map((one) => one.Matricule),
      emplois.map((one) => one.DateDebut),
      emplois.map((one) => one.DateFin),
    ],
    memberships: [
      adhesions.map((one) => one.employe),
      adhesions.map((one) => one.SyndicatIdExterne),
      adhesions.map((one) => one.DateAdhesion),
    ],
  };
}
