import { Hasard } from '../libs/essai/src/domain/hasard';
import {
  ascii,
  NOMS,
  ORGANISATIONS,
  POSTAL_LETTERS,
  PRENOMS,
  RUES,
  VILLES,
} from '../libs/essai/src/domain/quebec';

/** An employee in the format of `POST /b2b/v1/employe/sync`. */
export interface Employe {
  idExterne: string;
  prenom: string;
  nom: string;
  noMembre: string;
  courriel: string;
  identifiantExterneEmployeur: string;
  telephonePrincipal: string;
  adresse1: string;
  ville: string;
  province: string;
  codePostal: string;
}

/** A record of an export, in which any column may have any value. */
export type Sent = Readonly<Record<string, unknown>>;

export type FaultKind = 'e-mail' | 'name' | 'number' | 'duplicate' | 'employer' | 'column';

/** A line of the export. */
export interface Row {
  readonly sent: Sent;
  /** The corrected employee. */
  readonly clean: Employe;
  /** The fault for which the service must reject this line. */
  readonly fault?: FaultKind;
}

interface Fault {
  /** Share of all faults. */
  readonly share: number;
  readonly property: string;
  /** Whether the partner can correct it from the record alone. */
  readonly correctable: boolean;
  spoil(clean: Employe, hasard: Hasard): Sent;
}

const WRONG_EMAILS: readonly ((courriel: string) => string)[] = [
  (courriel) => courriel.replace('@', ''),
  (courriel) => courriel.replace('.', ' '),
  (courriel) => courriel.replace('.example', ',example'),
  (courriel) => `${courriel}.`,
];

const UNKNOWN_EMPLOYERS = ['CSS-99', 'SAN-1', 'VIL 03', 'ind-02'];

/** A duplicate repeats the previous line, for an employee who works for two employers. */
export const FAULTS: Readonly<Record<FaultKind, Fault>> = {
  'e-mail': {
    share: 0.4,
    property: 'courriel',
    correctable: true,
    spoil: (clean, hasard) => ({ ...clean, courriel: hasard.pick(WRONG_EMAILS)(clean.courriel) }),
  },
  name: {
    share: 0.12,
    property: 'nom',
    correctable: true,
    spoil: (clean, hasard) => ({ ...clean, nom: hasard.pick(['', null, undefined]) }),
  },
  number: {
    share: 0.12,
    property: 'noMembre',
    correctable: true,
    spoil: (clean) => ({ ...clean, noMembre: Number(clean.noMembre.slice(2)) }),
  },
  duplicate: {
    share: 0.14,
    property: 'identifiantExterneEmployeur',
    correctable: false,
    spoil: (clean, hasard) => ({
      ...clean,
      identifiantExterneEmployeur: hasard.pick(ORGANISATIONS).idExterne,
    }),
  },
  employer: {
    share: 0.14,
    property: 'identifiantExterneEmployeur',
    correctable: false,
    spoil: (clean, hasard) => ({ ...clean, identifiantExterneEmployeur: hasard.pick(UNKNOWN_EMPLOYERS) }),
  },
  column: {
    share: 0.08,
    property: 'cellulaire',
    correctable: false,
    spoil: (clean) => ({ ...clean, cellulaire: clean.telephonePrincipal }),
  },
};

const FAULT_RATE = 0.016;

/** Returns the same rows for the same count and seed on every machine. */
export function makeRows(count: number, seed = 1): Row[] {
  const hasard = new Hasard(String(seed), 'demonstration');
  const rows: Row[] = [];
  while (rows.length < count) {
    const previous = rows.at(-1);
    const kind = hasard.chance(FAULT_RATE) ? drawFault(hasard) : undefined;
    if (kind === 'duplicate' && previous && !previous.fault) {
      rows.push({ clean: previous.clean, sent: FAULTS.duplicate.spoil(previous.clean, hasard), fault: kind });
      continue;
    }
    const clean = makeEmployee(rows.length + 1, hasard);
    // The first line, and a line after a faulty one, have no line to repeat.
    const fault = kind === 'duplicate' ? 'e-mail' : kind;
    rows.push(
      fault
        ? { clean, sent: FAULTS[fault].spoil(clean, hasard), fault }
        : { clean, sent: oddity(clean, hasard) },
    );
  }
  return rows;
}

function makeEmployee(number: number, hasard: Hasard): Employe {
  // The smaller of two places, because the first names of the list should be more frequent, as in reality.
  const surname = (): string => NOMS[Math.min(hasard.below(NOMS.length), hasard.below(NOMS.length))]!;
  const simple = surname();
  const nom = hasard.chance(0.1) && !simple.includes('-') ? `${simple}-${surname()}` : simple;
  const prenom = hasard.pick(PRENOMS);
  const employeur = hasard.pick(ORGANISATIONS);
  const ville = hasard.pick(VILLES);
  const digit = (): number => hasard.below(10);
  const appartement = hasard.chance(0.3) ? `, app. ${1 + digit()}` : '';
  return {
    idExterne: `D-${String(number).padStart(5, '0')}`,
    prenom,
    nom,
    noMembre: `M-${200_000 + number}`,
    courriel: `${ascii(prenom)}.${ascii(nom)}${number}@${employeur.domaine}`,
    identifiantExterneEmployeur: employeur.idExterne,
    telephonePrincipal: `${hasard.pick(ville.indicatifs)} 555-01${digit()}${digit()}`,
    adresse1: `${1 + hasard.below(9_000)}, ${hasard.pick(RUES)}${appartement}`,
    ville: ville.nom,
    province: 'QC',
    codePostal: `${ville.prefixe} ${digit()}${hasard.pick(POSTAL_LETTERS)}${digit()}`,
  };
}

/** Valid values that look unusual in an export: spaces at the end, capitals, accents in a domain. */
function oddity(clean: Employe, hasard: Hasard): Sent {
  const place = hasard.below(1_000);
  if (place < 10) return { ...clean, nom: `${clean.nom}  `, ville: `${clean.ville} ` };
  if (place < 20) return { ...clean, nom: clean.nom.toUpperCase(), prenom: clean.prenom.toUpperCase() };
  if (place < 21) return { ...clean, courriel: clean.courriel.replace(/@.*/, '@hôpital-québec.example') };
  return { ...clean };
}

/** Returns the export after the partner's corrections. Lines that need information from outside the record stay. */
export function correct(rows: readonly Row[]): Row[] {
  return rows.map((row) => (isCorrectable(row) ? { clean: row.clean, sent: { ...row.clean } } : row));
}

export function isCorrectable({ fault }: Row): boolean {
  return fault !== undefined && FAULTS[fault].correctable;
}

/** Whether a row has no fault and has accents in a name. */
export function isTypical({ clean, fault }: Row): boolean {
  return !fault && /[À-ÿ]/.test(clean.prenom) && /[À-ÿ'-]/.test(clean.nom);
}

/**
 * Cuts the rows into batches. Lines of one employee stay together, because the service detects a duplicate within one
 * request only.
 */
export function batchesOf(rows: readonly Row[], size: number): Row[][] {
  const batches: Row[][] = [];
  for (const row of rows) {
    const batch = batches.at(-1);
    const together = batch?.at(-1)?.clean.idExterne === row.clean.idExterne;
    if (batch && (batch.length < size || together)) batch.push(row);
    else batches.push([row]);
  }
  return batches;
}

function drawFault(hasard: Hasard): FaultKind {
  let place = hasard.below(100);
  for (const [kind, { share }] of Object.entries(FAULTS)) {
    place -= share * 100;
    if (place < 0) return kind as FaultKind;
  }
  return 'e-mail';
}
