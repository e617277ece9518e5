import { givenId, givenTime } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { LISTE_ELECTORALE_FIELDS } from '../domain/liste-electorale.fields';
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
