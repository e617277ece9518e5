import { isDeepStrictEqual } from 'node:util';
import { dayOf, isActiveOn } from './days';
import { type Shape, type Values, CheckedList, read, readDate } from './model-records';

/** A request of a partner, with its path in parts. */
export interface ApiRequest {
  method: 'POST' | 'PUT' | 'DELETE';
  /** Path of the collection or action. */
  resource: string;
  /** The identifier at the end of the path. */
  id?: string;
  simulation?: boolean;
  body?: unknown;
}

/** The expected response; several statuses where the contract does not say which error comes first. */
export interface Expected {
  status: number[];
  /** Undefined if only the status matters. Errors in a sync's result are their identifiers only. */
  json?: unknown;
  /** Effects of a sync; undefined for other requests. */
  effets?: Effets;
}

/** Effects of a sync, named as in the header `Mandat-Effets`. */
export interface Effets {
  crees: number;
  modifies: number;
  inchanges: number;
  termines: number;
  'champs-vides': number;
  refuses: number;
}

/** Filters of the search for employments. */
export interface EmploiFilter {
  idExterneEmploye?: string;
  identifiantExterneEmployeur?: string;
  idExterneSyndicat?: string;
  matricule?: string;
  actifLe?: string;
}

/** Cases that a test of many requests must have covered. */
export const HAPPENINGS = [
  'a stored value is cleared',
  'an employment or a membership is sent with an end',
  'V1 ends its employment',
  'V1 begins its employment',
  'a bad custom value',
  'a type or a choice in use',
  'an end before the beginning',
  'an employer in two unions',
  'an employer with another name in a second union',
  'an employment at an unknown employer',
  'an employment that comes back',
  'an employment without a readable identifier, so that none is ended',
  'an ended employment goes with its employer',
  'an omitted employment is ended',
  'the employer of V1 becomes an employment',
] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** Position of a record in the order of lists: the request that created it. */
interface Born {
  born: number;
}

interface Emploi extends Born {
  employeur: string;
  matricule: string | null;
  debut: string | null;
  fin: string | null;
  /** Position among the employments of its employee, by creation. */
  rank: number;
}

export interface Employe extends Born {
  colonnes: Record<string, string | null>;
  /** The single employer written by V1, until V2 stores the employments. */
  employeurV1: string | null;
  /** Undefined until a V2 sync has sent an employment with a readable identifier. */
  emplois?: Map<string, Emploi>;
  /** The request that sent it. */
  keptSince?: number;
  /** Beginning and end by union. */
  adhesions: Map<string, { readonly date: string; readonly fin: string | null }>;
  /** Value by custom field, in its own type; a choice is its identifier. */
  valeurs: Map<string, string | boolean>;
}

type TypeChamp = 'texte' | 'date' | 'booleen' | 'choix';

interface Champ extends Born {
  type: TypeChamp;
  obligatoire: boolean;
  choix: { idExterne: string; libelle: string }[];
}

export type Table = keyof State;

interface State {
  employes: Map<string, Employe>;
  employeurs: Map<string, Born & { nom: string }>;
  syndicats: Map<string, Born & { nom: string; employeurs: Set<string> }>;
  objets: Map<string, Born & { nom: string }>;
  champs: Map<string, Champ>;
}

/** Columns of an employee that both versions write, with their maximum lengths (OpenAPI document). */
const COLONNES = {
  prenom: 255,
  nom: 255,
  noMembre: 255,
  courriel: 254,
  telephonePrincipal: 50,
  adresse1: 255,
  ville: 255,
  province: 50,
  codePostal: 20,
} as const;

