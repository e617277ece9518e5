import { SEPARATEUR } from '#platform/http/csv';
import { identifier, omit } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { ETATS } from '../../campagne/domain/campagne.fields';
import { METHODES, QUESTION_TYPES } from '../../structure/domain/question.fields';
import { EXAMPLE_IDS } from '../../http/examples';

/** Query of the statistics; both filters combine with AND (docs/contract.md, "Statistics"). */
export class StatistiquesQuery extends InputOf({
  syndicatIdExterne: identifier({
    description: 'Counts only voters of this union. An unknown union has no voters.',
    renames: ['idExterneSyndicat'],
    example: 'SYN-10',
  }),
  employeurIdentifiantExterne: identifier({
    description: 'Counts only voters of this employer. An unknown employer has no voters.',
    renames: ['identifiantExterneEmployeur'],
    example: 'EMP-100',
  }),
  separateur: SEPARATEUR,
}) {}

/** Result of one option. */
export class OptionStatistiqueItem extends ItemOf({
  OptionId: value.id('Identifier of the option.', EXAMPLE_IDS.option),
  Libelle: value.text('Label of the option.', 'Ariane Lapointe'),
  Votes: value.integer(
    'Ballots that chose it. For a preferential question: ballots that ranked it first.',
    12,
  ),
  PoidsTotal: value.number('Weight of these ballots, exact.', 12),
  Pourcentage: value.number(
    'Share of this weight in the weight of all ballots that did not abstain: 0 to 100, two decimals.',
    57.14,
  ),
}) {}

/** Weight of one option in one round. */
export class DecompteItem extends ItemOf({
  OptionId: value.id('Identifier of the option.', EXAMPLE_IDS.option),
  Poids: value.number('Its weight, with six decimals.', 12),
}) {}

/** How a tie was broken. */
export class DepartageItem extends ItemOf({
  Entre: value.ids('Options with equal weight.', [EXAMPLE_IDS.option, EXAMPLE_IDS.optionAutre]),
  Choisi: value.id(
    'The option whose surplus was transferred, that was eliminated, or that got the seat.',
    EXAMPLE_IDS.optionAutre,
  ),
  Tour: value.orNull(
    value.integer('The latest earlier round in which they differed; null if a draw decided.', 1),
  ),
  Graine: value.orNull(
    value.text(
      'Seed of the draw: `graineDepartage` of the campaign, followed by `:grainePartenaire` if there is one; null without a draw. Among the options of `Entre` that have equal weight in all earlier rounds, the first by the SHA-256 of `seed:QuestionId:Tour:OptionId` is chosen.',
      null,
    ),
  ),
}) {}

/** Weight that leaves an option after a round: a surplus, or all of an option that is eliminated. */
export class TransfertItem extends ItemOf({
  De: value.id('The option that it leaves.', EXAMPLE_IDS.optionAutre),
  Vers: value.list(DecompteItem, 'Weight that other options receive, with six decimals.'),
  Epuise: value.number('Weight without a next option, with six decimals.', 0),
}) {}

/** A round of a ranked count. */
export class TourItem extends ItemOf({
  Tour: value.integer('From 1.', 1),
  Seuil: value.number('Weight that elects.', 11),
  Decompte: value.list(DecompteItem, 'Options that are not eliminated. Options without weight are omitted.'),
  Elus: value.ids('Options that this round elects.', [EXAMPLE_IDS.option]),
  Elimines: value.ids('Eliminated options; their ballots transfer.', []),
  Epuises: value.number('Weight that reaches no option any more.', 0),
  Departage: value.optional(value.one(DepartageItem, 'Present if options had equal weight.')),
  Transferts: value.list(
    TransfertItem,
    'Transfers to the next round: at most one surplus or elimination in each round.',
  ),
}) {}

const QUESTION = {
  QuestionId: value.id('Identifier of the question.', EXAMPLE_IDS.question),
  Titre: value.text('The question.', 'Qui voulez-vous à la présidence ?'),
  Type: value.choice(QUESTION_TYPES, 'Its type.', 'Election'),
  EstPreferentiel: value.flag('Whether options were ranked.', false),
  Exprimes: value.orNull(value.integer('Ballots that did not abstain; null while results are hidden.', 21)),
  Abstentions: value.orNull(value.integer('Ballots that abstained; null while results are hidden.', 2)),
  Options: value.list(
    OptionStatistiqueItem,
    'In their order. Empty until `fermetureDuVoteUtc` has passed, and where results of few ballots are hidden.',
  ),
  Elus: value.optional(
    value.ids(
      'For an Election, without filters: the elected options, in that order. If it is not preferential: the `NombreElus` options with most weight among those with votes.',
      [EXAMPLE_IDS.option],
    ),
  ),
  Departages: value.optional(
    value.list(
      DepartageItem,
      'For an Election that is not preferential, if too many options had equal weight for the remaining seats: a draw for each of these seats. Its `Tour` in the SHA-256 is the number of the seat.',
    ),
  ),
  Methode: value.optional(
    value.choice(
      METHODES,
      'For a preferential question, without filters: instant-runoff for one seat, the single transferable vote for several. `VoteUniqueTransferableArrondi`: its fractions were exact to 16,384 bits and then cut to 8,192, because each surplus doubles their digits.',
      'VoteAlternatif',
    ),
  ),
  Tours: value.optional(
    value.list(TourItem, 'For a preferential question, without filters: the rounds of its count.'),
  ),
};

