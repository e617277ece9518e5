import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { asBallotBox } from '../libs/voting/src/sql/ballot-box';
import { replaceFunctions } from '../libs/voting/src/sql/functions';

/** Definitions before this migration, with the same effect. */
const BEFORE = [
  `CREATE OR REPLACE FUNCTION urne_deposer_graine(campagne uuid, graine bytea)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE urne u SET graine_partenaire = $2 FROM campagne c
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1
    AND c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.publiee AND NOT c.archivee AND clock_timestamp() < c.ouverture_du_vote_utc;
  RETURN FOUND;
END
$$`,
  `CREATE OR REPLACE FUNCTION urne_fermer(campagne uuid)
  RETURNS void
  LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  UPDATE campagne c SET urne_fermee_par = pg_current_xact_id()
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = urne_fermer.campagne
    AND c.urne_fermee_par IS NULL AND c.publiee AND clock_timestamp() >= c.fermeture_du_vote_utc
$$`,
];

/** The functions of the ballot box that depend on the state of a campaign call `campagne_etat`. */
export class StatesByOneFunction1764000049892 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = 'faa2991b82406cc4a5cb52b67e279f1ff291f94361bc6fc708fe3017ac578a22';

  async up(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, StatesByOneFunction1764000049892.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await asBallotBox(runner, async () => {
      for (const definition of BEFORE) await runner.query(definition);
    });
  }
}
