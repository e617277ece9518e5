import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { Client, type Pool, type PoolClient } from 'pg';
import type { PgBoss } from 'pg-boss';
import { createPipelinedPool } from '../../libs/platform/src/database/connections';
import { JobQueue } from '../../libs/platform/src/jobs/job-queue';
import { BASELINE } from '../../migrations/baseline';
import { cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import {
  ACCESS_TABLES,
  privilegesOf,
  queueTables,
  staleExceptions,
  tenancyFaults,
} from './support/catalogue';
import { Rows } from './support/rows';
import { perFile } from '../setup/fixtures';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');
const ROLES = ['mandat_queue', 'mandat_app', 'mandat_access'];
/** Owns the functions of the ballot box; no process works with this role. */
const BALLOT_BOX_ROLE = 'mandat_urne';
const ERASURE_ROLE = 'mandat_effacement';
const INSUFFICIENT_PRIVILEGE = { code: '42501' };

describe('Row-level security in the schema', () => {
  let database: Client;

  beforeAll(async () => {
    database = new Client({ connectionString: await cloneTemplate() });
    await database.connect();
  });
  afterAll(() => database.end());

  it('every table of tenants has forced row-level security, and tenant_id first in every key and index', async () => {
    expect(await tenancyFaults(database)).toEqual([]);
    expect(await staleExceptions(database)).toEqual([]);
  });

  const secured = `ALTER TABLE broken ENABLE ROW LEVEL SECURITY; ALTER TABLE broken FORCE ROW LEVEL SECURITY;
    CREATE POLICY broken_tenant ON broken USING (tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid));`;
  const sound = `CREATE TABLE broken (tenant_id uuid NOT NULL, id uuid, other uuid, PRIMARY KEY (tenant_id, id)); ${secured}`;
  it.each<[fault: string, schema: string]>([
    [
      'table broken: row-level security is not forced',
      `${sound} ALTER TABLE broken NO FORCE ROW LEVEL SECURITY`,
    ],
    [
      'table broken: row-level security is not enabled',
      `${sound} ALTER TABLE broken DISABLE ROW LEVEL SECURITY`,
    ],
    [
      'table broken: no policy for all commands that holds to the own rows',
      `${sound} DROP POLICY broken_tenant ON broken`,
    ],
    [
      'policy broken_all to {-} using true: a policy that opens more than the own rows',
      `${sound} CREATE POLICY broken_all ON broken USING (true)`,
    ],
    [
      `policy tache_purge to {-} using (date_fin < (now() - '7 days'::interval)) with check false: a policy that opens more than the own rows`,
      'ALTER POLICY tache_purge ON tache TO PUBLIC',
    ],
    [
      'policy tache_purge to {mandat_access} using (date_fin < now()) with check false: a policy that opens more than the own rows',
      'ALTER POLICY tache_purge ON tache USING (date_fin < now())',
    ],
    [
      'constraint broken_pkey: a key that does not begin with tenant_id',
      `CREATE TABLE broken (id uuid PRIMARY KEY, tenant_id uuid NOT NULL); ${secured}`,
    ],
    [
      'constraint broken_other_key: a key that does not begin with tenant_id',
      `${sound} ALTER TABLE broken ADD UNIQUE (other)`,
    ],
    [
      'constraint broken_other_fkey: a key that does not begin with tenant_id',
      `${sound} ALTER TABLE broken ADD FOREIGN KEY (other) REFERENCES client (id)`,
    ],
    [
      'index broken_other_tenant_id_idx: an index that does not begin with tenant_id',
      `${sound} CREATE INDEX ON broken (other, tenant_id)`,
    ],
    [
      'index broken_lower_idx: an index that does not begin with tenant_id',
      `${sound} CREATE INDEX ON broken (lower(other::text))`,
    ],
    ['table broken: tenant_id can be null', `CREATE TABLE broken (tenant_id uuid, id uuid); ${secured}`],
    ['table broken: a tenant_id whose statistics do not stand for one tenant', sound],
    [
      'table employe: a tenant_id whose statistics do not stand for one tenant',
      'ALTER TABLE employe ALTER COLUMN tenant_id RESET (n_distinct)',
    ],
    ['table broken: no primary key', `CREATE TABLE broken (tenant_id uuid, id uuid); ${secured}`],
    [
      'table broken: a table without tenant_id that is neither of administration nor technical',
      'CREATE TABLE broken (id uuid PRIMARY KEY)',
    ],
    [
      'table hidden.broken: a table without tenant_id that is neither of administration nor technical',
      'CREATE SCHEMA hidden; CREATE TABLE hidden.broken (id uuid PRIMARY KEY)',
    ],
    [
      'table pgboss.broken: row-level security is not forced',
      'CREATE TABLE pgboss.broken (tenant_id uuid PRIMARY KEY)',
    ],
    [
      'table broken: mandat_app TRUNCATE: a privilege of the application that goes round row-level security',
      `${sound} GRANT TRUNCATE ON broken TO mandat_app`,
    ],
    [
      'table pgboss.job: mandat_queue TRUNCATE: a privilege of the application that goes round row-level security',
      'GRANT TRUNCATE ON pgboss.job TO mandat_queue',
    ],
    [
      'view broken: a view that runs with the rights of its owner',
      'CREATE VIEW broken AS SELECT * FROM employe',
    ],
    [
      'view broken: a materialized view, which no policy guards',
      'CREATE MATERIALIZED VIEW broken AS SELECT * FROM employe',
    ],
    [
      'function broken: a function that runs with the rights of its owner',
      `CREATE FUNCTION broken() RETURNS bigint SECURITY DEFINER AS 'SELECT count(*) FROM employe' LANGUAGE sql`,
    ],
    [
      'function pgboss.broken: a function that runs with the rights of its owner',
      `CREATE FUNCTION pgboss.broken() RETURNS bigint SECURITY DEFINER AS 'SELECT count(*) FROM employe' LANGUAGE sql`,
    ],
  ])('reports "%s"', async (fault, schema) => {
    await database.query('BEGIN');
    await database.query(schema);
    const faults = await tenancyFaults(database);
    await database.query('ROLLBACK');
    expect(faults).toContain(fault);
  });

  it('an exception that is not needed any more is reported', async () => {
    await database.query('BEGIN');
    await database.query('DROP INDEX campagne_ouverture_due');
    const stale = await staleExceptions(database);
    await database.query('ROLLBACK');
    expect(stale).toEqual(['index campagne_ouverture_due']);
  });

  it('the roles of the processes own no object except stages, bypass no policy and are members of no role', async () => {
    const { rows } = await database.query(
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
         (SELECT count(*)::int FROM pg_shdepend d WHERE refobjid = r.oid AND deptype = 'o'
            AND dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = d.objid AND c.relpersistence = 't')) AS owned,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
         has_schema_privilege(r.oid, 'public', 'CREATE') OR has_schema_privilege(r.oid, 'pgboss', 'CREATE') AS creates
       FROM pg_roles r WHERE rolname = ANY ($1) ORDER BY rolname DESC`,
      [ROLES],
    );
    const harmless = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false };
    const nothing = { rolreplication: false, rolcanlogin: false, owned: 0, memberships: 0, creates: false };
    expect(rows).toEqual(ROLES.map((rolname) => ({ rolname, ...harmless, ...nothing })));
  });

  describe('Privileges on all tables, views, sequences and schemas', () => {
    const ROWS = 'SELECT, INSERT, UPDATE, DELETE';
    /** Append-only tables: no request changes or removes their rows. */
    const HISTORY = [
      'autorisation_paiement',
      'chiffrement_fichier',
      'chiffrement_somme',
      'changement',
      'dossier',
      'dossier_fichier',
      'dossier_morceau',
      'engagement',
      'journal',
      'paiement',
      'recu_noeud',
    ];
    /** Tables in which the ballot box stores a vote and its count. */
    const KEPT = ['participation', 'urne_option', 'urne_question'];
    /**
     * Also append-only, except for the columns that record progress (place and kinds in the feed, the state of a delivery or an
     * email), and those that follow a new identifier of an employee.
     */
    const NOTED: Readonly<Record<string, string>> = {
      changement_lot: 'date_publication, entites',
      consentement: 'id_externe_employe',
      evenement: 'date_publication',
      journal_tete: 'numero, empreinte, sceau, cle_secrets',
      liste_electorale: 'employes',
      livraison: 'etat, essais, tour, prochaine_tentative, tentatives',
      courriel: 'nombre_destinataires, tour',
      courriel_destinataire: 'employe_id, etat, code_smtp, essais, porteur, echeance, date, statut',
    };
    /** Signed data: requests write only the columns of later decisions, and new identifiers of employees. */
    const SIGNED: Readonly<Record<string, string>> = {
      adhesion: 'id_externe_employe, employe_id_unique, avec_paiement',
      demande_adhesion:
        'statut, employe_id_externe_envoye, date_decision, raison, id_externe_employe, adhesion_id',
      signature_manuscrite: 'adhesion_id, demande_id',
    };
    /** Meetings and points: requests update only the columns with counts. */
    const COUNTED: Readonly<Record<string, string>> = {
      point_seance: 'pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte',
      seance: 'inscrits, presents, votants',
    };
    /** Excludes the hidden columns, which show the transaction that wrote a row. */
    const VOTER = `identifiant, prenom, nom, courriel, employe_id_externe, syndicat_id_externe, employeur_identifiant_externe, a_droit_de_vote, poids, liste_electorale_id, adhesion_debut, emploi_debut`;
    const VOTANT = `votant: DELETE, MAINTAIN, SELECT (tenant_id, campagne_id, id_unique, identifiant, prenom, nom, courriel, employe_id_externe, syndicat_id_externe, employeur_identifiant_externe, a_droit_de_vote, a_vote, poids, date_creation, liste_electorale_id, adhesion_debut, emploi_debut), INSERT (tenant_id, campagne_id, id_unique, ${VOTER.replace(', liste_electorale_id', ', date_creation, liste_electorale_id')}), UPDATE (${VOTER})`;
    /** Excludes the columns that close the ballot box. */
    const CAMPAGNE = `titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, texte_page_accueil, libelle_abstention, ordre_reponses_aleatoire, publiee, archivee, ouverture_annoncee, fermeture_annoncee, nombre_votants, date_creation, date_modification, publications`;
    const PUBLIC_SCHEMA = 'schema public: USAGE';
    const QUEUE_SCHEMA = 'schema pgboss: USAGE';

    it('mandat_app has the rows of tenants, and may add jobs to the queue', async () => {
      const { tenantTables } = await Rows.of(database);
      expect(tenantTables).toEqual(
        expect.arrayContaining(['employe', 'employeur', 'objet_consentement', 'idempotency_record', 'tache']),
      );
      expect(tenantTables).toEqual(expect.arrayContaining(['adhesion', 'demande_adhesion', ...HISTORY]));
      const owned = tenantTables
        // Counts by union and employer belong to the ballot box, which returns only those that are large enough.
        .filter((table) => !['reglage', 'espace_ferme', 'bulletin', 'depouillement'].includes(table))
        .map((table) => {
          if (table === 'votant') return VOTANT;
          if (table === 'campagne')
            return `campagne: SELECT, DELETE, INSERT (tenant_id, id_unique, ${CAMPAGNE}), UPDATE (${CAMPAGNE}, votants_ajoutes, votants_retires, votants_modifies, chiffrement_du)`;
          if (table === 'urne')
            return 'urne: SELECT (tenant_id, campagne_id, empreinte_graine, empreinte_graine_partenaire, cle, ceremonie)';
          if (table === 'recu') return 'recu: MAINTAIN, SELECT (tenant_id, campagne_id, empreinte, place)';
          if (KEPT.includes(table)) return `${table}: SELECT`;
          if (NOTED[table]) return `${table}: SELECT, INSERT, UPDATE (${NOTED[table]})`;
          if (COUNTED[table]) return `${table}: SELECT, INSERT, UPDATE (${COUNTED[table]})`;
          if (table === 'chiffrement')
            return 'chiffrement: SELECT, INSERT, DELETE, UPDATE (cle, ceremonie, bulletins)';
          if (SIGNED[table]) return `${table}: SELECT, INSERT, DELETE, UPDATE (${SIGNED[table]})`;
          return `${table}: ${HISTORY.includes(table) ? 'SELECT, INSERT' : ROWS}`;
        });
      const settings = [
        'reglage: SELECT',
        'espace_ferme: SELECT',
        'espace_ferme_existe: SELECT',
        'horloge_essai: SELECT',
        'horloge_essai_existe: SELECT',
        'emploi_v1: SELECT',
        'bulletin: MAINTAIN',
      ];
      const queue = [
        'pgboss.job: INSERT, SELECT (id)',
        'pgboss.job_common: INSERT, SELECT (id)',
        'pgboss.queue: SELECT',
      ];
      expect(await privilegesOf(database, 'mandat_app')).toEqual(
        [...owned, ...settings, ...queue, PUBLIC_SCHEMA, QUEUE_SCHEMA].sort(),
      );
    });

    it('mandat_access has the tables of administration, and few columns of the tables of tenants', async () => {
      expect(await privilegesOf(database, 'mandat_access')).toEqual([
        'ancien_identifiant: DELETE, SELECT (tenant_id, date_creation, id_unique)',
        // The scheduler, which reads the dates and states of campaigns and no other column.
        'campagne: SELECT (tenant_id, id_unique, ouverture_du_vote_utc, fermeture_du_vote_utc, publiee, ouverture_annoncee, fermeture_annoncee, urne_close, urne_scellee, dossier_du, chiffree, dechiffree, chiffrement_du)',
        // The worker, which looks for certifications to run, and the purge.
        'certification: DELETE, SELECT (tenant_id, id_unique, date_creation, date_fin)',
        'cle: SELECT, INSERT, UPDATE',
        'cle_dossier: SELECT, INSERT',
        'client: SELECT, INSERT, UPDATE',
        // The purge of old emails, without their content.
        'courriel: DELETE, SELECT (tenant_id, id_unique, nombre_destinataires, date_creation)',
        'deplacement: SELECT, INSERT (tenant_id, cellule_origine, cellule)',
        'derniere_ecriture: SELECT, INSERT, UPDATE',
        'espace_ferme: SELECT',
        'espace_ferme_existe: SELECT',
        'etat_annuaire: SELECT',
        // The purge of old events, without their content.
        'evenement: DELETE, SELECT (tenant_id, id_unique, date_creation)',
        // The scheduler, which finds what is due by the clock of each rehearsal.
        'horloge_essai: SELECT',
        'horloge_essai_existe: SELECT',
        // The records of administrators, and the purge of expired records.
        `idempotency_record: ${ROWS}`,
        // The diagnosis.
        'migration: SELECT',
        // The purge of plans, without their content.
        'plan: DELETE, SELECT (tenant_id, id_unique, octets, date_creation)',
        `rate_window: ${ROWS}`,
        'reglage: SELECT, INSERT, UPDATE',
        PUBLIC_SCHEMA,
        // The purge of syncs, without their effects and keys.
        'sync: DELETE, SELECT (tenant_id, id_unique, octets, date_creation)',
        // The purge of tasks that ended long ago, without their content.
        'tache: DELETE, SELECT (tenant_id, id_unique, date_fin, octets)',
        'tenant: SELECT, INSERT, UPDATE',
        `travail_en_cours: ${ROWS}`,
        'verification_journal: SELECT, INSERT',
        // The number of disabled endpoints.
        'webhook: SELECT (desactive_le)',
      ]);
    });

    it('mandat_urne has the ballots, owns the functions that count them, and has no other privilege', async () => {
      expect(await privilegesOf(database, BALLOT_BOX_ROLE)).toEqual([
        'bulletin: SELECT, INSERT, DELETE',
        'campagne: SELECT (tenant_id, id_unique, ouverture_du_vote_utc, fermeture_du_vote_utc, publiee, archivee, publications, urne_fermee_par, urne_close, urne_scellee, seuil_anonymat, raison_seuil_anonymat, urne_anomalies, urne_constat, urne_constat_date, dossier_du, chiffree, dechiffree), UPDATE (urne_fermee_par, urne_scellee, seuil_anonymat, raison_seuil_anonymat, urne_anomalies, urne_constat, urne_constat_date, dossier_du, chiffree, dechiffree, chiffrement_du)',
        'chiffrement: SELECT',
        'depouillement: SELECT, INSERT, MAINTAIN',
        'engagement: SELECT (tenant_id, campagne_id, taille)',
        'horloge_essai: SELECT',
        'horloge_essai_existe: SELECT',
        'option: SELECT, UPDATE (ordre)',
        'participation: SELECT, INSERT, MAINTAIN',
        'question: SELECT, UPDATE (ordre)',
        'recu: SELECT, INSERT, DELETE, UPDATE (place)',
        'reglage: SELECT (tenant_id, seuil_anonymat)',
        PUBLIC_SCHEMA,
        'urne: SELECT, INSERT, DELETE, UPDATE (graine_partenaire)',
        'urne_option: SELECT, INSERT, DELETE',
        'urne_question: SELECT, INSERT, DELETE',
        'votant: SELECT, INSERT, DELETE, UPDATE (a_vote)',
      ]);
      const { rows } = await database.query(
        `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcanlogin,
           has_schema_privilege(oid, 'public', 'CREATE') AS creates,
           (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
           (SELECT array_agg(proname::text ORDER BY proname) FROM pg_proc WHERE proowner = r.oid) AS functions
         FROM pg_roles r WHERE rolname = $1`,
        [BALLOT_BOX_ROLE],
      );
      const nothing = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcanlogin: false };
      expect(rows).toEqual([
        {
          ...nothing,
          creates: false,
          memberships: 0,
          functions: [
            'campagne_etat',
            'urne_bulletins',
            'urne_choisir',
            'urne_classes',
            'urne_compter',
            'urne_compter_par',
            'urne_constater',
            'urne_contient',
            'urne_controler',
            'urne_dechiffrer',
            'urne_deposer_graine',
            'urne_depouiller',
            'urne_divulgue',
            'urne_dossier',
            'urne_engager',
            'urne_fermer',
            'urne_filtrer',
            'urne_fixer_seuil',
            'urne_graines',
            'urne_liberer',
            'urne_livrer',
            'urne_preparer',
            'urne_sceller',
            'urne_signaler',
            'urne_taille_chiffre',
            'urne_vote_inchange',
            'urne_voter',
            'urne_voter_chiffre',
          ],
        },
      ]);
    });

    it('mandat_effacement has the privileges of mandat_app, and deletes rows that only an erasure deletes', async () => {
      const app = await privilegesOf(database, 'mandat_app');
      const more = (await privilegesOf(database, ERASURE_ROLE)).filter((held) => !app.includes(held));
      expect(more).toEqual([
        'autorisation_paiement: SELECT, INSERT, DELETE',
        'changement: SELECT, INSERT, DELETE',
        'evenement: SELECT, INSERT, DELETE, UPDATE (date_publication)',
        'paiement: SELECT, INSERT, DELETE',
      ]);
      const { rows } = await database.query(
        `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcanlogin,
           (SELECT array_agg(roleid::regrole::text) FROM pg_auth_members WHERE member = r.oid) AS memberships
         FROM pg_roles r WHERE rolname = $1`,
        [ERASURE_ROLE],
      );
      const nothing = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcanlogin: false };
      expect(rows).toEqual([{ ...nothing, memberships: ['mandat_app'] }]);
    });

    it('mandat_queue has the rows of the queue and no table of the service', async () => {
      const tables = await queueTables(database);
      expect(tables).toEqual(expect.arrayContaining(['pgboss.job', 'pgboss.queue', 'pgboss.version']));
      expect(await privilegesOf(database, 'mandat_queue')).toEqual([
        ...tables.map((table) => `${table}: ${ROWS}`),
        QUEUE_SCHEMA,
        PUBLIC_SCHEMA,
      ]);
    });

    it.each<[role: string, grant: string, seen: string]>([
      ['mandat_app', 'SELECT ON cle', 'cle: SELECT'],
      ['mandat_app', 'SELECT (data) ON pgboss.job', 'pgboss.job: INSERT, SELECT (id, data)'],
      ['mandat_app', 'CREATE ON SCHEMA pgboss', 'schema pgboss: CREATE, USAGE'],
      ['mandat_app', 'mandat_access', 'tenant: SELECT, INSERT, UPDATE'],
      [
        'mandat_app',
        'UPDATE (accepte) ON consentement',
        'consentement: SELECT, INSERT, UPDATE (id_externe_employe, accepte)',
      ],
      ['mandat_app', 'DELETE ON journal', 'journal: SELECT, INSERT, DELETE'],
      [
        'mandat_access',
        'SELECT (corps) ON tache',
        'tache: DELETE, SELECT (tenant_id, id_unique, corps, date_fin, octets)',
      ],
      ['mandat_access', 'SELECT (xmin) ON employe', 'employe: SELECT (xmin)'],
      ['mandat_access', 'USAGE ON SCHEMA pgboss', QUEUE_SCHEMA],
      ['mandat_queue', 'REFERENCES (id) ON client', 'client: REFERENCES (id)'],
      ['PUBLIC', 'SELECT ON employe', 'employe: SELECT'],
      ['mandat_queue', 'USAGE ON SEQUENCE migration_id_seq', 'migration_id_seq: USAGE'],
    ])('a further privilege of %s is found: %s', async (role, grant, seen) => {
      const holder = role === 'PUBLIC' ? 'mandat_queue' : role;
      expect(await privilegesOf(database, holder)).not.toContain(seen);
      await database.query('BEGIN');
      await database.query(`GRANT ${grant} TO ${role}`);
      const held = await privilegesOf(database, holder);
      await database.query('ROLLBACK');
      expect(held).toContain(seen);
    });
  });
});

describe('The queue and its tasks', () => {
  const app = perFile(() => TestApp.own('sees all tenants'));
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await app.tenant();
  });

  it('a job of the queue contains the tenant, the sender and its language, the id and the size of its task, and no part of the request', async () => {
    const secret = randomBytes(8).toString('hex');
    const body = { Employes: [{ IdExterne: secret, Prenom: secret, Nom: secret }] };
    const sent = await app.send(tenant, 'POST', '/b2b/v2/sync', body, { Prefer: 'respond-async' });
    expect(sent.status).toBe(202);
    const { rows } = await app.database.query<{ data: object; group_id: string }>(
      'SELECT data, group_id FROM pgboss.job',
    );
    expect(rows).toEqual([
      {
        data: {
          ...{ tenantId: tenant.tenantId, tacheId: sent.json.id },
          actor: { cleId: tenant.cleId, requestId: sent.headers.get('x-request-id') },
          language: 'en',
          isShort: true,
        },
        group_id: tenant.tenantId,
      },
    ]);
    const texts = await Promise.all(
      ['tache', ...(await queueTables(app.database))]
        .filter((table) => !table.endsWith('(day)'))
        .map(async (table) => {
          const held = await app.database.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
          return { table, holds: held.rows.some(({ text }) => holds(text, secret)) };
        }),
    );
    // The search finds a text that is stored.
    expect(texts.filter((one) => one.holds).map(({ table }) => table)).toEqual(['tache']);
  });

  /** A bytea column prints its bytes as digits. */
  function holds(text: string, secret: string): boolean {
    return text.includes(secret) || text.includes(Buffer.from(secret).toString('hex'));
  }

  it('the queue is used as mandat_queue, although the URL names a superuser, and reads no table of the service', async () => {
    const boss = await app.app.get<JobQueue, { boss: () => Promise<PgBoss> }>(JobQueue).boss();
    const ask = (text: string): Promise<{ rows: object[] }> => boss.getDb().executeSql(text);
    expect((await ask('SELECT current_user, session_user = current_user AS same')).rows).toEqual([
      { current_user: 'mandat_queue', same: false },
    ]);
    expect((await ask('SELECT name FROM pgboss.queue ORDER BY name')).rows).toEqual([
      { name: 'courriel' },
      { name: 'livraison' },
      { name: 'tache' },
      { name: 'tache-abandonnee' },
    ]);
    for (const table of [...(await Rows.of(app.database)).tenantTables, ...ACCESS_TABLES]) {
      await expect(ask(`SELECT FROM ${table}`)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
    }
  });

  it('a request may add jobs; it may not read, change or remove any', async () => {
    await app.database.query('BEGIN');
    await app.database.query('SET LOCAL ROLE mandat_app');
    for (const statement of [
      'SELECT data FROM pgboss.job',
      'SELECT FROM pgboss.job WHERE data IS NULL',
      `UPDATE pgboss.job SET state = 'cancelled'`,
      'DELETE FROM pgboss.job',
    ]) {
      await app.database.query('SAVEPOINT attempt');
      await expect(app.database.query(statement)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
      await app.database.query('ROLLBACK TO attempt');
    }
    await app.database.query('ROLLBACK');
  });

  it('the purge deletes tasks of any tenant that ended more than 7 days ago, and cannot read their content', async () => {
    const other = await app.tenant();
    const ended = async ({ tenantId }: TestTenant, days: number): Promise<string> => {
      const { rows } = await app.database.query<{ id: string }>(
        `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin)
         VALUES ($1, 'sync', 'Reussie', 0, false, now() - make_interval(days => $2)) RETURNING id_unique AS id`,
        [tenantId, days],
      );
      return rows[0]!.id;
    };
    const old = [await ended(tenant, 8), await ended(other, 8)];
    await ended(tenant, 6);
    await ended(other, 6);
    await app.database.query('BEGIN');
    await app.database.query('SET LOCAL ROLE mandat_access');
    const attempt = async (statement: string): Promise<unknown> => {
      await app.database.query('SAVEPOINT attempt');
      const outcome = await app.database.query(statement).catch((error: unknown) => error);
      if (outcome instanceof Error) await app.database.query('ROLLBACK TO attempt');
      return outcome;
    };
    for (const statement of [
      'SELECT corps FROM tache',
      'UPDATE tache SET date_fin = now()',
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin)
       VALUES (gen_random_uuid(), 'sync', 'Reussie', 0, false, now() - interval '8 days')`,
    ]) {
      expect(await attempt(statement)).toMatchObject(INSUFFICIENT_PRIVILEGE);
    }
    const removed = await attempt('DELETE FROM tache RETURNING id_unique AS id');
    await app.database.query('ROLLBACK');
    const ids = (removed as { rows: { id: string }[] }).rows.map(({ id }) => id);
    expect(ids.sort()).toEqual(old.sort());
  });
});

