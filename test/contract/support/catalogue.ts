import type { Client } from 'pg';

/** Tables of administration: only mandat_access reads them. */
export const ACCESS_TABLES = [
  'client',
  'tenant',
  'cle',
  'etat_annuaire',
  'rate_window',
  'deplacement',
  'derniere_ecriture',
  'travail_en_cours',
  'cle_dossier',
  'verification_journal',
];

/** Tables without data of tenants or clients. */
const TECHNICAL_TABLES = ['migration'];

/**
 * The schema of pg-boss, whose tables hold no data of tenants: a job names a tenant and a task. A table in it that has a
 * tenant_id is under the rules like any other.
 */
const QUEUE_SCHEMA = 'pgboss';

/** The only condition under which a row of a tenant is visible and writable. */
const OWN_ROWS = `(tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif"))`;

/** Exact names of keys, indexes and policies that break a rule, with the reason why they may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "policy idempotency_record_purge to {mandat_access} using (date_creation < (now() - '24:00:00'::interval)) with check false":
    'lets only the purge reach expired records',
  "policy plan_purge to {mandat_access} using (date_creation < (now() - '24:00:00'::interval)) with check false":
    'lets only the purge reach plans that have expired',
  "policy sync_purge to {mandat_access} using (date_creation < (now() - '30 days'::interval)) with check false":
    'lets only the purge reach syncs that can no longer be undone',
  "policy tache_purge to {mandat_access} using (date_fin < (now() - '7 days'::interval)) with check false":
    'lets only the purge reach tasks that ended long ago',
  "policy ancien_identifiant_purge to {mandat_access} using (date_creation < (now() - '400 days'::interval)) with check false":
    'lets only the purge reach former identifiers that nobody looks for any more',
  "policy evenement_purge to {mandat_access} using (date_creation < (now() - '30 days'::interval)) with check false":
    'lets only the purge reach events that are not delivered any more',
  'index campagne_ouverture_due':
    'every second, the scheduler looks for campaigns of all tenants whose opening is due',
  'index campagne_fermeture_due': 'the same for closings',
  'policy campagne_ouverture_due to {mandat_access} using (publiee AND (NOT ouverture_annoncee) AND (ouverture_du_vote_utc <= now()))':
    'shows the scheduler only which campaigns are due',
  'policy campagne_fermeture_due to {mandat_access} using (publiee AND (NOT fermeture_annoncee) AND (fermeture_du_vote_utc <= now()))':
    'the same for closings',
  'index certification_due': 'every second, the worker looks for the certifications to run of all tenants',
  'policy certification_due to {mandat_access} using (date_fin IS NULL)':
    'shows the worker only which certifications have not ended',
  "policy certification_purge to {mandat_access} using (date_creation < (now() - '30 days'::interval)) with check false":
    'lets only the purge reach old certifications',
  'index webhook_desactive': 'workers count the disabled endpoints of all tenants',
  'policy webhook_desactive to {mandat_access} using (desactive_le IS NOT NULL)':
    'shows that count and no other column',
  ...Object.fromEntries(
    ['bulletin', 'recu', 'votant'].map((table) => [
      `table ${table}: mandat_app MAINTAIN`,
      'the worker removes the dead rows of sealed boxes; it shows no row',
    ]),
  ),
  'function urne_preparer':
    'copies questions and options to tables that no role of the processes writes; under the policies',
  'function urne_fixer_seuil':
    'sets the threshold of a draft, which no role of the processes may do; under the policies',
  'function urne_deposer_graine': 'keeps the partner’s seed before the opening; under the policies',
  'function urne_graines': 'returns the seeds of a closed box; under the policies',
  'function urne_choisir': 'returns whether a text is an answer to a question; it reads no table',
  'function urne_liberer': 'removes that copy before the first vote; under the policies',
  'function urne_contient':
    'returns whether the box has a vote to a role that cannot read ballots; under the policies',
  'function urne_voter': 'casts ballots for a role that cannot insert any; under the policies',
  'function urne_vote_inchange':
    'returns whether a voter already has this weight and right; under the policies',
  'function urne_fermer':
    'closes the box of a vote that has ended, which no role of the processes may do; under the policies',
  'function urne_compter': 'counts ballots for a role that cannot read them; under the policies',
  'function urne_compter_par': 'the same by union and employer; under the policies',
  'function urne_depouiller': 'the same question by question; under the policies',
  'function urne_divulgue':
    'returns whether the result of a union and employer may be published; under the policies',
  'function urne_engager':
    'places receipts in their log, which no role of the processes may do; under the policies',
  'function urne_signaler': 'notes whether the log of receipts differs from a checkpoint; under the policies',
  'function urne_controler':
    'compares ballots, receipts and voters for a role that cannot read ballots; under the policies',
  'function urne_constater': 'seals a box in which they do not agree without a result; under the policies',
  'function urne_classes':
    'divides ballots into classes for a role that cannot read them; under the policies',
  'function urne_filtrer': 'returns the answers of published filters; under the policies',
  'function urne_livrer':
    'notes that a bundle is built, which no role of the processes may do; under the policies',
  'function urne_dossier': 'counts the answers of a sealed box by class; under the policies',
  'index campagne_dossier_du': 'the worker looks for the bundles to build of all tenants, every second',
  'policy campagne_dossier_du to {mandat_access} using dossier_du':
    'shows the worker only which bundles are due',
  'index campagne_chiffrement_du':
    'the worker looks for the encrypted votes to be summed or combined of all tenants, every second',
  'policy campagne_a_dechiffrer to {mandat_access} using (chiffree AND (NOT dechiffree))':
    'shows the worker only which of them are due',
  'function urne_voter_chiffre':
    'casts encrypted ballots for a role that cannot insert any; under the policies',
  'function urne_bulletins':
    'returns the encrypted ballots of a sealed box to a role that cannot read ballots; under the policies',
  'function urne_taille_chiffre': 'returns how long an encrypted ballot of a campaign is; under the policies',
  'function urne_dechiffrer':
    'keeps decrypted sums as counts, which no role of the processes may write; under the policies',
  'function urne_sceller': 'rewrites ballots for a role that cannot read them; under the policies',
  'index campagne_scellement_du': 'the worker looks for the closed boxes of all tenants, every second',
  'policy campagne_scellement_du to {mandat_access} using (urne_close AND (NOT urne_scellee))':
    'shows the worker only which boxes are due',
  'policy campagne_engagement_du to {mandat_access} using (publiee AND (NOT urne_close))':
    'shows the worker which votes are open, and a start without a key that there is one',
  'index campagne_urne_due':
    'every second, the scheduler looks for ballot boxes of all tenants whose vote has ended',
  'policy campagne_urne_due to {mandat_access} using (publiee AND (NOT urne_close) AND (fermeture_du_vote_utc <= now()))':
    'shows the scheduler only which boxes are due',
  'function changement_mois': 'makes the tables of the months to come, which no role of the processes may do',
  'function changement_mois_passes':
    'drops the tables of changes over 400 days old, which no role of the processes may do',
  "policy courriel_purge to {mandat_access} using (date_creation < (now() - '30 days'::interval)) with check false":
    'lets only the purge reach old emails',
  'policy espace_ferme_administration to {mandat_access} using true':
    'administration also writes settings of a data space; the table holds no data of a tenant',
  'policy horloge_essai_dues to {mandat_access} using true':
    'the scheduler finds what is due by the clock of each rehearsal; the table holds no other data',
  'function annuaire_marquer':
    'gives the directory a new state, which no role of the processes may do; the table holds no data of a tenant',
  'function horloge_avancer':
    'moves the clock of a staging data space, which no role of the processes may do; under the policies',
  'function horloge_remettre': 'puts it back to the real time; under the policies',
  'function essai_effacer':
    'removes rows of a staging data space that no role of the processes may remove; under the policies',
  'policy reglage_administration to {mandat_access} using true with check true':
    'administrators set it and the tenants of a client only read it; it holds no data of a tenant',
};

/** Each rule with a query that returns the `name` of each object that breaks it. */
const RULES: Readonly<Record<string, string>> = {
  'a table without tenant_id that is neither of administration nor technical': `
    SELECT 'table ' || relname AS name FROM tables
    WHERE NOT is_tenant AND relname <> ALL ($1::text[] || $2::text[]) AND nspname <> '${QUEUE_SCHEMA}'`,
  'row-level security is not enabled': `
    SELECT 'table ' || relname AS name FROM tables WHERE is_tenant AND NOT relrowsecurity`,
  'row-level security is not forced': `
    SELECT 'table ' || relname AS name FROM tables WHERE is_tenant AND NOT relforcerowsecurity`,
  'no policy for all commands that holds to the own rows': `
    SELECT 'table ' || relname AS name FROM tables t WHERE is_tenant AND NOT EXISTS (
      SELECT FROM policies p WHERE p.relname = t.relname AND p.own_rows AND p.polcmd = '*')`,
  'a policy that opens more than the own rows': `
    SELECT concat_ws(' ', 'policy', polname, 'to', roles, 'using ' || using_sql, 'with check ' || check_sql) AS name
    FROM policies WHERE polpermissive AND NOT own_rows`,
  'tenant_id can be null': `
    SELECT 'table ' || t.relname AS name FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'
    WHERE is_tenant AND NOT a.attnotnull`,
  'a tenant_id whose statistics do not stand for one tenant': `
    SELECT 'table ' || t.relname AS name FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'
    WHERE is_tenant AND NOT coalesce(a.attoptions @> '{n_distinct=1}', false)`,
  'no primary key': `
    SELECT 'table ' || relname AS name FROM tables t
    WHERE is_tenant AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'p')`,
  'a key that does not begin with tenant_id': `
    SELECT 'constraint ' || conname AS name FROM pg_constraint c JOIN tables t ON t.oid = c.conrelid
    WHERE is_tenant AND contype IN ('p', 'u', 'f', 'x') AND (
      column_name(c.conrelid, c.conkey[1]) <> 'tenant_id'
      OR contype = 'f' AND column_name(c.confrelid, c.confkey[1]) <> 'tenant_id')`,
  'an index that does not begin with tenant_id': `
    SELECT 'index ' || i.indexrelid::regclass AS name FROM pg_index i JOIN tables t ON t.oid = i.indrelid
    WHERE is_tenant AND coalesce(column_name(i.indrelid, i.indkey[0]), '') <> 'tenant_id'`,
  'a privilege of the application that goes round row-level security': `
    SELECT 'table ' || relname || ': ' || role || ' ' || privilege AS name
    FROM tables, unnest(ARRAY['mandat_app', 'mandat_access', 'mandat_queue']) role,
      unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) privilege
    WHERE has_table_privilege(role, tables.oid, privilege)`,
  'a view that runs with the rights of its owner': `
    SELECT 'view ' || c.oid::regclass AS name FROM pg_class c JOIN schemas s ON s.oid = relnamespace
    WHERE relkind = 'v' AND NOT coalesce(reloptions @> '{security_invoker=true}', false)`,
  'a materialized view, which no policy guards': `
    SELECT 'view ' || c.oid::regclass AS name FROM pg_class c JOIN schemas s ON s.oid = relnamespace WHERE relkind = 'm'`,
  'a function that runs with the rights of its owner': `
    SELECT 'function ' || p.oid::regproc AS name FROM pg_proc p JOIN schemas s ON s.oid = pronamespace WHERE prosecdef`,
};