const IDENTIFIER = { kind: 'text', max: 255, required: true } as const;
const NAMED = { nom: { kind: 'text', max: 255, required: true } } as const;
const GIVEN: Shape = {
  idUnique: { kind: 'readOnly' },
  derniereMAJ: { kind: 'readOnly' },
  dateCreation: { kind: 'readOnly' },
};
const KEYED: Shape = { idExterne: IDENTIFIER, ...NAMED, ...GIVEN };
const EMPLOYE: Shape = {
  idExterne: IDENTIFIER,
  ...Object.fromEntries(Object.entries(COLONNES).map(([name, max]) => [name, { kind: 'text', max }])),
  prenom: { kind: 'text', max: 255, required: true },
  nom: { kind: 'text', max: 255, required: true },
  courriel: { kind: 'text', max: 254, isEmail: true },
  ...GIVEN,
};
const EMPLOYE_V1: Shape = {
  ...EMPLOYE,
  identifiantExterneEmployeur: { kind: 'text', max: 255 },
  valeursChampUtilisateur: { kind: 'readOnly' },
};
const EMPLOYE_V2: Shape = {
  ...EMPLOYE,
  valeursChampUtilisateur: { kind: 'list' },
  emplois: { kind: 'list' },
  adhesions: { kind: 'list' },
};
const EMPLOYEUR_V2: Shape = { identifiantExterne: IDENTIFIER, ...NAMED };
const SYNDICAT: Shape = { ...EMPLOYEUR_V2, employeurs: { kind: 'list' }, ...GIVEN };
const EMPLOI: Shape = {
  identifiantExterne: IDENTIFIER,
  identifiantExterneEmployeur: IDENTIFIER,
  matricule: IDENTIFIER,
  dateDebut: { kind: 'date' },
  dateFin: { kind: 'date' },
  actif: { kind: 'readOnly' },
};
const MEMBERSHIP: Shape = {
  syndicatIdExterne: IDENTIFIER,
  dateAdhesion: { kind: 'date', required: true },
  dateFin: { kind: 'date' },
};
const VALEUR: Shape = { nomChamp: IDENTIFIER, valeur: { kind: 'text', max: 10_000 } };
const CHAMP: Shape = {
  nom: IDENTIFIER,
  type: { kind: 'text', max: 255, required: true },
  obligatoire: { kind: 'boolean' },
  choix: { kind: 'list' },
  ...GIVEN,
};
const CHOIX: Shape = { idExterne: IDENTIFIER, libelle: { kind: 'text', max: 255, required: true } };
const SYNC_V1: Shape = {
  employeurs: { kind: 'list' },
  objetsConsentement: { kind: 'list' },
  employes: { kind: 'list' },
};
const SYNC_V2: Shape = {
  syndicats: { kind: 'list' },
  employes: { kind: 'list' },
  objetsConsentement: { kind: 'list' },
};

/** The employment that represents the single employer of V1. */
const V1 = 'V1';

const DAY_MS = 86_400_000;

/** This locale formats dates as year, month, day. */
const TORONTO = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Toronto' });

/** Returns a day relative to the tenant's current one (America/Toronto) in the form of responses: at 00:00 UTC. */
export function day(offset = 0): string {
  return new Date(Date.parse(TORONTO.format()) + offset * DAY_MS).toISOString();
}

/** The counts of one list, and the identifiers of its errors. */
class Counts {
  AddCount = 0;
  UpdateCount = 0;

  constructor(readonly Erreurs: string[]) {}

  /** @param isNew whether the record did not exist */
  accept(isNew: boolean): void {
    if (isNew) this.AddCount++;
    else this.UpdateCount++;
  }
}

/**
 * The contract of master data in its simplest form: Maps in memory, one record after the other. It returns the expected
 * response to each request and the expected items of every read, without values that the service generates.
 */
export class Reference {
  /** Cases covered so far. */
  readonly seen = new Set<Happening>();
  private requests = 0;
  private effets = noEffets();
  protected state: State = {
    employes: new Map(),
    employeurs: new Map(),
    syndicats: new Map(),
    objets: new Map(),
    champs: new Map(),
  };

  handle(request: ApiRequest): Expected {
    this.requests++;
    const before = structuredClone(this.state);
    this.effets = noEffets();
    const expected = this.perform(request);
    if (request.simulation) this.state = before;
    return expected;
  }

  private synced(json: object, lists: readonly Counts[]): Expected {
    const crees = lists.reduce((sum, { AddCount }) => sum + AddCount, 0);
    const refuses = lists.reduce((sum, { Erreurs }) => sum + Erreurs.length, 0);
    return { status: [200], json, effets: { ...this.effets, crees, refuses } };
  }

  /**
   * Counts what a sync did with an accepted record.
   *
   * @param before its values, undefined if it did not exist
   * @param isEnded whether it had not ended before and has ended now
   */
  protected note(before: Values | undefined, after: Values, isEnded = false): void {
    if (!before) return;
    for (const [name, value] of Object.entries(before)) {
      // Without an end, a record is ongoing; no value is missing.
      if (name !== 'fin' && value !== null && (after[name] ?? null) === null) this.clear();
    }
    if (isEnded) {
      this.seen.add('an employment or a membership is sent with an end');
      this.end();
    } else if (isDeepStrictEqual(before, after)) this.effets.inchanges++;
    else this.effets.modifies++;
  }

  protected end(): void {
    this.effets.termines++;
  }

