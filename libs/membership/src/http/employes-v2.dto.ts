import { ApiExtraModels } from '@nestjs/swagger';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { CsvPagingQuery } from '#platform/http/csv';
import { given, namesOf, omit, uncapitalized } from '#platform/input/field';
import { EMPLOI_FIELDS, EMPLOI_FILTERS, MEMBERSHIP_FIELDS } from '../domain/employe-v2.fields';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { READ_ONLY_FIELDS } from '../domain/read-only.fields';
import { VALEURS_V2_ITEMS, valeursV2 } from './valeurs-champ.dto';

const EMPLOI = {
  ...uncapitalized(EMPLOI_FIELDS),
  matricule: {
    ...EMPLOI_FIELDS.Matricule,
    required: false,
    description: 'Employee number at the employer; null for the employment that V1 keeps.',
  },
  actif: {
    kind: 'boolean',
    required: true,
    description: 'Whether the employment is active on the current day of the tenant.',
    example: true,
  },
} as const;

/** An employment inside its employee. */
export class EmploiItem extends ItemOf(EMPLOI) {}

/** A membership inside its employee. */
export class MembershipItem extends ItemOf(uncapitalized(MEMBERSHIP_FIELDS)) {}

const EMPLOYE_V2 = {
  ...omit(
    EMPLOYE_FIELDS,
    'identifiantExterneEmployeur',
    'valeursChampUtilisateur',
    ...namesOf(READ_ONLY_FIELDS),
  ),
  emplois: {
    kind: 'rows',
    always: true,
    description:
      'Employments, active and ended. The single employer that V1 writes is the employment `V1`; the first V2 sync that sends employments without it ends it.',
  },
  adhesions: { kind: 'rows', always: true, description: 'Memberships in unions.' },
  valeursChampUtilisateur: valeursV2('Values of custom fields, each in the shape that its `type` says.'),
  ...READ_ONLY_FIELDS,
} as const;

/** An employee as V2 shows it. */
@ApiExtraModels(...VALEURS_V2_ITEMS)
export class EmployeV2Item extends ItemOf(EMPLOYE_V2, { emplois: EmploiItem, adhesions: MembershipItem }) {}

const { identifiantExterne, identifiantExterneEmployeur, ...occupied } = EMPLOI;

/** An employment found by a search. */
export class EmploiTrouveItem extends ItemOf({
  identifiantExterne,
  idExterneEmploye: EMPLOYE_FIELDS.idExterne,
  prenom: EMPLOYE_FIELDS.prenom,
  nom: EMPLOYE_FIELDS.nom,
  identifiantExterneEmployeur,
  nomEmployeur: given('Name of the employer.', 'Aciérie du Saint-Laurent'),
  ...occupied,
}) {}

export class EmploiList extends InputOf(EMPLOI_FILTERS, {}, CsvPagingQuery) {}
