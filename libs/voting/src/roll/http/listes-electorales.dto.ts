import { givenId, givenTime } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { LISTE_ELECTORALE_FIELDS } from '../domain/liste-electorale.fields';
import { MOTIF_CODES } from '../domain/motif.fields';
import { EXAMPLE_IDS } from '../../http/examples';

/** Criteria: those given hold together, and of the identifiers of one any. At least one list must name something. */
export class ListeElectoraleInput extends InputOf(LISTE_ELECTORALE_FIELDS) {}

/** Result of an electoral list. */
export class ListeElectoraleItem extends ItemOf({
  Id: givenId('Identifier of the list (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c51'),
  NombreVotants: value.integer('Employees that met the criteria.', 2),
  NombreAjoutes: value.integer('Of them, those that were added to the roll.', 1),
  NombreDejaPresents: value.integer('Of them, those that were on it already.', 1),
  DateCreationUtc: givenTime('When it was made.', '2026-11-02T15:04:05.000Z'),
}) {}

export class ListeElectoraleQuery extends InputOf({
  simulation: {
    kind: 'boolean',
    description: '`true` counts what the list would do, by reasons, and writes nothing.',
    example: false,
  },
}) {}

/** Number of employees with a reason. */
export class MotifNombreItem extends ItemOf({
  Code: value.choice(MOTIF_CODES, 'The reason.', 'Motif.AdhesionActive'),
  Nombre: value.integer('Employees.', 2),
}) {}

/** Result that an electoral list would have. */
export class ListeElectoraleSimuleeItem extends ItemOf({
  NombreVotants: value.integer('Employees that meet the criteria.', 2),
  NombreAjoutes: value.integer('Of them, those that would be added to the roll.', 1),
  NombreDejaPresents: value.integer('Of them, those that are on it already.', 1),
  Motifs: value.list(
    MotifNombreItem,
    'All employees by reasons: those who meet the criteria by each criterion, the others by each that does not hold.',
  ),
}) {}

const CRITERIA = {
  ...LISTE_ELECTORALE_FIELDS,
  ActifsLe: {
    ...LISTE_ELECTORALE_FIELDS.ActifsLe,
    description: 'The day that memberships and employments were looked at.',
    example: '2026-11-02T00:00:00.000Z',
    always: true,
  },
  Poids: value.number('Weight that the voters were given.', 1),
} as const;

/** Result of an electoral list with its criteria. */
export class ListeElectoraleFaiteItem extends ItemOf(CRITERIA, {}, ListeElectoraleItem) {}

const CAMPAGNE = { CampagneId: givenId('The campaign (GUID).', EXAMPLE_IDS.campagne) };

/** Data of the event `listeElectorale.creee`. */
export class ListeElectoraleCreeeData extends ItemOf(CAMPAGNE, {}, ListeElectoraleItem) {}
