import { InputOf, ItemOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { SEUIL_ANONYMAT } from '#clients';
import { text, pick } from '#platform/input/field';
import { value } from '#platform/input/values';
import { CAMPAGNE_FIELDS, ETATS, GRAINE_FIELDS } from '../domain/campagne.fields';

/** Body of POST and PUT; PUT replaces every property. */
export class CampagneInput extends InputOf(CAMPAGNE_FIELDS) {}

/** Body with the partner's seed of draws. */
export class GrainePartenaireInput extends InputOf(GRAINE_FIELDS) {}

const CONSTAT = {
  raison: text(500, {
    required: true,
    description: 'What was found, and why there is no result. The campaign shows it.',
    example: 'Un bulletin manque : le vote est à reprendre.',
  }),
} as const;

const SEUIL = {
  seuilAnonymat: { ...SEUIL_ANONYMAT, required: true },
  raison: {
    ...CONSTAT.raison,
    description: 'Why this campaign needs another threshold than its client. The campaign shows it.',
    example: 'Vote des délégués, chacun avec son poids.',
  },
} as const;

/** Body by which an administrator sets the threshold of one draft. */
export class SeuilAnonymatInput extends InputOf(SEUIL) {}

/** Body by which an administrator seals a ballot box without a result. */
export class ConstatInput extends InputOf(CONSTAT) {}

const LISTED = {
  ...pick(CAMPAGNE_FIELDS, 'id', 'titre', 'slug', 'ouvertureDuVoteUtc', 'fermetureDuVoteUtc'),
  etat: { ...CAMPAGNE_FIELDS.etat, kind: 'choice', values: ETATS },
  ...pick(CAMPAGNE_FIELDS, 'estPublie', 'estArchive', 'nombreVotants', 'nombreQuestions'),
  ...pick(CAMPAGNE_FIELDS, 'dateCreationUtc', 'dateModificationUtc'),
} as const;

/** A campaign as lists and events show it (docs/contract.md, "Campaigns"). */
export class CampagneItem extends ItemOf(LISTED) {}

/** A campaign with everything that lists leave out. */
export class CampagneDetailItem extends ItemOf({ ...CAMPAGNE_FIELDS, ...LISTED }) {}

const FILTERS = {
  etat: { kind: 'choice', values: ETATS, description: 'Campaigns in this state at this moment.' },
  titre: text(CAMPAGNE_FIELDS.titre.max, {
    description: 'Campaigns whose title contains this, without regard to case; `%` and `_` are letters.',
    example: 'élection',
  }),
  ouvertureApres: {
    kind: 'date',
    description: 'Campaigns with `ouvertureDuVoteUtc` at this time or later.',
    example: '2026-01-01T00:00:00Z',
  },
  fermetureAvant: {
    kind: 'date',
    description: 'Campaigns with `fermetureDuVoteUtc` at this time or earlier.',
    example: '2099-12-31T23:59:59Z',
  },
} as const;

/** Query of the list (docs/contract.md, "Campaigns"). */
export class CampagneList extends InputOf(FILTERS, {}, PagingQuery) {}

/** A reason why a campaign cannot be published. */
export class ValidationErreurItem extends ItemOf({
  code: value.text('The error code of a publication.', 'Campagne.AucuneQuestion'),
  detail: value.text('Correction.', 'The campaign has no question: add one first.'),
}) {}

/** Whether a campaign can be published at this moment. */
export class ValidationItem extends ItemOf({
  valide: value.flag('Whether it can be published.', false),
  erreurs: value.list(ValidationErreurItem, 'Reasons against it, in the order of the checks.'),
}) {}
