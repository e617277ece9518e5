import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { VOTANT_FIELDS } from '../domain/votant.fields';
import { CHANGEMENTS, CRITERES, MOTIF_CODES } from '../domain/motif.fields';
import { EXAMPLE_IDS } from '../../http/examples';

export class ExplicationQueryInput extends InputOf({
  idExterneEmploye: {
    ...VOTANT_FIELDS.EmployeIdExterne,
    required: true,
    description: 'External identifier of the employee.',
  },
}) {}

/** A reason. */
export class MotifItem extends ItemOf({
  code: value.choice(MOTIF_CODES, 'What it is.', 'Motif.AdhesionTerminee'),
  critere: value.orNull(
    value.choice(
      [...CRITERES, null],
      'Criterion of the list; null for a change of the roll itself.',
      CRITERES[0],
    ),
  ),
  constat: value.text(
    'What was found, in the language of the request.',
    'the membership of SYN-10 ended on 2026-03-01',
  ),
  reference: value.orNull(
    value.text('External identifier of the union or employer that was found.', 'SYN-10'),
  ),
  depuis: value.orNull(value.time('Day since which it is so, or will be.', '2026-03-01T00:00:00.000Z')),
  listeId: value.orNull(
    value.id('The electoral list (GUID); null for a change of the roll itself.', EXAMPLE_IDS.campagne),
  ),
}) {}

/** The smallest change that puts the employee on the roll. */
export class ContrefactuelItem extends ItemOf({
  changement: value.choice(
    CHANGEMENTS,
    '`AppliquerEcarts`: apply the differences of the roll. `NouvelleListe`: make the list again. Otherwise make a list like `listeId` with another `ActifsLe`, or with one more name in a criterion.',
    'ActifsLe',
  ),
  listeId: value.id('The electoral list that it starts from (GUID).', EXAMPLE_IDS.campagne),
  valeur: value.orNull(value.text('The day, or the name that is added.', '2026-02-28')),
  texte: value.text(
    'The change, in the language of the request.',
    'a list like this one with ActifsLe 2026-02-28',
  ),
}) {}

/** Why an employee is on the roll, or not. */
export class ExplicationItem extends ItemOf({
  surLaListe: value.flag('Whether the employee is on the roll.', false),
  votantId: value.orNull(value.id('The voter (GUID).', EXAMPLE_IDS.votant)),
  motifs: value.list(
    MotifItem,
    'For a voter, the evidence of its list at the enrolment. For another employee, the evidence of each of the newest 100 lists for each of its criteria; the newest list is first.',
  ),
  contrefactuel: value.optional(
    value.one(
      ContrefactuelItem,
      'The smallest single change that puts the employee on the roll; absent for a voter, and where there is none.',
    ),
  ),
}) {}

/** A reason in the member's words. */
export class MotifMembreItem extends ItemOf({
  code: value.choice(MOTIF_CODES, 'What it is.', 'Motif.AdhesionTerminee'),
  texte: value.text('The reason, in the language of the request.', 'Your membership ended on 2026-03-01.'),
}) {}

/** Whether a member may vote, in the member's words. */
export class EligibiliteItem extends ItemOf({
  surLaListe: value.flag('Whether the member is on the roll.', false),
  aDroitDeVote: value.flag('Whether the member may vote.', false),
  votantId: value.orNull(value.id('The voter (GUID).', EXAMPLE_IDS.votant)),
  texte: value.text(
    'All that a page shows, in the language of the request.',
    'You are not on the list of voters. Your membership ended on 2026-03-01.',
  ),
  motifs: value.list(MotifMembreItem, 'The reasons: of several lists, those of the list that lacks least.'),
}) {}