describe('A connection with the settings of the application', () => {
  let app: TestApp;
  let pool: Pool;
  let connection: PoolClient;
  let one: TestTenant;
  let other: TestTenant;

  beforeAll(async () => {
    app = await TestApp.own('sees all tenants');
    one = await app.tenant();
    other = await app.tenant();
    for (const tenant of [one, other]) {
      await app.send(tenant, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: tenant.tenantId });
    }
    pool = createPipelinedPool(
      { url: app.dataUrl, size: 1, applicationName: 'like the application' },
      () => undefined,
    );
  });
  afterAll(async () => {
    await pool.end();
    await app.stop();
  });
  beforeEach(async () => {
    connection = await pool.connect();
  });
  afterEach(() => connection.release());

  const enter = async ({ tenantId }: TestTenant): Promise<void> => {
    await connection.query('BEGIN');
    await connection.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
  };
  const names = async (): Promise<string[]> =>
    (await connection.query<{ nom: string }>('SELECT nom FROM employeur')).rows.map(({ nom }) => nom);

  it('is mandat_app, although the URL names a superuser, and reads no key', async () => {
    const { rows } = await connection.query('SELECT current_user, session_user = current_user AS same');
    expect(rows).toEqual([{ current_user: 'mandat_app', same: false }]);
    for (const table of ACCESS_TABLES) {
      await expect(connection.query(`SELECT 1 FROM ${table}`)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
    }
  });

  it('sees no row before a tenant is set, its own rows while it is set, and no row after the transaction', async () => {
    expect(await names()).toEqual([]);
    for (const end of ['COMMIT', 'ROLLBACK']) {
      await enter(one);
      expect(await names()).toEqual([one.tenantId]);
      await connection.query(end);
      expect(await names()).toEqual([]);
    }
  });

  it('can neither read, change, remove nor insert a row of another tenant', async () => {
    await enter(one);
    const foreign = [other.tenantId];
    expect((await connection.query('SELECT FROM employeur WHERE tenant_id = $1', foreign)).rowCount).toBe(0);
    expect(
      (await connection.query(`UPDATE employeur SET nom = 'x' WHERE tenant_id = $1`, foreign)).rowCount,
    ).toBe(0);
    expect((await connection.query('DELETE FROM employeur WHERE tenant_id = $1', foreign)).rowCount).toBe(0);
    for (const write of [
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, 'EMP-2', 'x')`,
      'UPDATE employeur SET tenant_id = $1',
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, 'EMP-1', 'x') ON CONFLICT (tenant_id, id_externe) DO UPDATE SET nom = 'x'`,
    ]) {
      await connection.query('SAVEPOINT attempt');
      await expect(connection.query(write, foreign)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
      await connection.query('ROLLBACK TO attempt');
    }
    await connection.query('COMMIT');
  });

  it('sees no row with an unknown tenant, and is rejected with a tenant that is not a GUID', async () => {
    await connection.query('BEGIN');
    await connection.query(
      `SELECT set_config('app.tenant_id', '00000000-0000-0000-0000-000000000000', true)`,
    );
    expect(await names()).toEqual([]);
    await connection.query(`SELECT set_config('app.tenant_id', '%', true)`);
    await expect(names()).rejects.toMatchObject({ code: '22P02' });
    await connection.query('ROLLBACK');
  });
});