/** Result of one question. */
export class QuestionStatistiqueItem extends ItemOf(QUESTION) {}

/** How often the roll changed. */
export class ModificationsItem extends ItemOf({
  ajoutes: value.integer('Voters who were added.', 0),
  retires: value.integer('Voters who were removed.', 0),
  modifies: value.integer('Changes of voters: a voter who was changed by two requests counts twice.', 2),
}) {}

/** How far the decryption of an encrypted vote is. */
export class DechiffrementItem extends ItemOf({
  seuil: value.integer('How many guardians decrypt the result together.', 2),
  recus: value.integer('Number of guardians who have decrypted it.', 1),
  attendus: value.texts('Names of the other guardians.', ['Ariane Lapointe']),
}) {}

const STATISTIQUES = {
  campagneId: value.id('The campaign.', EXAMPLE_IDS.campagne),
  titre: value.text('Its title.', 'Renouvellement de la convention collective'),
  etat: value.choice(ETATS, 'Its state at this moment.', 'Termine'),
  totalVotants: value.integer('Voters on the roll.', 30),
  totalVotantsAvecDroitDeVote: value.integer('Voters who have the right to vote.', 28),
  votantsAyantVote: value.integer(
    'Voters who have voted. Under every filter it is `Exprimes` + `Abstentions` of each question, because a vote fixes the union and employer of its voter.',
    23,
  ),
  tauxParticipation: value.number(
    '`votantsAyantVote` ÷ `totalVotantsAvecDroitDeVote` × 100, two decimals; 0 without voters who may vote.',
    82.14,
  ),
  modificationsApresOuverture: value.one(
    ModificationsItem,
    'Changes of the roll since the vote was opened, independent of filters.',
  ),
  resultatsVisibles: value.flag(
    'Whether results are visible: after the vote has ended, or while it is open if the client allows it. Results of few ballots are hidden if they could identify voters.',
    true,
  ),
  raisonConstat: value.optional(
    value.text(
      'Why there is no result: ballots, receipts and voters did not agree.',
      'Un bulletin manque : le vote est à reprendre.',
    ),
  ),
  dechiffrement: value.optional(
    value.one(
      DechiffrementItem,
      'Of an encrypted vote that has ended and has no result yet: the guardians that it waits for.',
    ),
  ),
  questions: value.list(QuestionStatistiqueItem, 'In their order.'),
};

/** Participation and results of a campaign (docs/contract.md, "Statistics"). */
export class StatistiquesItem extends ItemOf(STATISTIQUES) {}

/** The question in a row of CSV: without draws and rounds, which each of its rows would repeat. */
class QuestionRow extends ItemOf({
  ...omit(QUESTION, 'Options', 'Departages', 'Methode', 'Tours'),
  Options: value.one(OptionStatistiqueItem, 'The option.'),
}) {}

/** A row of the statistics as CSV. */
export class StatistiquesRow extends ItemOf({
  ...omit(STATISTIQUES, 'questions', 'dechiffrement'),
  questions: value.one(QuestionRow, 'The question.'),
}) {}

/** Statistics of a vote that has ended, without filters. */
export const EXAMPLE_STATISTIQUES = {
  campagneId: EXAMPLE_IDS.campagne,
  titre: 'Renouvellement de la convention collective',
  etat: 'Termine',
  totalVotants: 30,
  totalVotantsAvecDroitDeVote: 28,
  votantsAyantVote: 23,
  tauxParticipation: 82.14,
  modificationsApresOuverture: { ajoutes: 0, retires: 0, modifies: 2 },
  resultatsVisibles: true,
  questions: [
    {
      QuestionId: EXAMPLE_IDS.question,
      Titre: 'Qui voulez-vous à la présidence ?',
      Type: 'Election',
      EstPreferentiel: false,
      Exprimes: 21,
      Abstentions: 2,
      Options: [
        {
          OptionId: EXAMPLE_IDS.option,
          Libelle: 'Ariane Lapointe',
          Votes: 12,
          PoidsTotal: 12,
          Pourcentage: 57.14,
        },
        {
          OptionId: EXAMPLE_IDS.optionAutre,
          Libelle: 'Bruno Gagné',
          Votes: 9,
          PoidsTotal: 9,
          Pourcentage: 42.86,
        },
      ],
      Elus: [EXAMPLE_IDS.option],
    },
  ],
};