  private clear(): void {
    this.seen.add('a stored value is cleared');
    this.effets['champs-vides']++;
  }

  private perform({ method, resource, id, body }: ApiRequest): Expected {
    const known = id?.trim() ?? '';
    switch (`${method} ${resource}`) {
      case 'POST /b2b/v2/sync':
        return this.syncV2(read(body, SYNC_V2));
      case 'POST /b2b/v2/employe/upsert':
        return this.syncV2(Array.isArray(body) ? { employes: body } : undefined);
      case 'POST /b2b/v1/employe/sync':
        return this.syncV1(read(body, SYNC_V1));
      case 'POST /b2b/v1/employe':
        return this.createEmploye(read(body, EMPLOYE_V1));
      case 'PUT /b2b/v1/employe':
        return this.replaceEmploye(read(body, EMPLOYE_V1));
      case 'DELETE /b2b/v1/employe':
        return { status: [this.state.employes.delete(known) ? 204 : 404] };
      case 'POST /b2b/v1/employeur':
        return this.createNamed(this.state.employeurs, read(body, KEYED));
      case 'PUT /b2b/v1/employeur':
        return this.replaceNamed(this.state.employeurs, read(body, KEYED));
      case 'DELETE /b2b/v1/employeur':
        return { status: [this.deleteEmployeur(known)] };
      case 'PUT /b2b/v2/objet-consentement':
        return this.replaceNamed(this.state.objets, read(body, KEYED));
      case 'DELETE /b2b/v2/objet-consentement':
        return { status: [this.state.objets.delete(known) ? 204 : 404] };
      case 'POST /b2b/v2/champ-utilisateur':
        return this.createChamp(body);
      case 'PUT /b2b/v2/champ-utilisateur':
        return this.replaceChamp(body);
      default:
        throw new Error(`The reference does not know ${method} ${resource}.`);
    }
  }

  // ---- The V2 sync ----

  private syncV2(body: Values | undefined): Expected {
    if (!body) return { status: [400] };
    const json = {
      ...this.syncSyndicats(body.syndicats),
      ...this.syncEmployes(body.employes),
      ObjetsConsentement: this.upsertNamed(this.state.objets, body.objetsConsentement),
    };
    return this.synced(json, Object.values(json));
  }

  private syncSyndicats(sent: unknown): Record<'Syndicats' | 'Employeurs', Counts> {
    const syndicats = new CheckedList(SYNDICAT, 'identifiantExterne');
    const employeurs = new CheckedList(EMPLOYEUR_V2, 'identifiantExterne');
    const counts = { Syndicats: new Counts(syndicats.errors), Employeurs: new Counts(employeurs.errors) };
    const names = new Map<string, string>();
    for (const { id, values } of syndicats.each(sent)) {
      counts.Syndicats.accept(!this.state.syndicats.has(id));
      const before = this.state.syndicats.has(id) ? { own: this.own('syndicats', id) } : undefined;
      const syndicat = upsert(this.state.syndicats, id, () => ({
        ...this.newborn(),
        nom: '',
        employeurs: new Set<string>(),
      }));
      syndicat.nom = values.nom as string;
      for (const nested of employeurs.each(values.employeurs)) {
        const nom = nested.values.nom as string;
        if ((names.get(nested.id) ?? nom) !== nom) {
          this.seen.add('an employer with another name in a second union');
          employeurs.errors.push(nested.id);
          syndicat.employeurs.add(nested.id);
          continue;
        }
        if (names.has(nested.id)) this.seen.add('an employer in two unions');
        names.set(nested.id, nom);
        const known = this.state.employeurs.get(nested.id);
        counts.Employeurs.accept(!known);
        this.note(known && { nom: known.nom }, { nom });
        upsert(this.state.employeurs, nested.id, () => ({ ...this.newborn(), nom })).nom = nom;
        syndicat.employeurs.add(nested.id);
      }
      this.note(before, { own: this.own('syndicats', id) });
    }
    return counts;
  }