describe('npm run cli -- migrate-down, then migrate', () => {
  const connections: Client[] = [];
  const connect = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    connections.push(client);
    return client;
  };
  afterAll(() => Promise.all(connections.map((client) => client.end())));

  const run = (url: string, ...command: string[]): string =>
    execFileSync(process.execPath, [CLI, ...command], {
      env: { ...process.env, DATABASE_URL: url },
      encoding: 'utf8',
    });

  it('they work for an owner that is not a superuser, and steps down keep the data', async () => {
    const superuser = await connect(process.env.TEST_DATABASE_URL!);
    const name = `mandat_owner_${randomBytes(8).toString('hex')}`;
    await superuser.query(`CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD '${name}'`);
    // Roles belong to the server: here another owner has made them already.
    await superuser.query(
      `GRANT ${[...ROLES, BALLOT_BOX_ROLE, ERASURE_ROLE].join(', ')} TO ${name} WITH ADMIN OPTION`,
    );
    await superuser.query(`CREATE DATABASE ${name} OWNER ${name}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${name}`;
    const database = await connect(url.href);
    Object.assign(url, { username: name, password: name });

    expect(run(url.href, 'migrate')).toMatch(/^Applied /);
    const [clientId, tenantId] = [randomUUID(), randomUUID()];
    await database.query(`INSERT INTO client (id, nom, modules) VALUES ('${clientId}', 'Client', '{}')`);
    await database.query(
      `INSERT INTO tenant (id, client_id, environnement) VALUES ('${tenantId}', '${clientId}', 'staging')`,
    );
    await database.query(
      `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ('${tenantId}', 'EMP-1', 'Usine')`,
    );
    await database.query(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom, a_emplois) VALUES ('${tenantId}', 'E-1', 'Zoé', 'Roy', true)`,
    );
    await database.query(
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, matricule)
       VALUES ('${tenantId}', 'E-1', 'EMPLOI-1', 'EMP-1', '1')`,
    );
    const { rows: migrations } = await database.query('SELECT FROM migration');
    const steps = migrations.length - BASELINE.migrations.length;
    expect(run(url.href, 'migrate-down', String(steps))).toBe(`Undid ${steps} migrations.\n`);
    const employes = await database.query(
      'SELECT prenom, matricule FROM employe e JOIN emploi j ON j.id_externe_employe = e.id_externe',
    );
    expect(employes.rows).toEqual([{ prenom: 'Zoé', matricule: '1' }]);

    expect(run(url.href, 'migrate')).toMatch(/^Applied /);
    expect(await tenancyFaults(database)).toEqual([]);
    expect(run(url.href, 'migrate')).toBe('The schema is up to date.\n');
  });
});
