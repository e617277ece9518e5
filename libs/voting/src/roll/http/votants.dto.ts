import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { CsvPagingQuery } from '#platform/http/csv';
import { MOST_NAMED } from '../domain/liste-electorale.fields';
import { VOTANT_FIELDS } from '../domain/votant.fields';
import { EXAMPLE_IDS } from '../../http/examples';

/** A record of an upsert. A property that is not sent keeps its value. Null clears it, or keeps it if a value is required. */
export class VotantInput extends InputOf(VOTANT_FIELDS) {}

/** A voter on the roll of a campaign. */
export class VotantItem extends ItemOf({
  ...VOTANT_FIELDS,
  Poids: value.number('Weight of the ballot.', 1, {
    minimum: 0,
    exclusiveMinimum: true,
    maximum: VOTANT_FIELDS.Poids.max,
  }),
}) {}

const FILTERS = {
  syndicatIdExterne: {
    ...VOTANT_FIELDS.SyndicatIdExterne,
    description: 'Voters of this union. An unknown one has none.',
    renames: ['idExterneSyndicat'],
  },
  employeurIdentifiantExterne: {
    ...VOTANT_FIELDS.EmployeurIdentifiantExterne,
    description: 'Voters of this employer. An unknown one has none.',
    renames: ['identifiantExterneEmployeur'],
  },
  aVote: { kind: 'boolean', description: 'Whether they have voted.', example: false },
  aDroitDeVote: { kind: 'boolean', description: 'Whether they may vote.', example: true },
} as const;

export class VotantList extends InputOf(FILTERS, {}, CsvPagingQuery) {}

/** A record of a list that was not accepted. */
export class VotantErreurItem extends ItemOf({
  Index: value.integer('Its place in the list, from 0.', 3),
  Code: value.text('The error code that the record would get alone.', 'Votant.IdentifiantDejaUtilise'),
  Message: value.text(
    'Reason of the rejection.',
    'Another voter of the campaign has this Identifiant. Give its VotantId to change it, or another Identifiant.',
  ),
}) {}

/** Result of a list; `NombreCrees + NombreModifies + Erreurs.length` is the number of records sent. */
export class VotantsResultItem extends ItemOf({
  NombreCrees: value.integer('Voters that were created.', 1),
  NombreModifies: value.integer('Known voters that were accepted, changed or not.', 1),
  Erreurs: value.list(VotantErreurItem, 'Records that were not accepted. All others were.'),
}) {}

const DROIT_DE_VOTE = {
  VotantIds: {
    kind: 'texts',
    max: MOST_NAMED,
    length: 36,
    format: 'uuid',
    required: true,
    mayRepeat: true,
    description: 'The voters. One that is named twice counts once.',
    example: [EXAMPLE_IDS.votant],
  },
  ADroitDeVote: {
    ...VOTANT_FIELDS.ADroitDeVote,
    required: true,
    description: 'Whether they may vote from now on.',
  },
} as const;

/** Voters that get or lose the right to vote. */
export class DroitDeVoteInput extends InputOf(DROIT_DE_VOTE) {}

export class DroitDeVoteItem extends ItemOf({
  NombreModifies: value.integer('Number of voters found, changed or not.', 1),
  VotantIdsNonTrouves: value.ids('Ids without a voter in the campaign, in the order sent.', []),
}) {}
