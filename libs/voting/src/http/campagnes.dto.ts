import { ApiProperty } from '@nestjs/swagger';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { SEUIL_ANONYMAT } from '#clients';
import { text, pick } from '#platform/input/field';
import { CAMPAGNE_FIELDS, ETATS, GRAINE_FIELDS } from '../domain/campagne.fields';

/** Body of POST and PUT; PUT replaces every property. */
export class CampagneInput extends InputOf(CAMPAGNE_FIELDS) {}

/** Body that brings the partner's seed of draws. */
export class GrainePartenaireInput {
  @Input(GRAINE_FIELDS.graine)
  graine: string;
}

/** Body by which an administrator sets the threshold of one draft. */
export class SeuilAnonymatInput {
  @Input({ ...SEUIL_ANONYMAT, required: true })
  seuilAnonymat: number;

  @Input(
    text(500, {
      required: true,
      description: 'Why this campaign needs another threshold than its client. The campaign shows it.',
      example: 'Vote des délégués, chacun avec son poids.',
    }),
  )
  raison: string;
}

/** Body by which an administrator seals a ballot box without a result. */
export class ConstatInput {
  @Input(
    text(500, {
      required: true,
      description: 'What was found, and why there is no result. The campaign shows it.',
      example: 'Un bulletin manque : le vote est à reprendre.',
    }),
  )
  raison: string;
}

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

/** Query of the list (docs/contract.md, "Campaigns"). */
export class CampagneList extends PagingQuery {
  @Input({ kind: 'choice', values: ETATS, description: 'Campaigns in this state at this moment.' })
  etat?: string;

  @Input({
    ...CAMPAGNE_FIELDS.titre,
    required: false,
    description: 'Campaigns whose title contains this, without regard to case; `%` and `_` are letters.',
    example: 'élection',
  })
  titre?: string;

  @Input({
    kind: 'date',
    description: 'Campaigns with `ouvertureDuVoteUtc` at this time or later.',
    example: '2026-01-01T00:00:00Z',
  })
  ouvertureApres?: Date;

  @Input({
    kind: 'date',
    description: 'Campaigns with `fermetureDuVoteUtc` at this time or earlier.',
    example: '2099-12-31T23:59:59Z',
  })
  fermetureAvant?: Date;
}

/** A reason why a campaign cannot be published. */
export class ValidationErreurItem {
  @ApiProperty({
    description: 'The code that a publication would answer.',
    example: 'Campagne.AucuneQuestion',
  })
  code: string;

  @ApiProperty({ description: 'What to do.', example: 'The campaign has no question: add one first.' })
  detail: string;
}

/** Whether a campaign can be published at this moment. */
export class ValidationItem {
  @ApiProperty({ description: 'Whether nothing would stop its publication.', example: false })
  valide: boolean;

  @ApiProperty({ type: [ValidationErreurItem], description: 'All that would, in the order of the checks.' })
  erreurs: ValidationErreurItem[];
}