  private syncEmployes(sent: unknown): Record<'Employes' | 'Emplois' | 'Adhesions', Counts> {
    const employes = new CheckedList(EMPLOYE_V2, 'idExterne');
    const emplois = new CheckedList(EMPLOI, 'identifiantExterne');
    const adhesions = new CheckedList(MEMBERSHIP, 'syndicatIdExterne');
    const counts = {
      Employes: new Counts(employes.errors),
      Emplois: new Counts(emplois.errors),
      Adhesions: new Counts(adhesions.errors),
    };
    for (const { id, values } of employes.each(sent)) {
      const valeurs = this.readValeurs(values.valeursChampUtilisateur);
      if (!valeurs) {
        this.seen.add('a bad custom value');
        employes.errors.push(id);
        continue;
      }
      counts.Employes.accept(!this.state.employes.has(id));
      const before = this.contentOf(id);
      const employe = this.upsertEmploye(id, values);
      for (const [nom, valeur] of valeurs) {
        if (valeur === null) employe.valeurs.delete(nom);
        else employe.valeurs.set(nom, valeur);
      }
      this.syncEmplois(employe, values.emplois, emplois, counts.Emplois);
      for (const nested of adhesions.each(values.adhesions)) {
        if (this.state.syndicats.has(nested.id)) {
          const known = employe.adhesions.get(nested.id);
          const adhesion = {
            date: nested.values.dateAdhesion as string,
            fin: keptFin(nested.values.dateFin, known),
          };
          if (endsBefore(adhesion.fin, adhesion.date)) {
            this.seen.add('an end before the beginning');
            adhesions.errors.push(nested.id);
            continue;
          }
          counts.Adhesions.accept(!known);
          this.note(known && { ...known }, adhesion, known && !hasEnded(known) && hasEnded(adhesion));
          employe.adhesions.set(nested.id, adhesion);
        } else {
          adhesions.errors.push(nested.id);
        }
      }
      this.note(before, this.contentOf(id)!);
    }
    return counts;
  }

  /** An absent property keeps its value, null clears it. */
  protected upsertEmploye(id: string, values: Values): Employe {
    const employe = upsert(this.state.employes, id, () => this.newEmploye());
    for (const name of Object.keys(COLONNES)) {
      if (values[name] !== undefined) employe.colonnes[name] = values[name] as string | null;
    }
    return employe;
  }

  private syncEmplois(employe: Employe, sent: unknown, list: CheckedList, counts: Counts): void {
    const all = (sent ?? []) as unknown[];
    const identified = list.identifiers(all);
    if (identified.length > 0) this.keepEmplois(employe);
    for (const { id, values } of list.each(all)) {
      const employeur = values.identifiantExterneEmployeur as string;
      if (!this.state.employeurs.has(employeur)) {
        this.seen.add('an employment at an unknown employer');
        list.errors.push(id);
        continue;
      }
      const known = employe.emplois!.get(id);
      const dates = {
        debut: (values.dateDebut === undefined ? (known?.debut ?? null) : values.dateDebut) as string | null,
        fin: keptFin(values.dateFin, known),
      };
      if (endsBefore(dates.fin, dates.debut)) {
        this.seen.add('an end before the beginning');
        list.errors.push(id);
        continue;
      }
      if (known && hasEnded(known) && isActive({ ...known, fin: dates.fin }, day())) {
        this.seen.add('an employment that comes back');
      }
      counts.accept(!known);
      const emploi = {
        born: known?.born ?? this.requests,
        rank: known?.rank ?? Infinity,
        employeur,
        matricule: values.matricule as string,
        ...dates,
      };
      this.note(known && { ...known }, emploi, known && !hasEnded(known) && hasEnded(emploi));
      employe.emplois!.set(id, emploi);
    }
    if (identified.length === 0) return;
    if (identified.length === all.length) this.endOmitted(employe, new Set(identified));
    else this.seen.add('an employment without a readable identifier, so that none is ended');
  }

  /** From the first V2 employment on, the employment of V1 is one like the others. */
  protected keepEmplois(employe: Employe): void {
    if (employe.emplois) return;
    employe.emplois = new Map();
    employe.keptSince = this.requests;
    if (employe.employeurV1 === null) return;
    this.seen.add('the employer of V1 becomes an employment');
    employe.emplois.set(V1, {
      ...this.newborn(),
      rank: Infinity,
      employeur: employe.employeurV1,
      matricule: null,
      debut: null,
      fin: null,
    });
    employe.employeurV1 = null;
  }

  protected endOmitted({ emplois }: Employe, sent: ReadonlySet<string>): void {
    for (const [id, emploi] of emplois!) {
      if (sent.has(id) || hasEnded(emploi)) continue;
      this.seen.add('an omitted employment is ended');
      emploi.fin = day();
      this.end();
    }
  }

