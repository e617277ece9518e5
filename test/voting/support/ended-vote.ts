import { randomUUID } from 'node:crypto';
import { times } from '../../membership/synced';
import { campaigns } from './scene';

/** A voter of a vote that has ended. */
export interface Elector {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly poids: string | number;
  /** The options for each question, as the box has them; absent without a ballot. */
  readonly reponses?: readonly string[];
}

export interface Question {
  readonly isRanked: boolean;
  readonly seats: number;
  readonly options: number;
}

/** Inserts a campaign whose vote has ended, with the rows that ballots leave. @returns its id and those of the options */
export async function endedVote(
  questions: readonly Question[],
  electors: readonly Elector[],
  threshold: number | null = null,
): Promise<{ id: string; options: string[][] }> {
  const id = randomUUID();
  const asked = questions.map(() => randomUUID());
  const options = questions.map((one) => times(one.options, () => randomUUID()));
  await campaigns.rows(
    `WITH campagne AS (
       INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
         ordre_reponses_aleatoire, publiee, ouverture_annoncee, fermeture_annoncee, seuil_anonymat)
       VALUES ($1, $2::uuid, $2::uuid::text, $2::uuid::text, '2020-01-01Z', '2020-01-02Z', false, true, true, true, $9)
     ), question AS (
       INSERT INTO question (tenant_id, campagne_id, id_unique, ordre, titre, type, est_preferentiel,
         ordre_reponses_aleatoire, min_reponses, nombre_elus)
       SELECT $1::uuid, $2::uuid, id, ordre, 'Q' || ordre, 'Election', ranked, 0, 1, seats
       FROM unnest($3::uuid[], $4::boolean[], $5::integer[]) WITH ORDINALITY q (id, ranked, seats, ordre)
     )
     INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle)
     SELECT $1::uuid, question, id, ordre, 'O' || ordre FROM unnest($6::uuid[], $7::uuid[], $8::integer[]) o (question, id, ordre)`,
    ...[id, asked, questions.map(({ isRanked }) => isRanked), questions.map(({ seats }) => seats)],
    options.flatMap((some, index) => some.map(() => asked[index])),
    ...[options.flat(), options.flatMap((some) => some.map((_, place) => place + 1)), threshold],
  );
  await campaigns.copyStructure(id);
  await campaigns.rows(
    `WITH elector AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset($3) e (syndicat text, employeur text, poids numeric, reponses jsonb)
     ), ballot AS (SELECT * FROM elector WHERE reponses IS NOT NULL), votant AS (
       INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
         a_droit_de_vote, a_vote, poids)
       SELECT $1::uuid, $2::uuid, 'Zoé', 'Roy', syndicat, employeur, true, reponses IS NOT NULL, poids FROM elector
     ), recu AS (
       INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT $1::uuid, $2::uuid, sha256(gen_random_uuid()::text::bytea) FROM ballot
     )
     INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
     SELECT $1::uuid, $2::uuid, syndicat, employeur, poids, ARRAY(SELECT jsonb_array_elements_text(reponses)) FROM ballot`,
    ...[id, JSON.stringify(electors)],
  );
  return { id, options };
}