/** All schemas except those of PostgreSQL. */
const OUR_SCHEMAS = `
  SELECT oid, nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`;

const CATALOGUE = `
  WITH schemas AS (${OUR_SCHEMAS}), named AS (
    -- Outside of schema public the name says in which schema it is.
    SELECT c.oid, c.oid::regclass::text AS relname, nspname, relrowsecurity, relforcerowsecurity
    FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace WHERE relkind IN ('r', 'p', 'f')
  ), tables AS (
    SELECT *, relname <> ALL ($1::text[]) AND EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = named.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    ) AS is_tenant FROM named
  ), policies AS (
    SELECT relname, polname, polcmd, polpermissive, polroles::regrole[]::text AS roles,
      pg_get_expr(polqual, polrelid) AS using_sql, pg_get_expr(polwithcheck, polrelid) AS check_sql,
      coalesce(pg_get_expr(polqual, polrelid), $3) = $3 AND coalesce(pg_get_expr(polwithcheck, polrelid), $3) = $3
        AND (polqual IS NOT NULL OR polcmd = 'a') AS own_rows
    FROM pg_policy p JOIN tables t ON t.oid = p.polrelid
  )`;

/** Returns a sentence for every object of the schema that breaks a tenancy rule (design, "Schema rules"). */
export async function tenancyFaults(database: Client): Promise<string[]> {
  const broken = await brokenRules(database);
  return broken.filter(({ name }) => !(name in EXCEPTIONS)).map(({ name, rule }) => `${name}: ${rule}`);
}