  /** @returns the new value of each custom field, null for none; undefined if one of them is invalid */
  private readValeurs(sent: unknown): Map<string, string | boolean | null> | undefined {
    const valeurs = new Map<string, string | boolean | null>();
    for (const one of (sent ?? []) as unknown[]) {
      const values = read(one, VALEUR);
      const nom = values?.nomChamp as string;
      const champ = this.state.champs.get(nom);
      if (!values || !champ || valeurs.has(nom)) return undefined;
      const valeur = readValeur(champ, (values.valeur ?? null) as string | null);
      if (valeur === undefined) return undefined;
      valeurs.set(nom, valeur);
    }
    return valeurs;
  }

  // ---- V1 ----

  private syncV1(body: Values | undefined): Expected {
    if (!body) return { status: [400] };
    const employeurs = this.upsertNamed(this.state.employeurs, body.employeurs);
    const objets = this.upsertNamed(this.state.objets, body.objetsConsentement);
    const list = new CheckedList(EMPLOYE_V1, 'idExterne');
    const employes = new Counts(list.errors);
    for (const { id, values } of list.each(body.employes)) {
      if (!this.isKnownEmployeur(values)) {
        list.errors.push(id);
        continue;
      }
      employes.accept(!this.state.employes.has(id));
      const before = this.contentOf(id, true);
      const employe = this.upsertEmploye(id, values);
      const employeur = values.identifiantExterneEmployeur as string | null | undefined;
      if (employeur !== undefined) this.writeEmployeurV1(employe, employeur);
      this.note(before, this.contentOf(id, true)!);
    }
    const all = [employeurs, objets, employes];
    const json = {
      created: all.reduce((sum, { AddCount }) => sum + AddCount, 0),
      updated: all.reduce((sum, { UpdateCount }) => sum + UpdateCount, 0),
      errors: all.flatMap(({ Erreurs }) => Erreurs),
    };
    return this.synced(json, all);
  }

  private createEmploye(values: Values | undefined): Expected {
    if (!values) return { status: [400] };
    const id = values.idExterne as string;
    const faults = [
      ...(this.state.employes.has(id) ? [409] : []),
      ...(this.isKnownEmployeur(values) ? [] : [400]),
    ];
    if (faults.length > 0) return { status: faults };
    this.replaceColumns(
      upsert(this.state.employes, id, () => this.newEmploye()),
      values,
    );
    return { status: [201], json: this.employeV1(id) };
  }

  private replaceEmploye(values: Values | undefined): Expected {
    if (!values) return { status: [400] };
    const id = values.idExterne as string;
    const employe = this.state.employes.get(id);
    const faults = [...(employe ? [] : [404]), ...(this.isKnownEmployeur(values) ? [] : [400])];
    if (!employe || faults.length > 0) return { status: faults };
    this.replaceColumns(employe, values);
    return { status: [200], json: this.employeV1(id) };
  }

  /** A replacement: absent properties are cleared, except two. */
  private replaceColumns(employe: Employe, values: Values): void {
    for (const name of Object.keys(COLONNES)) {
      // V1 keeps what V2 wrote there.
      if (values[name] === undefined && ['adresse1', 'codePostal'].includes(name)) continue;
      employe.colonnes[name] = (values[name] ?? null) as string | null;
    }
    this.writeEmployeurV1(employe, (values.identifiantExterneEmployeur ?? null) as string | null);
  }

  /** An employer other than the one that V1 shows becomes the employment V1; null ends that employment. */
  protected writeEmployeurV1(employe: Employe, employeur: string | null): void {
    if (!employe.emplois) {
      employe.employeurV1 = employeur;
      return;
    }
    if (employeur === this.employeurShown(employe)) return;
    const emploi = employe.emplois.get(V1);
    if (employeur !== null) {
      this.seen.add('V1 begins its employment');
      if (emploi && emploi.matricule !== null && emploi.employeur !== employeur) this.clear();
      employe.emplois.set(V1, {
        born: emploi?.born ?? this.requests,
        rank: emploi?.rank ?? Infinity,
        employeur,
        // An employee number is valid at one employer only.
        matricule: emploi?.employeur === employeur ? emploi.matricule : null,
        debut: day(),
        fin: null,
      });
    } else if (emploi && isActive(emploi, day())) {
      this.seen.add('V1 ends its employment');
      emploi.fin = day();
      this.end();
    }
  }

  private isKnownEmployeur({ identifiantExterneEmployeur: employeur }: Values): boolean {
    return employeur == null || this.state.employeurs.has(employeur as string);
  }

