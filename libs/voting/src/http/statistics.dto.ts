import { ApiProperty } from '@nestjs/swagger';
import { Input } from '#platform/input/field.decorator';
import { identifier } from '#platform/input/field';
import { ETATS } from '../domain/campagne.fields';
import { type Methode, METHODES, QUESTION_TYPES } from '../domain/question.fields';
import { EXAMPLE_IDS } from './examples';

const id = (description: string, example: string) => ({ description, format: 'uuid', example }) as const;
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

/** Query of the statistics; both hold together (docs/contract.md, "Statistics"). */
export class StatistiquesQuery {
  @Input(
    identifier({
      description: 'Counts voters of this union only, everywhere. One that is unknown counts nobody.',
      example: 'SYN-10',
    }),
  )
  syndicatIdExterne?: string;

  @Input(
    identifier({
      description: 'Counts voters of this employer only, everywhere. One that is unknown counts nobody.',
      example: 'EMP-100',
    }),
  )
  employeurIdentifiantExterne?: string;
}

/** What one option has. */
export class OptionStatistiqueItem {
  @ApiProperty(id('Identifier of the option.', EXAMPLE_IDS.option))
  OptionId: string;

  @ApiProperty({ description: 'What was chosen.', example: 'Ariane Lapointe' })
  Libelle: string;

  @ApiProperty(count('Ballots that chose it; of a preferential question, that ranked it first.', 12))
  Votes: number;

  @ApiProperty({ description: 'Weight of these ballots, exact.', example: 12 })
  PoidsTotal: number;

  @ApiProperty({
    description: 'Share of this weight in that of all who did not abstain: 0 to 100, two decimals.',
    example: 57.14,
  })
  Pourcentage: number;
}

/** What one option has in one round. */
export class DecompteItem {
  @ApiProperty(id('Identifier of the option.', EXAMPLE_IDS.option))
  OptionId: string;

  @ApiProperty({ description: 'Weight that lies with it, with six decimals.', example: 12 })
  Poids: number;
}

/** How a tie was broken. */
export class DepartageItem {
  @ApiProperty({
    type: String,
    isArray: true,
    format: 'uuid',
    description: 'Options that had the same.',
    example: [EXAMPLE_IDS.option, EXAMPLE_IDS.optionAutre],
  })
  Entre: string[];

  @ApiProperty(
    id('The one whose surplus went on, that was eliminated, or that got the seat.', EXAMPLE_IDS.optionAutre),
  )
  Choisi: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The latest earlier round that told them apart; null where they were drawn.',
    example: 1,
  })
  Tour: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a draw, its seed: `graineDepartage` of the campaign, and `:grainePartenaire` behind it if there is one. Of the options of `Entre` that no earlier round tells apart, the first by the SHA-256 of `seed:QuestionId:Tour:OptionId` is chosen.',
    example: null,
  })
  Graine: string | null;
}

/** Weight that leaves an option after a round: a surplus, or all of an option that is eliminated. */
export class TransfertItem {
  @ApiProperty(id('The option that it leaves.', EXAMPLE_IDS.optionAutre))
  De: string;

  @ApiProperty({ type: [DecompteItem], description: 'What other options receive, with six decimals.' })
  Vers: DecompteItem[];

  @ApiProperty({ description: 'What reaches no option any more, with six decimals.', example: 0 })
  Epuise: number;
}

/** One round of a ranked count. */
export class TourItem {
  @ApiProperty(count('From 1.', 1))
  Tour: number;

  @ApiProperty({ description: 'Weight that elects.', example: 11 })
  Seuil: number;

  @ApiProperty({
    type: [DecompteItem],
    description: 'Options that are not eliminated; those with nothing are left out.',
  })
  Decompte: DecompteItem[];

  @ApiProperty({
    type: String,
    isArray: true,
    format: 'uuid',
    description: 'Whom this round elects.',
    example: [EXAMPLE_IDS.option],
  })
  Elus: string[];

  @ApiProperty({
    type: String,
    isArray: true,
    format: 'uuid',
    description: 'Whose ballots go on because it has least.',
    example: [],
  })
  Elimines: string[];

  @ApiProperty({ description: 'Weight that reaches no option any more.', example: 0 })
  Epuises: number;

  @ApiProperty({ type: DepartageItem, required: false, description: 'Where options had the same.' })
  Departage?: DepartageItem;

  @ApiProperty({
    type: [TransfertItem],
    description: 'What goes on to the next round: at most one surplus or elimination a round.',
  })
  Transferts: TransfertItem[];
}

