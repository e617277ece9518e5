import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { replaceFunctions } from '../../libs/platform/src/database/functions';
import { ACCESS_ROLE, APP_ROLE, BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

const PUBLISHED = `EXISTS (SELECT FROM urne u WHERE u.tenant_id = chiffrement.tenant_id AND u.campagne_id = chiffrement.campagne_id)`;

/**
 * What the processes cannot do with a published vote: replace its guardians, its key, a file or a sum. The box has the
 * key of the publication.
 */
const FROZEN = [
  `REVOKE UPDATE, DELETE ON chiffrement_fichier, chiffrement_somme FROM ${APP_ROLE}`,
  `REVOKE UPDATE ON chiffrement FROM ${APP_ROLE}`,
  `GRANT UPDATE (cle, ceremonie, bulletins) ON chiffrement TO ${APP_ROLE}`,
  `CREATE POLICY chiffrement_garde ON chiffrement AS RESTRICTIVE FOR DELETE TO ${APP_ROLE} USING (NOT ${PUBLISHED})`,
  `CREATE POLICY chiffrement_fixe ON chiffrement AS RESTRICTIVE FOR UPDATE TO ${APP_ROLE} USING (bulletins IS NULL)
     WITH CHECK (NOT EXISTS (SELECT FROM urne u WHERE u.tenant_id = chiffrement.tenant_id
       AND u.campagne_id = chiffrement.campagne_id AND (u.cle, u.ceremonie) IS DISTINCT FROM (chiffrement.cle, chiffrement.ceremonie)))`,
  `CREATE POLICY chiffrement_fichier_a_temps ON chiffrement_fichier AS RESTRICTIVE FOR INSERT TO ${APP_ROLE}
     WITH CHECK ((tour = 4) = EXISTS (SELECT FROM urne u
       WHERE u.tenant_id = chiffrement_fichier.tenant_id AND u.campagne_id = chiffrement_fichier.campagne_id))`,
];

/** Encrypted votes: guardians, their files, encrypted ballots and the sums that are decrypted (docs/encrypted-vote.md). */
export class EncryptedVotes1764000070000 implements MigrationInterface {
  /** Digest of the functions that this migration creates. */
  static readonly digest = '58f20dda7b209e158151080bb9c2af6a4d4d0a5fcdd50904f6f8679ac7b4b1a6';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chiffrement (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        seuil integer NOT NULL CHECK (seuil >= 1),
        gardiens text[] COLLATE "C" NOT NULL CHECK (cardinality(gardiens) BETWEEN seuil AND 9),
        cle bytea CHECK (octet_length(cle) = 32),
        ceremonie bytea CHECK (octet_length(ceremonie) = 32),
        bulletins bytea CHECK (octet_length(bulletins) = 32),
        PRIMARY KEY (tenant_id, campagne_id),
        CONSTRAINT chiffrement_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE,
        CONSTRAINT chiffrement_fini CHECK (num_nulls(cle, ceremonie) IN (0, 2))
      )`);
    await runner.query(
      `COMMENT ON COLUMN chiffrement.bulletins IS 'SHA-256 of bulletins.ndjson; null until the sums are made'`,
    );
    await runner.query(`
      CREATE TABLE chiffrement_fichier (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        tour integer NOT NULL CHECK (tour BETWEEN 1 AND 4),
        gardien integer NOT NULL CHECK (gardien BETWEEN 1 AND 9),
        contenu text NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, tour, gardien),
        CONSTRAINT chiffrement_fichier_chiffrement_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES chiffrement (tenant_id, campagne_id) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(
      `COMMENT ON COLUMN chiffrement_fichier.contenu IS 'Canonical JSON, as the guardian has signed it'`,
    );
    await runner.query(`
      CREATE TABLE chiffrement_somme (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        classe integer NOT NULL,
        ligne text NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, classe),
        CONSTRAINT chiffrement_somme_chiffrement_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES chiffrement (tenant_id, campagne_id) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(`COMMENT ON COLUMN chiffrement_somme.ligne IS 'Line of the class in sommes.ndjson'`);
    for (const table of ['chiffrement', 'chiffrement_fichier', 'chiffrement_somme'])
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    await runner.query(`GRANT SELECT ON chiffrement TO ${BALLOT_BOX_ROLE}`);
    await runner.query(`
      ALTER TABLE bulletin ADD COLUMN chiffre bytea, ADD COLUMN votant bytea,
        ADD CONSTRAINT bulletin_chiffre CHECK (num_nulls(chiffre, votant) = 2
          OR num_nulls(chiffre, votant) = 0 AND octet_length(votant) = 32 AND cardinality(reponses) = 0) NOT VALID`);
    await runner.query('ALTER TABLE bulletin VALIDATE CONSTRAINT bulletin_chiffre');
    // Receipts: the order of bulletins.ndjson, and no ballot twice.
    await runner.query(
      'CREATE UNIQUE INDEX bulletin_chiffre_recu ON bulletin (tenant_id, campagne_id, sha256(chiffre)) WHERE chiffre IS NOT NULL',
    );
    await runner.query(
      `COMMENT ON COLUMN bulletin.chiffre IS 'Bytes of an encrypted ballot; null for one with answers (reponses)'`,
    );
    await runner.query(
      `COMMENT ON COLUMN bulletin.votant IS 'Digest of the voter that the proofs of an encrypted ballot name; null for one with answers'`,
    );
    await runner.query(`
      ALTER TABLE urne ADD COLUMN cle bytea, ADD COLUMN ceremonie bytea,
        ADD CONSTRAINT urne_chiffrement CHECK (num_nulls(cle, ceremonie) IN (0, 2))`);
    await runner.query(`GRANT SELECT (cle, ceremonie) ON urne TO ${APP_ROLE}`);
    for (const statement of FROZEN) await runner.query(statement);
    await runner.query(`
      ALTER TABLE campagne ADD COLUMN chiffree boolean NOT NULL DEFAULT false,
        ADD COLUMN dechiffree boolean NOT NULL DEFAULT false,
        ADD COLUMN chiffrement_du boolean NOT NULL DEFAULT false`);
    await runner.query(
      'CREATE INDEX campagne_chiffrement_du ON campagne (fermeture_du_vote_utc) WHERE chiffrement_du',
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.chiffrement_du IS 'Whether a worker has to make the sums of an encrypted vote, or its result'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.chiffree IS 'Whether it was published as an encrypted vote; only the role of the box writes it'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.dechiffree IS 'Whether the sums of an encrypted vote are decrypted'`,
    );
    await runner.query(
      `GRANT SELECT (chiffree, dechiffree), UPDATE (chiffree, dechiffree, chiffrement_du) ON campagne TO ${BALLOT_BOX_ROLE}`,
    );
    await runner.query(`GRANT UPDATE (chiffrement_du) ON campagne TO ${APP_ROLE}`);
    await runner.query(
      `CREATE POLICY campagne_a_dechiffrer ON campagne FOR SELECT TO ${ACCESS_ROLE} USING (chiffree AND NOT dechiffree)`,
    );
    await runner.query(`GRANT SELECT (chiffrement_du, chiffree, dechiffree) ON campagne TO ${ACCESS_ROLE}`);
    await replaceFunctions(runner, EncryptedVotes1764000070000.digest);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP FUNCTION IF EXISTS urne_voter_chiffre(uuid, uuid, integer, bytea), urne_bulletins(uuid, bytea, integer), urne_taille_chiffre(uuid), urne_dechiffrer(uuid, jsonb)',
    );
    await runner.query('DROP POLICY campagne_a_dechiffrer ON campagne');
    await runner.query(
      'ALTER TABLE campagne DROP COLUMN chiffree, DROP COLUMN dechiffree, DROP COLUMN chiffrement_du',
    );
    await runner.query('DROP TABLE chiffrement_somme, chiffrement_fichier, chiffrement');
    await runner.query('ALTER TABLE urne DROP COLUMN cle, DROP COLUMN ceremonie');
    await runner.query('ALTER TABLE bulletin DROP COLUMN chiffre, DROP COLUMN votant');
  }
}
