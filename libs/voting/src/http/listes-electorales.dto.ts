import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import { givenId, givenTime } from '#platform/input/field';
import { LISTE_ELECTORALE_FIELDS } from '../domain/liste-electorale.fields';
import { count } from './described';
import { EXAMPLE_IDS } from './examples';

/** Criteria: those given hold together, and of the identifiers of one any. At least one list must name something. */
export class ListeElectoraleInput extends InputOf(LISTE_ELECTORALE_FIELDS) {}

const Id = givenId('Identifier of the list (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c51');

/** Result of an electoral list. */
export class ListeElectoraleItem {
  @Shown(Id)
  Id: string;

  @ApiProperty(count('Employees that met the criteria.', 2))
  NombreVotants: number;

  @ApiProperty(count('Of them, those that were added to the roll.', 1))
  NombreAjoutes: number;

  @ApiProperty(count('Of them, those that were on it already.', 1))
  NombreDejaPresents: number;

  @Shown(givenTime('When it was made.', '2026-11-02T15:04:05.000Z'))
  DateCreationUtc: string;
}

/** Result of an electoral list with its criteria. */
export class ListeElectoraleFaiteItem extends ListeElectoraleItem {
  @Shown(LISTE_ELECTORALE_FIELDS.SyndicatsIdExternes)
  SyndicatsIdExternes: string[] | null;

  @Shown(LISTE_ELECTORALE_FIELDS.EmployeursIdentifiantsExternes)
  EmployeursIdentifiantsExternes: string[] | null;

  @Shown(LISTE_ELECTORALE_FIELDS.EmployesIdExternes)
  EmployesIdExternes: string[] | null;

  @Shown({
    ...LISTE_ELECTORALE_FIELDS.ActifsLe,
    description: 'The day that memberships and employments were looked at.',
    example: '2026-11-02T00:00:00.000Z',
    always: true,
  })
  ActifsLe: string;

  @ApiProperty({ type: 'number', description: 'Weight that the voters were given.', example: 1 })
  Poids: number;
}

/** Data of the event `listeElectorale.creee`. */
export class ListeElectoraleCreeeData extends ListeElectoraleItem {
  @Shown(givenId('The campaign (GUID).', EXAMPLE_IDS.campagne))
  CampagneId: string;
}
