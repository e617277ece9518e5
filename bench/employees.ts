/** Generated employees of a payroll, the same in every run. */

/** The kind of a sync. `mixed` has half new, a quarter changed and a quarter unchanged records. */
export const KINDS = ['new', 'changed', 'mixed', 'unchanged'] as const;
export type Kind = (typeof KINDS)[number];

/** An employee in V1's format. */
export type Employee = Readonly<Record<(typeof EMPLOYEE_PROPERTIES)[number], string>>;

export const EMPLOYEE_PROPERTIES = [
  'idExterne',
  'prenom',
  'nom',
  'noMembre',
  'courriel',
  'identifiantExterneEmployeur',
  'telephonePrincipal',
  'adresse1',
  'ville',
  'province',
  'codePostal',
] as const;

const EMPLOYERS = 50;
const FIRST_NAMES = [
  'Marie-Ève',
  'Jean',
  'Zoé',
  'François',
  'Amélie',
  'Luc',
  'Noémie',
  'Étienne',
  'Sara',
  'Karim',
];
const LAST_NAMES = [
  "L'Écuyer",
  'Tremblay',
  'Gagnon',
  'Nguyễn',
  'Côté',
  'Bouchard',
  'Lévesque',
  'Roy',
  'Haddad',
];
const CITIES = ['Trois-Rivières', 'Québec', 'Montréal', 'Saguenay', 'Lévis', 'Gatineau', 'Rimouski'];

export function employers(): { idExterne: string; nom: string }[] {
  return Array.from({ length: EMPLOYERS }, (_, n) => ({
    idExterne: `EMP-${n}`,
    nom: `Aciérie du Saint-Laurent ${n}`,
  }));
}

function employee(n: number, changed: boolean): Employee {
  const of = (list: readonly string[]): string => list[n % list.length]!;
  return {
    idExterne: `E-${n}`,
    prenom: of(FIRST_NAMES),
    nom: of(LAST_NAMES),
    noMembre: `M-${100_000 + n}`,
    courriel: `membre.${n}@example.org`,
    identifiantExterneEmployeur: `EMP-${n % EMPLOYERS}`,
    telephonePrincipal: `418 555-${String(n % 10_000).padStart(4, '0')}${changed ? ' p. 2' : ''}`,
    adresse1: `${n}, rue Saint-Jean, app. ${n % 40}`,
    ville: of(CITIES),
    province: 'QC',
    codePostal: `G${n % 10}A 1B${n % 10}`,
  };
}

/** Returns the `size` employees that exist before a sync, numbered from 0. */
export function baseline(size: number): Employee[] {
  return Array.from({ length: size }, (_, n) => employee(n, false));
}

/** Returns the `size` employees of a sync of this kind, for a baseline of `size`. */
export function syncOf(kind: Kind, size: number): Employee[] {
  const pick = (n: number): Employee => {
    switch (kind) {
      case 'new':
        return employee(size + n, false);
      case 'changed':
        return employee(n, true);
      case 'unchanged':
        return employee(n, false);
      case 'mixed':
        return n % 2 === 0 ? employee(size + n, false) : employee(n, n % 4 === 1);
    }
  };
  return Array.from({ length: size }, (_, n) => pick(n));
}