  private deleteEmployeur(id: string): number {
    if (!this.state.employeurs.has(id)) return 404;
    const employes = [...this.state.employes.values()];
    if (employes.some((employe) => this.isHeld(id, employe))) return 409;
    this.state.employeurs.delete(id);
    for (const { employeurs } of this.state.syndicats.values()) employeurs.delete(id);
    for (const { emplois } of employes) {
      for (const [key, { employeur }] of emplois ?? []) {
        if (employeur !== id) continue;
        this.seen.add('an ended employment goes with its employer');
        emplois!.delete(key);
      }
    }
    return 204;
  }

  /** Returns whether an employee has a current or future employment at an employer. */
  protected isHeld(id: string, employe: Employe): boolean {
    return [...emploisOf(employe).values()].some((emploi) => emploi.employeur === id && !hasEnded(emploi));
  }

  // ---- Employers and consent objects ----

  private upsertNamed(table: State['objets'], sent: unknown): Counts {
    const list = new CheckedList(KEYED, 'idExterne');
    const counts = new Counts(list.errors);
    for (const { id, values } of list.each(sent)) {
      const known = table.get(id);
      counts.accept(!known);
      this.note(known && { nom: known.nom }, { nom: values.nom });
      upsert(table, id, () => ({ ...this.newborn(), nom: '' })).nom = values.nom as string;
    }
    return counts;
  }

  private createNamed(table: State['objets'], values: Values | undefined): Expected {
    if (!values) return { status: [400] };
    const id = values.idExterne as string;
    if (table.has(id)) return { status: [409] };
    const nom = values.nom as string;
    table.set(id, { ...this.newborn(), nom });
    return { status: [201], json: { idExterne: id, nom } };
  }

  private replaceNamed(table: State['objets'], values: Values | undefined): Expected {
    if (!values) return { status: [400] };
    const id = values.idExterne as string;
    const row = table.get(id);
    if (!row) return { status: [404] };
    row.nom = values.nom as string;
    return { status: [200], json: { idExterne: id, nom: row.nom } };
  }

  // ---- Custom fields ----

  private createChamp(body: unknown): Expected {
    const champ = readChamp(body);
    if (!champ?.isCoherent) return { status: [400] };
    const { nom, shown } = champ;
    if (this.state.champs.has(nom)) return { status: [409] };
    this.state.champs.set(nom, { ...this.newborn(), ...shown });
    return { status: [201], json: { nom, ...shown } };
  }

  private replaceChamp(body: unknown): Expected {
    const champ = readChamp(body);
    if (!champ) return { status: [400] };
    const { nom, shown, isCoherent } = champ;
    const stored = this.state.champs.get(nom);
    if (!stored || !isCoherent) {
      return { status: [...(stored ? [] : [404]), ...(isCoherent ? [] : [400])] };
    }
    const used = [...this.state.employes.values()].flatMap(({ valeurs }) => valeurs.get(nom) ?? []);
    const isTypeHeld = stored.type !== shown.type && used.length > 0;
    const isChoixHeld =
      stored.type === 'choix' &&
      used.some((choix) => !shown.choix.some(({ idExterne }) => idExterne === choix));
    if (isTypeHeld || isChoixHeld) {
      this.seen.add('a type or a choice in use');
      return { status: [409] };
    }
    Object.assign(stored, shown);
    return { status: [200], json: { nom, ...shown } };
  }

  // ---- Items of reads, without generated values ----

  employesV1(): object[] {
    return [...this.state.employes.keys()].map((id) => this.employeV1(id));
  }

  employeV1(id: string): object {
    const employe = this.state.employes.get(id)!;
    const { colonnes, valeurs } = employe;
    const libelle = (nom: string, choix: unknown): string | undefined =>
      this.state.champs.get(nom)!.choix.find(({ idExterne }) => idExterne === choix)?.libelle;
    return {
      idExterne: id,
      ...colonnes,
      identifiantExterneEmployeur: this.employeurShown(employe),
      valeursChampUtilisateur: [...valeurs].map(([nom, valeur]) => {
        const { type } = this.state.champs.get(nom)!;
        return {
          nom,
          valeurTexte: type === 'texte' ? valeur : null,
          valeurDate: type === 'date' ? valeur : null,
          valeurBooleen: type === 'booleen' ? valeur : null,
          valeurChoix: type === 'choix' ? libelle(nom, valeur) : null,
        };
      }),
    };
  }

  employesV2(): object[] {
    return [...this.state.employes.keys()].map((id) => this.employeV2(id)!);
  }

