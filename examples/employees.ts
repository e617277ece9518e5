import { NOMS, ORGANISATIONS, PRENOMS, RUES, VILLES } from '../libs/essai/src/domain/quebec';

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
  spoil(clean: Employe, pick: Pick): Sent;
}

type Pick = <T>(values: readonly T[]) => T;

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
    spoil: (clean, pick) => ({ ...clean, courriel: pick(WRONG_EMAILS)(clean.courriel) }),
  },
  name: {
    share: 0.12,
    property: 'nom',
    correctable: true,
    spoil: (clean, pick) => ({ ...clean, nom: pick(['', null, undefined]) }),
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
    spoil: (clean, pick) => ({ ...clean, identifiantExterneEmployeur: pick(ORGANISATIONS).idExterne }),
  },
  employer: {
    share: 0.14,
    property: 'identifiantExterneEmployeur',
    correctable: false,
    spoil: (clean, pick) => ({ ...clean, identifiantExterneEmployeur: pick(UNKNOWN_EMPLOYERS) }),
  },
  column: {
    share: 0.08,
    property: 'cellulaire',
    correctable: false,
    spoil: (clean) => ({ ...clean, cellulaire: clean.telephonePrincipal }),
  },
};

const FAULT_RATE = 0.016;
/** Letters that Canadian postal codes use. */
const POSTAL_LETTERS = [...'ABCEGHJKLMNPRSTVWXYZ'];

/** Returns the same rows for the same count and seed on every machine. */
export function makeRows(count: number, seed = 1): Row[] {
  const random = mulberry32(seed);
  const pick: Pick = (values) => values[Math.floor(random() * values.length)]!;
  const rows: Row[] = [];
  while (rows.length < count) {
    const previous = rows.at(-1);
    const kind = random() < FAULT_RATE ? drawFault(random()) : undefined;
    if (kind === 'duplicate' && previous && !previous.fault) {
      rows.push({ clean: previous.clean, sent: FAULTS.duplicate.spoil(previous.clean, pick), fault: kind });
      continue;
    }
    const clean = makeEmployee(rows.length + 1, random, pick);
    // The first line, and a line after a faulty one, have no line to repeat.
    const fault = kind === 'duplicate' ? 'e-mail' : kind;
    rows.push(
      fault
        ? { clean, sent: FAULTS[fault].spoil(clean, pick), fault }
        : { clean, sent: oddity(clean, random) },
    );
  }
  return rows;
}

function makeEmployee(number: number, random: () => number, pick: Pick): Employe {
  // Squared, because the first names of the list should be more frequent, as in reality.
  const surname = (): string => NOMS[Math.floor(random() ** 2 * NOMS.length)]!;
  const simple = surname();
  const nom = random() < 0.1 && !simple.includes('-') ? `${simple}-${surname()}` : simple;
  const prenom = pick(PRENOMS);
  const employeur = pick(ORGANISATIONS);
  const ville = pick(VILLES);
  const digit = (): number => Math.floor(random() * 10);
  const appartement = random() < 0.3 ? `, app. ${1 + digit()}` : '';
  return {
    idExterne: `D-${String(number).padStart(5, '0')}`,
    prenom,
    nom,
    noMembre: `M-${200_000 + number}`,
    courriel: `${ascii(prenom)}.${ascii(nom)}${number}@${employeur.domaine}`,
    identifiantExterneEmployeur: employeur.idExterne,
    telephonePrincipal: `${pick(ville.indicatifs)} 555-01${digit()}${digit()}`,
    adresse1: `${1 + Math.floor(random() * 9_000)}, ${pick(RUES)}${appartement}`,
    ville: ville.nom,
    province: 'QC',
    codePostal: `${ville.prefixe} ${digit()}${pick(POSTAL_LETTERS)}${digit()}`,
  };
}

/** Valid values that look unusual in an export: spaces at the end, capitals, accents in a domain. */
function oddity(clean: Employe, random: () => number): Sent {
  const chance = random();
  if (chance < 0.01) return { ...clean, nom: `${clean.nom}  `, ville: `${clean.ville} ` };
  if (chance < 0.02) return { ...clean, nom: clean.nom.toUpperCase(), prenom: clean.prenom.toUpperCase() };
  if (chance < 0.021) return { ...clean, courriel: clean.courriel.replace(/@.*/, '@hôpital-québec.example') };
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

function drawFault(chance: number): FaultKind {
  let sum = 0;
  for (const [kind, { share }] of Object.entries(FAULTS)) {
    sum += share;
    if (chance < sum) return kind as FaultKind;
  }
  return 'e-mail';
}

function ascii(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{Mark}/gu, '');
  return plain.toLowerCase().replace(/[^a-z]+/g, '-');
}

/** A small generator of numbers from 0 to 1 (mulberry32): unlike Math.random it can be seeded. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
