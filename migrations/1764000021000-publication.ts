import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  asBallotBox,
  BOX_CLOSED,
  BOX_TENANT,
  type BoxFunction,
  createBoxFunctions,
  named,
} from '../libs/voting/src/sql/ballot-box';
import { APP_ROLE, BALLOT_BOX_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';
import { Ballots1764000012000 } from './1764000012000-ballots';
import { Sealing1764000014000 } from './1764000014000-sealing';

/** Tables of the published data. Requests write them while the campaign is a draft. */
const DRAFT = ['campagne', 'question', 'option', 'reglage'];

/** The commands of requests on questions and options, each with the clause of its policy. */
const WRITES = { insert: 'WITH CHECK', update: 'USING', delete: 'USING' };

const replaced = (): BoxFunction[] => [
  ...named(Ballots1764000012000.functions, 'urne_voter'),
  ...named(Sealing1764000014000.functions, 'urne_suffit'),
];

/**
 * The published data belongs to the ballot box (docs/adr/0026): only the box's role can write the questions and
 * options, the threshold of anonymity and the seeds of the draw. Ballots are checked against these questions and
 * counted by them.
 */
export class Publication1764000021000 implements MigrationInterface {
  /** SQL condition: whether an answer is valid for the question `q` of the box. */
  static isAnswer(answer: string): string {
    return isAnswer(answer);
  }

  /**
   * The functions as this migration creates them. A later migration that replaces some of them restores them in its
   * `down`.
   */
  static get functions(): readonly BoxFunction[] {
    return FUNCTIONS;
  }

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE campagne ADD COLUMN seuil_anonymat integer CHECK (seuil_anonymat >= 1), ADD COLUMN raison_seuil_anonymat text`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.seuil_anonymat IS 'Set at the first publication, or by an administrator in a draft'`,
    );
    await this.createTables(runner);
    await this.takeOver(runner);
    for (const table of ['urne', 'urne_question', 'urne_option']) {
      for (const statement of secureTenantTable(table, [BALLOT_BOX_ROLE])) await runner.query(statement);
      await runner.query(`REVOKE UPDATE ON ${table} FROM ${BALLOT_BOX_ROLE}`);
    }
    await runner.query(`GRANT SELECT ON urne_question, urne_option TO ${APP_ROLE}`);
    // A function returns the seeds, after the box is closed.
    await runner.query(
      `GRANT SELECT (tenant_id, campagne_id, empreinte_graine, empreinte_graine_partenaire) ON urne TO ${APP_ROLE}`,
    );
    await runner.query(`GRANT UPDATE (graine_partenaire) ON urne TO ${BALLOT_BOX_ROLE}`);
    // To lock the rows that it copies, it must be allowed to update one of their columns.
    await runner.query(`GRANT SELECT, UPDATE (ordre) ON question, option TO ${BALLOT_BOX_ROLE}`);
    const ofThreshold = 'seuil_anonymat, raison_seuil_anonymat';
    await runner.query(
      `GRANT SELECT (${ofThreshold}), UPDATE (${ofThreshold}) ON campagne TO ${BALLOT_BOX_ROLE}`,
    );
    await this.freezePublished(runner);
    await asBallotBox(runner, async () => {
      for (const { signature } of replaced()) await runner.query(`DROP FUNCTION ${signature}`);
      await createBoxFunctions(runner, FUNCTIONS);
    });
    await this.fixCast(runner);
  }

  private async createTables(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE urne (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        graine bytea NOT NULL,
        graine_partenaire bytea CHECK (octet_length(graine_partenaire) = 32),
        empreinte_graine bytea NOT NULL GENERATED ALWAYS AS (sha256(graine)) STORED,
        empreinte_graine_partenaire bytea GENERATED ALWAYS AS (sha256(graine_partenaire)) STORED,
        PRIMARY KEY (tenant_id, campagne_id),
        CONSTRAINT urne_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query(
      `COMMENT ON COLUMN urne.graine IS 'Breaks ties with graine_partenaire: 32 bytes of chance, 16 of publications before this table'`,
    );
    await runner.query(`
      CREATE TABLE urne_question (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        place integer NOT NULL,
        question_id uuid NOT NULL,
        titre text NOT NULL,
        type text NOT NULL,
        est_preferentiel boolean NOT NULL,
        min_reponses integer NOT NULL,
        max_reponses integer NOT NULL,
        nombre_elus integer,
        nombre_options integer NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, place),
        CONSTRAINT urne_question_urne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES urne (tenant_id, campagne_id) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX urne_question_question ON urne_question (tenant_id, question_id)');
    await runner.query(
      `COMMENT ON COLUMN urne_question.max_reponses IS 'The number of options where all of them may be ranked'`,
    );
    await runner.query(`
      CREATE TABLE urne_option (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        question integer NOT NULL,
        place integer NOT NULL,
        option_id uuid NOT NULL,
        libelle text NOT NULL,
        PRIMARY KEY (tenant_id, campagne_id, question, place),
        CONSTRAINT urne_option_question_fkey FOREIGN KEY (tenant_id, campagne_id, question)
          REFERENCES urne_question (tenant_id, campagne_id, place) ON UPDATE RESTRICT ON DELETE CASCADE
      )`);
    for (const column of ['urne_question.place', 'urne_option.question', 'urne_option.place'])
      await runner.query(`COMMENT ON COLUMN ${column} IS 'From 0: ballots name places'`);
  }

  /** Running and ended votes keep their questions, their seed and the current threshold. */
  private async takeOver(runner: QueryRunner): Promise<void> {
    // Forced policies also apply to the owner, who would find no rows unless a superuser.
    for (const table of DRAFT) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(
      `UPDATE campagne c SET seuil_anonymat = coalesce(
         (SELECT s.seuil_anonymat FROM reglage s WHERE s.tenant_id = c.tenant_id), 1) WHERE c.publiee`,
    );
    await runner.query(
      `INSERT INTO urne (tenant_id, campagne_id, graine)
       SELECT tenant_id, id_unique, decode(graine_departage, 'hex') FROM campagne WHERE publiee`,
    );
    await runner.query(
      `${COPY_QUESTIONS} JOIN urne u ON u.tenant_id = q.tenant_id AND u.campagne_id = q.campagne_id`,
    );
    await runner.query(COPY_OPTIONS);
    await runner.query('ALTER TABLE campagne DROP COLUMN graine_departage');
    for (const table of DRAFT) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }

  /** Requests cannot write published data, because voters must see the options that are counted. */
  private async freezePublished(runner: QueryRunner): Promise<void> {
    const copied = {
      question: 'u.campagne_id = question.campagne_id',
      option: 'u.question_id = option.question_id',
    };
    for (const [table, joined] of Object.entries(copied))
      for (const [command, clause] of Object.entries(WRITES))
        await runner.query(
          `CREATE POLICY ${table}_publiee_${command} ON ${table} AS RESTRICTIVE FOR ${command} TO ${APP_ROLE}
             ${clause} (NOT EXISTS (SELECT FROM urne_question u WHERE u.tenant_id = ${table}.tenant_id AND ${joined}))`,
        );
  }

  /** Requests cannot change weight or right of a voter who has voted, because the roll would differ from the box. */
  private async fixCast(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE POLICY votant_vote_inchange ON votant AS RESTRICTIVE FOR UPDATE TO ${APP_ROLE} USING (true)
         WITH CHECK (CASE WHEN a_vote THEN urne_vote_inchange(id_unique, campagne_id, poids, a_droit_de_vote) ELSE true END)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP POLICY votant_vote_inchange ON votant');
    for (const table of ['question', 'option'])
      for (const command of Object.keys(WRITES))
        await runner.query(`DROP POLICY ${table}_publiee_${command} ON ${table}`);
    await asBallotBox(runner, async () => {
      for (const { signature } of FUNCTIONS) await runner.query(`DROP FUNCTION ${signature}`);
      await createBoxFunctions(runner, replaced());
    });
    await runner.query(
      `ALTER TABLE campagne ADD COLUMN graine_departage text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.graine_departage IS 'Breaks ties of ranked counts; told from the opening on'`,
    );
    for (const table of ['campagne', 'urne'])
      await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await runner.query(
      `UPDATE campagne c SET graine_departage = encode(u.graine, 'hex') FROM urne u
       WHERE u.tenant_id = c.tenant_id AND u.campagne_id = c.id_unique`,
    );
    await runner.query('ALTER TABLE campagne FORCE ROW LEVEL SECURITY');
    await runner.query('DROP TABLE urne_option, urne_question, urne');
    await runner.query('ALTER TABLE campagne DROP COLUMN seuil_anonymat, DROP COLUMN raison_seuil_anonymat');
    await runner.query(`REVOKE SELECT, UPDATE ON question, option FROM ${BALLOT_BOX_ROLE}`);
    await runner.query(
      `GRANT SELECT (tenant_id, campagne_id, ordre, est_preferentiel) ON question TO ${BALLOT_BOX_ROLE}`,
    );
  }
}

const COPY_QUESTIONS = `
  INSERT INTO urne_question (tenant_id, campagne_id, place, question_id, titre, type, est_preferentiel, min_reponses, max_reponses,
    nombre_elus, nombre_options)
  SELECT q.tenant_id, q.campagne_id, row_number() OVER (PARTITION BY q.tenant_id, q.campagne_id ORDER BY q.ordre) - 1, q.id_unique,
    q.titre, q.type, q.est_preferentiel, q.min_reponses, least(q.max_reponses, o.options), q.nombre_elus, o.options
  FROM question q CROSS JOIN LATERAL (
    SELECT count(*)::integer AS options FROM option o WHERE o.tenant_id = q.tenant_id AND o.question_id = q.id_unique) o`;

const COPY_OPTIONS = `
  INSERT INTO urne_option (tenant_id, campagne_id, question, place, option_id, libelle)
  SELECT u.tenant_id, u.campagne_id, u.place, row_number() OVER (PARTITION BY o.tenant_id, o.question_id ORDER BY o.ordre) - 1,
    o.id_unique, o.libelle
  FROM urne_question u JOIN option o ON o.tenant_id = u.tenant_id AND o.question_id = u.question_id`;

/** One place (most answers), or several places separated by commas. */
const PLACE = `'^(0|[1-9][0-9]{0,5})$'`;
const PLACES = `'^(0|[1-9][0-9]{0,5})(,(0|[1-9][0-9]{0,5}))+$'`;

/**
 * Whether an answer is valid for the question `q` of the box: an abstention, or as many different options of it as
 * allowed, in the order of the question if they are not ranked. `answersOf` is the same rule in the domain.
 */
const isAnswer = (answer: string): string => `
  CASE WHEN ${answer} = '' THEN true
    WHEN ${answer} ~ ${PLACE} THEN q.min_reponses <= 1 AND q.max_reponses >= 1 AND ${answer}::integer < q.nombre_options
    ELSE urne_choisir(${answer}, q.min_reponses, q.max_reponses, q.nombre_options, q.est_preferentiel) END IS TRUE`;

const OWN = (row: string): string => `${row}.tenant_id = ${BOX_TENANT} AND ${row}.campagne_id = $1`;

const CAMPAGNE = `c.tenant_id = ${BOX_TENANT} AND c.id_unique = $1`;

/**
 * Waits for running transactions that have written the questions or options, or cast a ballot. A new ballot or question
 * locks the campaign's row, a new option that of its question. Later statements see their writes.
 */
const AWAIT_WRITERS = `
  PERFORM FROM campagne c WHERE ${CAMPAGNE} FOR UPDATE;
  PERFORM FROM question q WHERE ${OWN('q')} FOR UPDATE;
  PERFORM FROM option o WHERE o.tenant_id = ${BOX_TENANT} AND o.question_id IN (SELECT q.id_unique FROM question q WHERE ${OWN('q')})
    FOR UPDATE;`;

const HAS_BALLOT = `EXISTS (SELECT FROM bulletin b WHERE ${OWN('b')})`;

/** Whether a row belongs to the requested union and employer. A null requests all. */
const MEETS = (row: string): string =>
  `(($2 IS NULL OR ${row}.syndicat_id_externe = $2) AND ($3 IS NULL OR ${row}.employeur_identifiant_externe = $3))`;

const FUNCTIONS: readonly BoxFunction[] = [
  {
    // Whether an answer of several places is valid. A separate function, because each vote would have to prepare it in
    // urne_voter.
    signature: 'urne_choisir(text, integer, integer, integer, boolean)',
    shape:
      '(reponse text, min_reponses integer, max_reponses integer, nombre_options integer, est_preferentiel boolean) RETURNS boolean',
    manner: 'LANGUAGE plpgsql IMMUTABLE',
    body: `DECLARE
        places integer[];
      BEGIN
        IF reponse !~ ${PLACES} THEN RETURN false; END IF;
        places := string_to_array(reponse, ',')::integer[];
        RETURN cardinality(places) BETWEEN min_reponses AND max_reponses AND (
          SELECT count(DISTINCT c.place) = count(*) AND max(c.place) < nombre_options
            AND (est_preferentiel OR array_agg(c.place ORDER BY c.place) = places)
          FROM unnest(places) c (place));
      END`,
  },
  {
    // Copies the questions of a campaign into the box at its publication, with a new seed; the threshold only at the
    // first publication. The caller holds the exclusive lock of the campaign. Rejected if there are votes.
    signature: 'urne_preparer(uuid)',
    shape: '(campagne uuid) RETURNS void',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        ${AWAIT_WRITERS}
        IF ${HAS_BALLOT} OR NOT EXISTS (SELECT FROM campagne c WHERE ${CAMPAGNE} AND c.publiee AND NOT c.urne_close)
        THEN RAISE EXCEPTION 'The campaign is not published, or has ballots.'; END IF;
        DELETE FROM urne u WHERE ${OWN('u')};
        INSERT INTO urne (tenant_id, campagne_id, graine)
        SELECT ${BOX_TENANT}, $1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
        ${COPY_QUESTIONS} WHERE ${OWN('q')};
        ${COPY_OPTIONS} WHERE ${OWN('u')};
        UPDATE campagne c SET seuil_anonymat = coalesce((SELECT s.seuil_anonymat FROM reglage s WHERE s.tenant_id = ${BOX_TENANT}), 1)
        WHERE ${CAMPAGNE} AND c.seuil_anonymat IS NULL;
      END`,
  },
  {
    // Empties the box when the publication is withdrawn. Locks as above.
    signature: 'urne_liberer(uuid)',
    shape: '(campagne uuid) RETURNS void',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        ${AWAIT_WRITERS}
        IF ${HAS_BALLOT} OR NOT EXISTS (SELECT FROM campagne c WHERE ${CAMPAGNE} AND NOT c.publiee AND NOT c.urne_close)
        THEN RAISE EXCEPTION 'The campaign is published, or has ballots.'; END IF;
        DELETE FROM urne u WHERE ${OWN('u')};
      END`,
  },
  {
    // Sets the threshold of a draft. The caller holds the exclusive lock of the campaign.
    signature: 'urne_fixer_seuil(uuid, integer, text)',
    shape: '(campagne uuid, seuil integer, raison text) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        UPDATE campagne c SET seuil_anonymat = $2, raison_seuil_anonymat = $3
        WHERE ${CAMPAGNE} AND NOT c.publiee AND NOT c.archivee AND NOT EXISTS (SELECT FROM urne u WHERE ${OWN('u')});
        RETURN FOUND;
      END`,
  },
  {
    // Stores the partner's seed of a published campaign before its opening.
    signature: 'urne_deposer_graine(uuid, bytea)',
    shape: '(campagne uuid, graine bytea) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        UPDATE urne u SET graine_partenaire = $2 FROM campagne c
        WHERE ${OWN('u')} AND ${CAMPAGNE} AND c.publiee AND NOT c.archivee AND clock_timestamp() < c.ouverture_du_vote_utc;
        RETURN FOUND;
      END`,
  },
  {
    // The seeds of a closed box.
    signature: 'urne_graines(uuid)',
    shape: '(campagne uuid) RETURNS TABLE (graine bytea, graine_partenaire bytea)',
    manner: 'LANGUAGE plpgsql STABLE',
    body: `#variable_conflict use_column
      BEGIN
        RETURN QUERY SELECT u.graine, u.graine_partenaire FROM urne u
        WHERE ${OWN('u')} AND EXISTS (SELECT FROM campagne c WHERE ${CAMPAGNE} AND ${BOX_CLOSED});
      END`,
  },
  {
    // Whether a voter already has this weight and right to vote. Not STABLE, because it must see rows committed
    // meanwhile.
    signature: 'urne_vote_inchange(uuid, uuid, numeric, boolean)',
    shape: '(votant uuid, campagne uuid, poids numeric, a_droit_de_vote boolean) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `BEGIN
        RETURN EXISTS (
          SELECT FROM votant v WHERE v.tenant_id = ${BOX_TENANT} AND v.campagne_id = $2 AND v.id_unique = $1
            AND v.poids = $3 AND v.a_droit_de_vote = $4);
      END`,
  },
  {
    // Marks the voter and inserts the ballot and the digest of its receipt, with the voter's current weight, union and
    // employer. Returns false for a ballot that does not answer each question of the box. The caller holds the shared
    // lock of the vote.
    signature: 'urne_voter(uuid, uuid, integer, text[], bytea)',
    shape:
      '(campagne uuid, votant uuid, publications integer, reponses text[], empreinte bytea) RETURNS boolean',
    manner: 'LANGUAGE plpgsql',
    body: `#variable_conflict use_column
      BEGIN
        WITH voter AS (
          UPDATE votant v SET a_vote = true FROM campagne c
          WHERE ${CAMPAGNE} AND c.publiee AND NOT c.archivee AND NOT c.urne_close AND c.publications = $3
            AND clock_timestamp() >= c.ouverture_du_vote_utc AND clock_timestamp() < c.fermeture_du_vote_utc
            AND (SELECT count(*) = cardinality($4) AND bool_and(${isAnswer('$4[q.place + 1]')}) FROM urne_question q WHERE ${OWN('q')})
            AND ${OWN('v')} AND v.id_unique = $2 AND v.a_droit_de_vote AND NOT v.a_vote
          RETURNING v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids
        ), ballot AS (
          INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
          SELECT ${BOX_TENANT}, $1, syndicat_id_externe, employeur_identifiant_externe, poids, $4 FROM voter
        )
        INSERT INTO recu (tenant_id, campagne_id, empreinte) SELECT ${BOX_TENANT}, $1, $5 FROM voter;
        RETURN FOUND;
      END`,
  },
  {
    // Whether a union and employer have enough ballots to be published: neither they nor all others are fewer than the
    // campaign's threshold.
    signature: 'urne_suffit(uuid, text, text)',
    shape: '(campagne uuid, syndicat text, employeur text) RETURNS boolean',
    manner: 'LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan',
    body: `DECLARE
        k integer; sealed boolean; inside bigint; outside bigint;
      BEGIN
        SELECT c.seuil_anonymat, c.urne_scellee INTO k, sealed FROM campagne c WHERE ${CAMPAGNE};
        IF coalesce(k, 1) = 1 OR $2 IS NULL AND $3 IS NULL THEN RETURN true; END IF;
        IF sealed THEN
          SELECT coalesce(sum(d.bulletins) FILTER (WHERE ${MEETS('d')}), 0),
            coalesce(sum(d.bulletins) FILTER (WHERE ${MEETS('d')} IS NOT TRUE), 0)
          INTO inside, outside FROM depouillement d WHERE ${OWN('d')} AND d.question = 0;
        ELSE
          SELECT count(*) FILTER (WHERE ${MEETS('b')}), count(*) FILTER (WHERE ${MEETS('b')} IS NOT TRUE)
          INTO inside, outside FROM bulletin b WHERE ${OWN('b')};
        END IF;
        RETURN (inside = 0 OR inside >= k) AND (outside = 0 OR outside >= k);
      END`,
  },
];
