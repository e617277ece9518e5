import { Presence, type StagedProperties } from '#platform/bulk/presence';
import { Stage, StageTable } from '#platform/bulk/stage';
import { capitalized, namesOf } from '#platform/input/field';
import { PERSONNE_FIELDS } from '../domain/employe.fields';

/** The properties of an employee that V2 writes. */
const PRESENCE = new Presence(namesOf(capitalized(PERSONNE_FIELDS)));

/** The dates of a nested record: an absent one can keep what is stored. */
export const DATES = new Presence(['DateDebut', 'DateAdhesion', 'DateFin']);

export const EMPLOYES_V2 = new StageTable('stage_employe_v2', {
  n: 'integer',
  id_externe: 'identifier',
  // Whether employments were sent. If so, V2 owns the employee's employments from now on.
  a_emplois: 'boolean',
  // Whether each of them has a readable identifier. If so, stored employments that were not sent end.
  emplois_complets: 'boolean',
  ...PRESENCE.columns,
});

export const EMPLOIS = new StageTable('stage_emploi', {
  n: 'integer',
  id_externe_employe: 'identifier',
  identifiant_externe: 'identifier',
  identifiant_externe_employeur: 'identifier',
  matricule: 'identifier',
  date_debut: 'timestamptz',
  date_fin: 'timestamptz',
  present: 'integer',
  // A rejected employment does not end the stored employment of its identifier.
  accepte: 'boolean',
});

export const MEMBERSHIPS = new StageTable('stage_membership', {
  n: 'integer',
  id_externe_employe: 'identifier',
  syndicat_id_externe: 'identifier',
  date_adhesion: 'timestamptz',
  date_fin: 'timestamptz',
  present: 'integer',
});

export const VALEURS = new StageTable('stage_valeur', {
  id_externe_employe: 'identifier',
  nom_champ: 'identifier',
  removed: 'boolean',
  type: 'text',
  valeur_texte: 'text',
  valeur_date: 'timestamptz',
  valeur_booleen: 'boolean',
  id_externe_choix: 'identifier',
});

/** The stages of employees and of their nested records, for one request. */
export class EmployeV2Stages {
  readonly employes = new Stage(EMPLOYES_V2);
  readonly proprietes: StagedProperties = PRESENCE.request();
  readonly emplois = new Stage(EMPLOIS);
  readonly memberships = new Stage(MEMBERSHIPS);
  readonly valeurs = new Stage(VALEURS);

  get nested(): readonly Stage[] {
    return [this.emplois, this.memberships, this.valeurs];
  }
}
