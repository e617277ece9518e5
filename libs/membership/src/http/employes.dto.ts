import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import { EMPLOYE_FIELDS, EmployeRecord } from '../domain/employe.fields';
import { modifieDepuis } from './master-data.dto';

/** Body of POST and PUT; PUT replaces every field, and one that is absent is cleared. */
export class EmployeInput implements EmployeRecord {
  @Input(EMPLOYE_FIELDS.idExterne)
  idExterne: string;

  @Input(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Input(EMPLOYE_FIELDS.nom)
  nom: string;

  @Input(EMPLOYE_FIELDS.noMembre)
  noMembre?: string | null;

  @Input(EMPLOYE_FIELDS.courriel)
  courriel?: string | null;

  @Input(EMPLOYE_FIELDS.identifiantExterneEmployeur)
  identifiantExterneEmployeur?: string | null;

  @Input(EMPLOYE_FIELDS.telephonePrincipal)
  telephonePrincipal?: string | null;

  @Input(EMPLOYE_FIELDS.adresse1)
  adresse1?: string | null;

  @Input(EMPLOYE_FIELDS.ville)
  ville?: string | null;

  @Input(EMPLOYE_FIELDS.province)
  province?: string | null;

  @Input(EMPLOYE_FIELDS.codePostal)
  codePostal?: string | null;

  @Input(EMPLOYE_FIELDS.valeursChampUtilisateur)
  valeursChampUtilisateur?: unknown;

  @Input(EMPLOYE_FIELDS.idUnique)
  idUnique?: unknown;

  @Input(EMPLOYE_FIELDS.derniereMAJ)
  derniereMAJ?: unknown;

  @Input(EMPLOYE_FIELDS.dateCreation)
  dateCreation?: unknown;
}

/** The value of a custom field in the flat shape of V1: the columns of other types are null. */
export class ValeurChampV1Item {
  @ApiProperty({ description: 'Name of the field.', example: 'Quart de travail' })
  nom: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value of a field of type `texte`.',
    example: null,
  })
  valeurTexte: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Value of a field of type `date`.',
    example: null,
  })
  valeurDate: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Value of a field of type `booleen`.',
    example: null,
  })
  valeurBooleen: boolean | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Label of the choice of a field of type `choix`.',
    example: 'Nuit',
  })
  valeurChoix: string | null;
}

/** An employee as V1 shows it. */
export class EmployeItem {
  @Shown(EMPLOYE_FIELDS.idExterne)
  idExterne: string;

  @Shown(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Shown(EMPLOYE_FIELDS.nom)
  nom: string;

  @Shown(EMPLOYE_FIELDS.noMembre)
  noMembre: string | null;

  @Shown(EMPLOYE_FIELDS.courriel)
  courriel: string | null;

  @Shown(EMPLOYE_FIELDS.identifiantExterneEmployeur)
  identifiantExterneEmployeur: string | null;

  @Shown(EMPLOYE_FIELDS.telephonePrincipal)
  telephonePrincipal: string | null;

  @Shown(EMPLOYE_FIELDS.adresse1)
  adresse1: string | null;

  @Shown(EMPLOYE_FIELDS.ville)
  ville: string | null;

  @Shown(EMPLOYE_FIELDS.province)
  province: string | null;

  @Shown(EMPLOYE_FIELDS.codePostal)
  codePostal: string | null;

  @ApiProperty({ type: [ValeurChampV1Item], description: 'Values of custom fields.' })
  valeursChampUtilisateur: ValeurChampV1Item[];

  @Shown(EMPLOYE_FIELDS.idUnique, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(EMPLOYE_FIELDS.derniereMAJ, { always: true, format: 'date-time' })
  derniereMAJ: string;

  @Shown(EMPLOYE_FIELDS.dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}

export class EmployeList extends PagingQuery {
  @Input(modifieDepuis)
  modifieDepuis?: Date;
}