  employeV2(id: string): object | undefined {
    const employe = this.state.employes.get(id);
    if (!employe) return undefined;
    return {
      idExterne: id,
      ...employe.colonnes,
      emplois: [...emploisOf(employe)].map(([identifiantExterne, emploi]) => ({
        identifiantExterne,
        identifiantExterneEmployeur: emploi.employeur,
        matricule: emploi.matricule,
        dateDebut: emploi.debut,
        dateFin: emploi.fin,
        actif: isActive(emploi, day()),
      })),
      adhesions: [...employe.adhesions].map(([syndicatIdExterne, { date, fin }]) => ({
        syndicatIdExterne,
        dateAdhesion: date,
        dateFin: fin,
      })),
      valeursChampUtilisateur: [...employe.valeurs].map(([nom, valeur]) => {
        const { type } = this.state.champs.get(nom)!;
        return { type, nom, [type === 'choix' ? 'idExterneChoix' : 'valeur']: valeur };
      }),
    };
  }

  emplois(filter: EmploiFilter): object[] {
    const { idExterneEmploye, identifiantExterneEmployeur, idExterneSyndicat, matricule, actifLe } = filter;
    const ofSyndicat = this.state.syndicats.get(idExterneSyndicat ?? '')?.employeurs;
    const on = actifLe && `${readDate(actifLe)!.slice(0, 10)}T00:00:00.000Z`;
    return [...this.state.employes].flatMap(([id, employe]) =>
      [...emploisOf(employe)]
        .filter(
          ([, emploi]) =>
            id === (idExterneEmploye ?? id) &&
            emploi.employeur === (identifiantExterneEmployeur ?? emploi.employeur) &&
            (idExterneSyndicat === undefined || ofSyndicat?.has(emploi.employeur)) &&
            emploi.matricule === (matricule ?? emploi.matricule) &&
            (!on || isActive(emploi, on)),
        )
        .map(([identifiantExterne, emploi]) => ({
          identifiantExterne,
          idExterneEmploye: id,
          prenom: employe.colonnes.prenom,
          nom: employe.colonnes.nom,
          identifiantExterneEmployeur: emploi.employeur,
          nomEmployeur: this.state.employeurs.get(emploi.employeur)!.nom,
          matricule: emploi.matricule,
          dateDebut: emploi.debut,
          dateFin: emploi.fin,
          actif: isActive(emploi, day()),
        })),
    );
  }

  syndicats(): object[] {
    return [...this.state.syndicats].map(([identifiantExterne, { nom, employeurs }]) => ({
      identifiantExterne,
      nom,
      employeurs: [...employeurs].map((id) => ({
        identifiantExterne: id,
        nom: this.state.employeurs.get(id)!.nom,
      })),
    }));
  }

  employeurs(): object[] {
    return [...this.state.employeurs].map(([idExterne, { nom }]) => ({ idExterne, nom }));
  }

  objets(): object[] {
    return [...this.state.objets].map(([idExterne, { nom }]) => ({ idExterne, nom }));
  }

  champs(): object[] {
    return [...this.state.champs].map(([nom, { born: _, ...champ }]) => ({ nom, ...champ }));
  }

  // ---- The order of creation ----

  /** Returns the request that created a record. */
  bornOf(table: Table, id: string): number | undefined {
    return this.state[table].get(id)?.born;
  }

  /** Returns the content of a record, which changes if and only if the record does. */
  own(table: Table, id: string): string {
    if (table === 'employes') return JSON.stringify(this.employeV2(id));
    if (table === 'champs') return JSON.stringify(this.state.champs.get(id));
    const links = table === 'syndicats' ? [...this.state.syndicats.get(id)!.employeurs].sort() : [];
    return JSON.stringify([this.state[table].get(id)!.nom, ...links]);
  }

  /**
   * Returns whether V2 has stored the employments since the last request. If all employments of that request were
   * rejected, no read shows a change, but the service counts one.
   */
  hasTurned(table: Table, id: string): boolean {
    return table === 'employes' && this.state.employes.get(id)?.keptSince === this.requests;
  }

  /** Returns the request that created an employment; the employment V1 is as old as its employee. */
  bornOfEmploi(employe: string, id: string): number | undefined {
    const stored = this.state.employes.get(employe);
    return stored?.emplois ? stored.emplois.get(id)?.born : stored?.born;
  }

  /** Takes over the service's order of the employments that one request created. */
  adoptOrder(employe: string, ids: readonly string[]): void {
    const emplois = this.state.employes.get(employe)?.emplois;
    ids.forEach((id, rank) => {
      const emploi = emplois?.get(id);
      if (emploi) emploi.rank = rank;
    });
  }