/** What became of one question. */
export class QuestionStatistiqueItem {
  @ApiProperty(id('Identifier of the question.', EXAMPLE_IDS.question))
  QuestionId: string;

  @ApiProperty({ description: 'The question.', example: 'Qui voulez-vous à la présidence ?' })
  Titre: string;

  @ApiProperty({ enum: QUESTION_TYPES, description: 'Its type.', example: 'Election' })
  Type: string;

  @ApiProperty({ description: 'Whether options were ranked.', example: false })
  EstPreferentiel: boolean;

  @ApiProperty({ ...count('Ballots that did not abstain; null while nothing is told.', 21), nullable: true })
  Exprimes: number | null;

  @ApiProperty({ ...count('Ballots that abstained; null while nothing is told.', 2), nullable: true })
  Abstentions: number | null;

  @ApiProperty({
    type: [OptionStatistiqueItem],
    description:
      'In their order; empty until `fermetureDuVoteUtc` has passed, and where too few ballots are told of.',
  })
  Options: OptionStatistiqueItem[];

  @ApiProperty({
    type: String,
    isArray: true,
    format: 'uuid',
    required: false,
    description:
      'Of an Election, without filters: who is elected, in that order. Not preferential: the `NombreElus` options with most weight, of those that anybody chose.',
    example: [EXAMPLE_IDS.option],
  })
  Elus?: string[];

  @ApiProperty({
    type: [DepartageItem],
    required: false,
    description:
      'Of an Election that is not preferential, where options with the same weight were too many for the seats left: a draw for each of these seats. Its `Tour` in the SHA-256 is the number of the seat.',
  })
  Departages?: DepartageItem[];

  @ApiProperty({
    enum: METHODES,
    required: false,
    description:
      'Of a preferential question, without filters: instant-runoff for one seat, the single transferable vote for several. `VoteUniqueTransferableArrondi`: its fractions were exact to 16,384 bits and then cut to 8,192, as each surplus doubles their digits.',
    example: 'VoteAlternatif',
  })
  Methode?: Methode;

  @ApiProperty({
    type: [TourItem],
    required: false,
    description: 'Of a preferential question, without filters: the rounds of its count.',
  })
  Tours?: TourItem[];
}

/** How often the roll changed. */
export class ModificationsItem {
  @ApiProperty(count('Voters who were added.', 0))
  ajoutes: number;

  @ApiProperty(count('Voters who were removed.', 0))
  retires: number;

  @ApiProperty(count('Changes of voters: one who was changed by two requests counts twice.', 2))
  modifies: number;
}

/** Participation and results of a campaign (docs/contract.md, "Statistics"). */
export class StatistiquesItem {
  @ApiProperty(id('The campaign.', EXAMPLE_IDS.campagne))
  campagneId: string;

  @ApiProperty({ description: 'Its title.', example: 'Renouvellement de la convention collective' })
  titre: string;

  @ApiProperty({ enum: ETATS, description: 'Its state at this moment.', example: 'Termine' })
  etat: string;

  @ApiProperty(count('Voters on the roll.', 30))
  totalVotants: number;

  @ApiProperty(count('Voters who hold the right to vote.', 28))
  totalVotantsAvecDroitDeVote: number;

  @ApiProperty(
    count(
      'Voters who have voted. With filters, those who are of this union and employer on the roll of now; `Exprimes` and `Abstentions` count ballots by what the voter was when voting.',
      23,
    ),
  )
  votantsAyantVote: number;

  @ApiProperty({
    description:
      '`votantsAyantVote` ÷ `totalVotantsAvecDroitDeVote` × 100, two decimals; 0 when nobody may vote.',
    example: 82.14,
  })
  tauxParticipation: number;

  @ApiProperty({
    type: ModificationsItem,
    description: 'Changes of the roll since the vote was opened, whatever the filters are.',
  })
  modificationsApresOuverture: ModificationsItem;

  @ApiProperty({
    description:
      'Whether results can be seen: once the vote has ended, or while it is open where the client wants it so; not where so few ballots are told of that they could be somebody’s.',
    example: true,
  })
  resultatsVisibles: boolean;

  @ApiProperty({
    required: false,
    description: 'Why there is no result: the ballot box did not agree with receipts and voters.',
    example: 'Un bulletin manque : le vote est à reprendre.',
  })
  raisonConstat?: string;

  @ApiProperty({ type: [QuestionStatistiqueItem], description: 'In their order.' })
  questions: QuestionStatistiqueItem[];
}
