import { ApiProperty } from '@nestjs/swagger';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { omit } from '#platform/input/field';
import { PagingQuery } from '#platform/http/listing';
import { MOST_NAMED } from '../domain/liste-electorale.fields';
import { VOTANT_FIELDS } from '../domain/votant.fields';
import { EXAMPLE_IDS } from './examples';

/** A record of an upsert. A property that is not sent keeps its value. Null clears it, or keeps it if a value is required. */
export class VotantInput extends InputOf(VOTANT_FIELDS) {}

/** A voter on the roll of a campaign. */
export class VotantItem extends ItemOf(omit(VOTANT_FIELDS, 'Poids')) {
  @ApiProperty({
    description: 'Weight of the ballot.',
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: VOTANT_FIELDS.Poids.max,
    example: 1,
  })
  Poids: number;
}

export class VotantList extends PagingQuery {
  @Input({
    ...VOTANT_FIELDS.SyndicatIdExterne,
    description: 'Voters of this union. An unknown one has none.',
  })
  syndicatIdExterne?: string;

  @Input({
    ...VOTANT_FIELDS.EmployeurIdentifiantExterne,
    description: 'Voters of this employer. An unknown one has none.',
  })
  employeurIdentifiantExterne?: string;

  @Input({ kind: 'boolean', description: 'Whether they have voted.', example: false })
  aVote?: boolean;

  @Input({ kind: 'boolean', description: 'Whether they may vote.', example: true })
  aDroitDeVote?: boolean;
}

/** A record of a list that was not accepted. */
export class VotantErreurItem {
  @ApiProperty({ type: 'integer', description: 'Its place in the list, from 0.', example: 3 })
  Index: number;

  @ApiProperty({
    description: 'The error code that the record would get alone.',
    example: 'Votant.IdentifiantDejaUtilise',
  })
  Code: string;

  @ApiProperty({
    description: 'What is wrong.',
    example: 'Another voter of the campaign has this Identifiant.',
  })
  Message: string;
}

/** Result of a list; `NombreCrees + NombreModifies + Erreurs.length` is the number of records sent. */
export class VotantsResultItem {
  @ApiProperty({ type: 'integer', description: 'Voters that were made.', example: 1 })
  NombreCrees: number;

  @ApiProperty({
    type: 'integer',
    description: 'Voters that were known and accepted, changed or not.',
    example: 1,
  })
  NombreModifies: number;

  @ApiProperty({ type: [VotantErreurItem], description: 'Records that were not accepted; all others were.' })
  Erreurs: VotantErreurItem[];
}

/** Voters that get or lose the right to vote. */
export class DroitDeVoteInput {
  @Input({
    kind: 'texts',
    max: MOST_NAMED,
    length: 36,
    format: 'uuid',
    required: true,
    description: 'The voters.',
    example: [EXAMPLE_IDS.votant],
  })
  VotantIds: string[];

  @Input({ ...VOTANT_FIELDS.ADroitDeVote, required: true, description: 'Whether they may vote from now on.' })
  ADroitDeVote: boolean;
}

export class DroitDeVoteItem {
  @ApiProperty({ type: 'integer', description: 'How many of them there are, changed or not.', example: 1 })
  NombreModifies: number;

  @ApiProperty({
    type: String,
    isArray: true,
    format: 'uuid',
    description: 'Those that are no voters of the campaign, in the order sent.',
    example: [],
  })
  VotantIdsNonTrouves: string[];
}