/** Returns the exceptions that are not needed any more. */
export async function staleExceptions(database: Client): Promise<string[]> {
  const needed = new Set((await brokenRules(database)).map(({ name }) => name));
  return Object.keys(EXCEPTIONS).filter((name) => !needed.has(name));
}

async function brokenRules(database: Client): Promise<{ name: string; rule: string }[]> {
  const broken: { name: string; rule: string }[] = [];
  for (const [rule, query] of Object.entries(RULES)) {
    const text = `${CATALOGUE} SELECT name FROM (${query}) broken, (SELECT $1::text[], $2::text[], $3::text) used ORDER BY name`;
    const plain = text.replaceAll(/column_name\(([\w.]+), ([\w.[\]]+)\)/g, COLUMN_NAME);
    const { rows } = await database.query<{ name: string }>(plain, [
      ACCESS_TABLES,
      TECHNICAL_TABLES,
      OWN_ROWS,
    ]);
    broken.push(...rows.map(({ name }) => ({ name, rule })));
  }
  return broken;
}

const COLUMN_NAME = '(SELECT attname FROM pg_attribute WHERE attrelid = $1 AND attnum = $2)';

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'];

/**
 * Returns all privileges of a role on the tables, views, sequences and schemas of the database, direct or inherited:
 * one line each, `tache: DELETE, SELECT (tenant_id, id_unique)`. The days in the names of partitions are left out.
 */