  /** Returns the employer that V1 shows: that of its own active employment, else of the most recent active one. */
  protected employeurShown({
    employeurV1,
    emplois,
  }: Pick<Employe, 'employeurV1' | 'emplois'>): string | null {
    if (!emplois) return employeurV1;
    const active = [...emplois].filter(([, emploi]) => isActive(emploi, day()));
    const own = active.find(([id]) => id === V1);
    const [recent] = active
      .map(([, emploi]) => emploi)
      .sort((a, b) => compare(b.debut ?? '', a.debut ?? '') || b.rank - a.rank);
    return own?.[1].employeur ?? recent?.employeur ?? null;
  }

  /**
   * Returns what belongs to an employee itself; V1 writes the employer as one of its properties. V2's first employments
   * change the employee, because V2 has them from then on.
   */
  private contentOf(id: string, isV1 = false): Values | undefined {
    const employe = this.state.employes.get(id);
    if (!employe) return undefined;
    const { colonnes, valeurs, emplois, employeurV1 } = employe;
    return {
      ...colonnes,
      ...Object.fromEntries([...valeurs].map(([nom, valeur]) => [`valeur ${nom}`, valeur])),
      isKept: emplois !== undefined,
      ...(isV1 ? { employeurV1, emplois: JSON.stringify([...(emplois ?? [])]) } : {}),
    };
  }

  private newborn(): Born {
    return { born: this.requests };
  }

  private newEmploye(): Employe {
    return {
      ...this.newborn(),
      colonnes: Object.fromEntries(Object.keys(COLONNES).map((name) => [name, null])),
      employeurV1: null,
      adhesions: new Map(),
      valeurs: new Map(),
    };
  }
}

/** Returns the employments in responses: without rows of their own, the employer of V1 is the only one. */
function emploisOf({ emplois, employeurV1, born }: Employe): ReadonlyMap<string, Emploi> {
  if (emplois) return emplois;
  if (employeurV1 === null) return new Map();
  return new Map([[V1, { born, rank: 0, employeur: employeurV1, matricule: null, debut: null, fin: null }]]);
}

function isActive({ debut, fin }: Pick<Emploi, 'debut' | 'fin'>, on: string): boolean {
  return isActiveOn(on, debut, fin);
}

function noEffets(): Effets {
  return { crees: 0, modifies: 0, inchanges: 0, termines: 0, 'champs-vides': 0, refuses: 0 };
}

/** An absent end keeps a stored one that lies ahead. */
function keptFin(sent: unknown, known: Pick<Emploi, 'fin'> | undefined): string | null {
  if (sent !== undefined) return sent as string | null;
  return known && !hasEnded(known) ? known.fin : null;
}

/** Whether a period ends on a day before that of its beginning. */
function endsBefore(fin: string | null, debut: string | null): boolean {
  return fin !== null && debut !== null && dayOf(fin) < dayOf(debut);
}

function hasEnded({ fin }: Pick<Emploi, 'fin'>): boolean {
  return !isActiveOn(day(), null, fin);
}

/** @returns undefined for an invalid value, null for none */
function readValeur(
  { type, obligatoire, choix }: Champ,
  sent: string | null,
): string | boolean | null | undefined {
  if (sent === null) return obligatoire ? undefined : null;
  switch (type) {
    case 'texte':
      return sent;
    case 'date':
      return readDate(sent);
    case 'booleen':
      return { true: true, false: false }[sent];
    case 'choix':
      return choix.find(({ idExterne }) => idExterne === sent)?.idExterne;
  }
}

interface ChampRead {
  nom: string;
  shown: Omit<Champ, 'born'>;
  /** Returns whether choices and type match. */
  isCoherent: boolean;
}

function readChamp(body: unknown): ChampRead | undefined {
  const values = read(body, CHAMP);
  if (!values || !['texte', 'date', 'booleen', 'choix'].includes(values.type as string)) return undefined;
  const all = (values.choix ?? []) as unknown[];
  const choix = all.flatMap((one) => read(one, CHOIX) ?? []) as unknown as Champ['choix'];
  if (choix.length < all.length) return undefined;
  const type = values.type as TypeChamp;
  const isUnique = new Set(choix.map(({ idExterne }) => idExterne)).size === choix.length;
  return {
    nom: values.nom as string,
    shown: { type, obligatoire: (values.obligatoire ?? false) as boolean, choix },
    isCoherent: isUnique && (type === 'choix') === choix.length > 0,
  };
}

function upsert<T>(table: Map<string, T>, id: string, make: () => T): T {
  const row = table.get(id) ?? make();
  table.set(id, row);
  return row;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
