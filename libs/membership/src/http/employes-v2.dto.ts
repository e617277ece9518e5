import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { ItemOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { given, pick, omit } from '#platform/input/field';
import { EMPLOI_FIELDS, MEMBERSHIP_FIELDS } from '../domain/employe-v2.fields';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { modifieDepuis } from './master-data.dto';
import { VALEURS_V2_ITEMS, type ValeurV2Item, ValeursV2 } from './valeurs-champ.dto';

const actif = {
  description: 'Whether the employment is active on the current day of the tenant.',
  example: true,
};
const matricule = {
  ...EMPLOI_FIELDS.Matricule,
  required: false,
  description: 'Employee number at the employer; null for the employment that V1 keeps.',
} as const;

/** An employment inside its employee. */
export class EmploiItem {
  @Shown(EMPLOI_FIELDS.IdentifiantExterne)
  identifiantExterne: string;

  @Shown(EMPLOI_FIELDS.IdentifiantExterneEmployeur)
  identifiantExterneEmployeur: string;

  @Shown(matricule)
  matricule: string | null;

  @Shown(EMPLOI_FIELDS.DateDebut)
  dateDebut: string | null;

  @Shown(EMPLOI_FIELDS.DateFin)
  dateFin: string | null;

  @ApiProperty(actif)
  actif: boolean;
}

/** A membership inside its employee. */
export class MembershipItem {
  @Shown(MEMBERSHIP_FIELDS.SyndicatIdExterne)
  syndicatIdExterne: string;

  @Shown(MEMBERSHIP_FIELDS.DateAdhesion)
  dateAdhesion: string;
}

/** An employee as V2 shows it. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class EmployeV2Item extends ItemOf(
  omit(EMPLOYE_FIELDS, 'identifiantExterneEmployeur', 'valeursChampUtilisateur'),
) {
  @ApiProperty({
    type: [EmploiItem],
    description:
      'Employments, active and ended. The single employer that V1 writes is the employment `V1`; the first V2 sync that sends employments without it ends it.',
  })
  emplois: EmploiItem[];

  @ApiProperty({ type: [MembershipItem], description: 'Memberships in unions.' })
  adhesions: MembershipItem[];

  @ValeursV2('Values of custom fields, each in the shape that its `type` says.')
  valeursChampUtilisateur: ValeurV2Item[];
}

export class EmployeV2List extends PagingQuery {
  @Input(modifieDepuis)
  modifieDepuis?: Date;
}

/** An employment found by a search. */
export class EmploiTrouveItem extends ItemOf(pick(EMPLOYE_FIELDS, 'prenom', 'nom')) {
  @Shown(EMPLOI_FIELDS.IdentifiantExterne)
  identifiantExterne: string;

  @Shown(EMPLOYE_FIELDS.idExterne)
  idExterneEmploye: string;

  @Shown(EMPLOI_FIELDS.IdentifiantExterneEmployeur)
  identifiantExterneEmployeur: string;

  @Shown(given('Name of the employer.', 'Aciérie du Saint-Laurent'))
  nomEmployeur: string;

  @Shown(matricule)
  matricule: string | null;

  @Shown(EMPLOI_FIELDS.DateDebut)
  dateDebut: string | null;

  @Shown(EMPLOI_FIELDS.DateFin)
  dateFin: string | null;

  @ApiProperty(actif)
  actif: boolean;
}

export class EmploiList extends PagingQuery {
  @Input({ ...EMPLOYE_FIELDS.idExterne, required: false, description: 'Employments of this employee.' })
  idExterneEmploye?: string;

  @Input({
    ...EMPLOI_FIELDS.IdentifiantExterneEmployeur,
    required: false,
    description: 'Employments at this employer.',
  })
  identifiantExterneEmployeur?: string;

  @Input({
    ...MEMBERSHIP_FIELDS.SyndicatIdExterne,
    required: false,
    description: 'Employments at employers of this union.',
  })
  idExterneSyndicat?: string;

  @Input({ ...EMPLOI_FIELDS.Matricule, required: false, description: 'Employments with this number.' })
  matricule?: string;

  @Input({
    kind: 'date',
    description: 'Employments that are active on this day; of a date-time, its day in UTC.',
    example: '2026-01-31T00:00:00Z',
  })
  actifLe?: Date;
}