export async function privilegesOf(database: Client, role: string): Promise<string[]> {
  const { rows } = await database.query<{ line: string }>(
    `WITH schemas AS (${OUR_SCHEMAS}), relations AS (
       SELECT c.oid, relkind, regexp_replace(c.oid::regclass::text, '_\\d{8}$', '_(day)') AS name
       FROM pg_class c JOIN schemas s ON s.oid = relnamespace WHERE relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
     ), privileges AS (SELECT * FROM unnest($2::text[]) WITH ORDINALITY AS p (privilege, place)),
     held AS (
       SELECT name, place, privilege FROM relations, privileges
       WHERE relkind <> 'S' AND has_table_privilege($1, oid, privilege)
       UNION
       SELECT name, 10 + place, privilege || ' (' || string_agg(attname, ', ' ORDER BY attnum) || ')'
       FROM relations JOIN pg_attribute a ON attrelid = oid AND NOT attisdropped, privileges
       WHERE relkind <> 'S' AND privilege IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
         AND has_column_privilege($1, oid, attnum, privilege) AND NOT has_table_privilege($1, oid, privilege)
       GROUP BY oid, name, place, privilege
       UNION
       SELECT name, 0, privilege FROM relations, unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) privilege
       WHERE relkind = 'S' AND has_sequence_privilege($1, oid, privilege)
       UNION
       SELECT 'schema ' || nspname, 0, privilege FROM schemas, unnest(ARRAY['USAGE', 'CREATE']) privilege
       WHERE has_schema_privilege($1, oid, privilege)
     )
     SELECT name || ': ' || string_agg(privilege, ', ' ORDER BY place, privilege) AS line FROM held
     GROUP BY name ORDER BY name COLLATE "C"`,
    [role, PRIVILEGES],
  );
  return rows.map(({ line }) => line);
}

