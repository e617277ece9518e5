import { type Employee, employers, type Kind, syncOf } from './employees';

/** Generated employees in V2's format, with three employments for every two employees and a membership each. */

const UNIONS = 5;

export interface EmployeeV2 {
  readonly IdExterne: string;
  readonly Prenom: string;
  readonly Nom: string;
  readonly NoMembre: string;
  readonly Courriel: string;
  readonly TelephonePrincipal: string;
  readonly Adresse1: string;
  readonly Ville: string;
  readonly Province: string;
  readonly CodePostal: string;
  readonly Emplois: readonly {
    readonly IdentifiantExterne: string;
    readonly IdentifiantExterneEmployeur: string;
    readonly Matricule: string;
    readonly DateDebut: string;
    readonly DateFin: string | null;
  }[];
  readonly Adhesions: readonly { readonly SyndicatIdExterne: string; readonly DateAdhesion: string }[];
}

/** Unions with the employers of `employers()`, distributed evenly. */
export function unions(): object[] {
  const all = employers().map(({ idExterne, nom }) => ({ IdentifiantExterne: idExterne, Nom: nom }));
  return Array.from({ length: UNIONS }, (_, n) => ({
    IdentifiantExterne: `SYN-${n}`,
    Nom: `Syndicat des métallos, section ${n}`,
    Employeurs: all.filter((_employer, index) => index % UNIONS === n),
  }));
}

/** The employees of `syncOf` in V2's format. A changed employee also has another number at its employer. */
export function syncV2Of(kind: Kind, size: number): EmployeeV2[] {
  return syncOf(kind, size).map(toV2);
}

function toV2(employee: Employee): EmployeeV2 {
  const n = Number(employee.idExterne.slice(2));
  const matricule = `${200_000 + n}${employee.telephonePrincipal.endsWith(' p. 2') ? '-2' : ''}`;
  const employment = (which: number) => ({
    IdentifiantExterne: `EMPLOI-${n}-${which}`,
    IdentifiantExterneEmployeur: which === 0 ? employee.identifiantExterneEmployeur : 'EMP-0',
    Matricule: matricule,
    DateDebut: `20${10 + (n % 10)}-03-01T00:00:00.000Z`,
    DateFin: which === 0 ? null : '2040-01-01T00:00:00.000Z',
  });
  return {
    IdExterne: employee.idExterne,
    Prenom: employee.prenom,
    Nom: employee.nom,
    NoMembre: employee.noMembre,
    Courriel: employee.courriel,
    TelephonePrincipal: employee.telephonePrincipal,
    Adresse1: employee.adresse1,
    Ville: employee.ville,
    Province: employee.province,
    CodePostal: employee.codePostal,
    Emplois: n % 2 === 0 ? [employment(0)] : [employment(0), employment(1)],
    Adhesions: [{ SyndicatIdExterne: `SYN-${n % UNIONS}`, DateAdhesion: '2021-05-01T00:00:00.000Z' }],
  };
}
