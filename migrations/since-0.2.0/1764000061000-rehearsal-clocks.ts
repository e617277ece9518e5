import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { asBallotBox, createFunctions, replaceFunctions } from '../../libs/platform/src/database/functions';
import { ACCESS_ROLE, APP_ROLE, BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Functions that read the time of the tenant. */
const READERS = ['tenant_today', 'urne_fermer', 'urne_deposer_graine', 'urne_voter'];

/** The state of a campaign as it was computed before. */
const CAMPAGNE_ETAT = `
CREATE OR REPLACE FUNCTION campagne_etat(
  publiee boolean, archivee boolean, urne_close boolean, ouverture timestamptz, fermeture timestamptz,
  moment timestamptz
)
  RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE
    WHEN archivee THEN 'Archive'
    WHEN NOT publiee THEN 'Brouillon'
    WHEN moment < ouverture THEN 'Planifie'
    WHEN moment < fermeture AND NOT urne_close THEN 'VoteOuvert'
    ELSE 'Termine'
  END
$$`;

/**
 * Clocks of rehearsals, in staging only (docs/adr/0058). The roles of the processes read them and write none, and events keep the
 * time that they showed.
 */
export class RehearsalClocks1764000061000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'b542f5b582399bbe4ad714bb6b9f7b39c2e6359f31f732fea401e81b38b87378';

  async up(runner: QueryRunner): Promise<void> {
    await createFunctions(runner, 'horloge_decalage', 'horloge_signaler', 'reglage_garder_environnement');
    await runner.query('ALTER TABLE reglage ADD UNIQUE (tenant_id, environnement)');
    await runner.query(`
      CREATE TRIGGER reglage_environnement BEFORE UPDATE OF tenant_id, environnement ON reglage FOR EACH ROW
      WHEN (OLD.environnement IS NOT NULL AND (OLD.tenant_id, OLD.environnement) IS DISTINCT FROM (NEW.tenant_id, NEW.environnement)) EXECUTE FUNCTION reglage_garder_environnement()`);
    // The reference keeps a space with a moved clock in staging.
    await runner.query(`
      CREATE TABLE horloge_essai (
        tenant_id uuid PRIMARY KEY,
        environnement text NOT NULL CHECK (environnement = 'staging'),
        decalage interval NOT NULL CHECK (decalage > interval '0' AND decalage <= interval '17568 hours'
          AND extract(month FROM decalage) = 0 AND extract(day FROM decalage) = 0),
        FOREIGN KEY (tenant_id, environnement) REFERENCES reglage (tenant_id, environnement)
      )`);
    await runner.query(
      `COMMENT ON TABLE horloge_essai IS 'Data spaces in rehearsal whose clock was moved; only horloge_avancer writes it'`,
    );
    for (const statement of secureTenantTable('horloge_essai', [])) await runner.query(statement);
    await runner.query(
      `CREATE POLICY horloge_essai_dues ON horloge_essai FOR SELECT TO ${ACCESS_ROLE} USING (true)`,
    );
    await runner.query('CREATE SEQUENCE horloge_essai_existe');
    await runner.query(
      `COMMENT ON SEQUENCE horloge_essai_existe IS 'Has a value as soon as horloge_essai has had a row'`,
    );
    await runner.query(
      'CREATE TRIGGER horloge_essai_existe AFTER INSERT ON horloge_essai FOR EACH ROW EXECUTE FUNCTION horloge_signaler()',
    );
    await runner.query('ALTER TABLE horloge_essai ENABLE ALWAYS TRIGGER horloge_essai_existe');
    const readers = `${APP_ROLE}, ${ACCESS_ROLE}, ${BALLOT_BOX_ROLE}`;
    await runner.query(`GRANT SELECT ON horloge_essai TO ${readers}`);
    await runner.query(`GRANT SELECT ON SEQUENCE horloge_essai_existe TO ${readers}`);
    await runner.query('ALTER TABLE evenement ADD COLUMN decalage interval');
    await runner.query('ALTER TABLE evenement ALTER COLUMN decalage SET DEFAULT horloge_decalage()');
    await runner.query(
      `COMMENT ON COLUMN evenement.decalage IS 'How far the clock of the rehearsal was ahead; null outside of one'`,
    );
    await restrictTaches(runner, "'sync', 'nouveauxIdentifiants', 'plan', 'horloge'");
    await replaceFunctions(runner, RehearsalClocks1764000061000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      await runner.query(CAMPAGNE_ETAT);
      for (const name of READERS) {
        const [row] = (await runner.query('SELECT pg_get_functiondef($1::regproc) AS definition', [
          name,
        ])) as { definition: string }[];
        await runner.query(row!.definition.replace(/tenant_clock\((\w+\(\))\)/, '$1'));
      }
    });
    await runner.query(`DELETE FROM tache WHERE type = 'horloge'`);
    await restrictTaches(runner, "'sync', 'nouveauxIdentifiants', 'plan'");
    await runner.query('ALTER TABLE evenement DROP COLUMN decalage');
    await runner.query('DROP TABLE horloge_essai');
    await runner.query('DROP SEQUENCE horloge_essai_existe');
    await runner.query('DROP TRIGGER reglage_environnement ON reglage');
    await runner.query('ALTER TABLE reglage DROP CONSTRAINT reglage_tenant_id_environnement_key');
    await runner.query(
      `DROP FUNCTION tenant_clock(timestamptz), horloge_avancer(timestamptz), horloge_remettre(), horloge_decalage(),
         horloge_signaler(), reglage_garder_environnement()`,
    );
  }
}

async function restrictTaches(runner: QueryRunner, types: string): Promise<void> {
  await runner.query(
    `ALTER TABLE tache DROP CONSTRAINT tache_type_check, ADD CONSTRAINT tache_type_check CHECK (type IN (${types}))`,
  );
}