/** The tables of the queue, named as `privilegesOf` does. */
export async function queueTables(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT DISTINCT regexp_replace(oid::regclass::text, '_\\d{8}$', '_(day)') COLLATE "C" AS name FROM pg_class
     WHERE relnamespace = '${QUEUE_SCHEMA}'::regnamespace AND relkind IN ('r', 'p') ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns all schemas as sorted lines, the same for the same schemas, without the daily partitions of the queue. Columns have
 * their places among those that were not dropped.
 */
export async function describeSchema(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ line: string }>(`
    WITH schemas AS (${OUR_SCHEMAS}), objects AS (
      SELECT c.*, c.oid::regclass AS name FROM pg_class c JOIN schemas s ON s.oid = relnamespace WHERE relname !~ '_\\d{8}(_|$)'
    )
    SELECT concat_ws(' ', 'relation', name, relkind, relpersistence, relrowsecurity, relforcerowsecurity, relreplident,
      reloptions::text, relowner::regrole, ${RIGHTS('relacl')}, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid),
      CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) END) AS line FROM objects
    UNION ALL
    SELECT concat_ws(' ', 'column', name, row_number() OVER (PARTITION BY name ORDER BY attnum), attname,
      format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attcollation::regcollation, attstorage,
      attcompression, attstattarget, attoptions::text, ${RIGHTS('attacl')}, pg_get_expr(adbin, adrelid))
    FROM objects o JOIN pg_attribute a ON a.attrelid = o.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = o.oid AND d.adnum = a.attnum
    UNION ALL
    SELECT concat_ws(' ', 'statistics', name, attname, null_frac, avg_width, n_distinct)
    FROM objects o JOIN schemas s ON s.oid = relnamespace JOIN pg_stats t ON t.schemaname = nspname AND t.tablename = relname
    UNION ALL
    SELECT concat_ws(' ', 'sequence', seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache,
      seqcycle) FROM pg_sequence JOIN objects o ON o.oid = seqrelid
    UNION ALL
    SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN objects o ON o.oid = conrelid
    UNION ALL
    SELECT concat_ws(' ', 'index', indisvalid, pg_get_indexdef(indexrelid)) FROM pg_index i JOIN objects o ON o.oid = indrelid
    UNION ALL
    SELECT concat_ws(' ', 'policy', polrelid::regclass, polname, polcmd, polpermissive, polroles::regrole[]::text,
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    FROM pg_policy p JOIN objects o ON o.oid = polrelid
    UNION ALL
    SELECT concat_ws(' ', 'trigger', tgenabled, pg_get_triggerdef(t.oid))
    FROM pg_trigger t JOIN objects o ON o.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', 'function', pg_get_functiondef(p.oid), proowner::regrole, ${RIGHTS('proacl')})
    FROM pg_proc p JOIN schemas s ON s.oid = pronamespace WHERE prokind <> 'a'
    UNION ALL
    SELECT concat_ws(' ', 'schema', nspname, nspowner::regrole, ${RIGHTS('nspacl')})
    FROM pg_namespace WHERE oid IN (SELECT oid FROM schemas)
    UNION ALL
    SELECT concat_ws(' ', 'comment', identity, description) FROM pg_description,
      pg_identify_object(classoid, objoid, objsubid) WHERE schema IN (SELECT nspname FROM schemas) OR identity = 'public'
    UNION ALL
    SELECT concat_ws(' ', 'database', ${RIGHTS('datacl')}) FROM pg_database WHERE datname = current_database()
    ORDER BY line`);
  return rows.map(({ line }) => line);
}

/** SQL of the rights of a list, in one order. */
const RIGHTS = (acl: string): string =>
  `(SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(${acl}) acl)`;
