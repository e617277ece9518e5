import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { BULLETIN_FIELDS, REPONSE_FIELDS } from '../domain/bulletin.fields';
import { EXAMPLE_IDS } from './examples';

/** The answer to one question. */
export class ReponseInput extends InputOf(REPONSE_FIELDS) {}

/** A ballot: all questions answered at once. */
export class BulletinInput extends InputOf(BULLETIN_FIELDS, { Reponses: ReponseInput }) {}

/** Proof that a ballot is counted, for the voter. */
export class RecuItem extends ItemOf({
  Recu: value.text(
    'Receipt: its owner can check that the ballot is counted. Voter and choices stay secret. It is returned only once.',
    EXAMPLE_IDS.recu,
  ),
}) {}
