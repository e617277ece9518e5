import fc from 'fast-check';
import { type ApiRequest, day, type EmploiFilter } from './model';

/** A request, and the reads after it besides all lists: an employee alone, and searches for employments. */
export interface Step {
  request: ApiRequest;
  employe: string;
  filters: EmploiFilter[];
}

type Sent = Record<string, unknown>;

/** Few identifiers, for many collisions between records; the last of each list are mostly unknown. */
const EMPLOYES = ['E-1', 'E-2', 'E-3', 'E-4', ' E-1 ', 'e-1'];
const EMPLOYEURS = ['A', 'B', 'C', 'Z'];
const SYNDICATS = ['S', 'T', 'X'];
const EMPLOIS = ['J1', 'J2', 'V1', 'j1'];
const OBJETS = ['INFO', 'TEXTOS', 'SONDAGES'];
const NOMS = ['Roy', 'Côté', 'O’Neil\t"\\'];
const MATRICULES = ['10', '11', ' 10 '];
const LONG = 'x'.repeat(256);

/** The initial custom fields of every tenant. */
export const CHAMPS = [
  { nom: 'Poste', type: 'texte' },
  { nom: 'Depuis', type: 'date' },
  { nom: 'Permis', type: 'booleen', obligatoire: true },
  {
    nom: 'Quart',
    type: 'choix',
    choix: [
      { idExterne: 'JOUR', libelle: 'Jour' },
      { idExterne: 'NUIT', libelle: 'Nuit' },
    ],
  },
];

/** Valid and invalid values of each custom field; "" and null remove the stored value. */
const VALEURS: Record<string, [good: unknown[], bad: unknown[]]> = {
  Poste: [
    ['soudeur', ' soudeur ', 'grutier', '', null],
    [7, 'a\u0000', 'x'.repeat(10_001)],
  ],
  Depuis: [
    ['2024-01-15', '2024-01-15T03:00:00+03:00', '2025-06-30T12:00:00.250Z', null],
    ['hier', '2024-02-30', '2024-01-15T03:00:00'],
  ],
  Permis: [
    ['true', 'false', ' true ', ''],
    ['oui', 'TRUE', true],
  ],
  Quart: [
    ['JOUR', 'NUIT', 'JOUR', null],
    ['Jour', 'jour', 'SOIR'],
  ],
  Inconnu: [['x'], [null]],
};

/** Days around the current one, for employments that begin, last and end before, on and after it. */
const DATES = [
  '2019-05-01',
  day(-1),
  day(),
  day().replace('T00', 'T13'),
  day(1),
  '2998-01-01T00:00:00-05:00',
];
const BAD_DATES = ['demain', '2026-02-30', '2026-01-31T13:00:00', 20260131];

const pick = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const weighted = <T>(...choices: [weight: number, value: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Generates a value of a list, rarely one of the last. */
const mostly = (values: readonly string[], seldom: number): fc.Arbitrary<string> =>
  weighted([9, pick(...values.slice(0, -seldom))], [1, pick(...values.slice(-seldom))]);

/** Generates undefined, null or a value. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  weighted<T | null | undefined>([3, fc.constant(undefined)], [1, fc.constant(null)], [4, value]);

const listOf = (
  record: fc.Arbitrary<unknown>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<unknown[]> => fc.array(record, { minLength, maxLength, size: 'max' });

const firstLetter = (name: string, change: 'toUpperCase' | 'toLowerCase'): string =>
  name.charAt(0)[change]() + name.slice(1);

const otherCasing = (name: string): string =>
  firstLetter(name, name.charAt(0) === name.charAt(0).toLowerCase() ? 'toUpperCase' : 'toLowerCase');

/** Generates a change that makes a record invalid, or is harmless. */
const spoil: fc.Arbitrary<(record: Sent, key: string) => unknown> = weighted(
  [4, pick((record: Sent, key: string): unknown => ({ ...record, [key]: undefined }))],
  [
    6,
    pick<unknown>(null, 5, false, {}, LONG, 'a\u0000b', '\ud800').map(
      (wrong) =>
        (record: Sent, key: string): unknown => ({ ...record, [key]: wrong }),
    ),
  ],
  [
    1,
    pick((record: Sent, key: string): unknown => ({
      ...record,
      [key]: Array.isArray(record[key]) ? {} : '  ',
    })),
  ],
  [1, pick((record: Sent): unknown => ({ ...record, inconnu: 'x' }))],
  [1, pick((record: Sent, key: string): unknown => ({ ...record, [otherCasing(key)]: record[key] }))],
  [1, pick<unknown>(null, 'texte', 7, [], [[]]).map((other) => (): unknown => other)],
);

/** Generates a record that is valid with the given weight; sometimes its properties have the other casing. */
function record(properties: Record<string, fc.Arbitrary<unknown>>, soundness = 11): fc.Arbitrary<unknown> {
  const sound: fc.Arbitrary<Sent> = fc.record(properties, { noNullPrototype: true });
  const cased = fc
    .tuple(sound, fc.nat(5))
    .map(([sent, one]) =>
      one > 0
        ? sent
        : Object.fromEntries(Object.entries(sent).map(([name, value]) => [otherCasing(name), value])),
    );
  const spoilt = fc.tuple(cased, spoil, fc.nat()).map(([sent, spoiling, n]) => {
    const keys = Object.keys(sent);
    return spoiling(sent, keys[n % keys.length]!);
  });
  return weighted<unknown>([soundness, cased], [1, spoilt]);
}

const nom = pick(...NOMS);

const date = weighted<unknown>([12, pick<unknown>(...DATES)], [1, pick<unknown>(...BAD_DATES)]);

/** Some employers have few employees, because only an employer without employees can be deleted. */
const employeur = weighted([8, pick('A')], [4, pick('B')], [2, pick('C')], [1, pick('Z')]);

const emploi = record({
  // The identifier of a rejected employment may be readable or not.
  IdentifiantExterne: weighted<unknown>(
    [12, mostly(EMPLOIS, 1)],
    [1, pick<unknown>(undefined, null, '', '  ', 12, LONG, 'J1\u0000', 'J1\ud800')],
    [1, pick('😀'.repeat(255), ' J1 ')],
  ),
  IdentifiantExterneEmployeur: employeur,
  Matricule: weighted<unknown>([15, pick(...MATRICULES)], [1, pick<unknown>(undefined, null, '')]),
  DateDebut: maybe(date),
  DateFin: maybe(weighted<unknown>([3, date], [2, pick('2020-12-31', day())])),
});

const adhesion = record({
  SyndicatIdExterne: mostly(SYNDICATS, 1),
  DateAdhesion: weighted<unknown>(
    [9, pick<unknown>(...DATES)],
    [1, pick<unknown>(undefined, null, ...BAD_DATES)],
  ),
  DateFin: maybe(weighted<unknown>([3, date], [2, pick('2020-12-31', day())])),
});

const valeur = weighted(
  [15, pick(...CHAMPS.map(({ nom }) => nom))],
  [15, pick('Quart')],
  [1, pick('Inconnu')],
).chain((NomChamp) => {
  const [good, bad] = VALEURS[NomChamp]!;
  const Valeur = weighted([12, pick(...good)], [1, pick(...bad)]);
  return weighted<unknown>(
    [20, Valeur.map((Valeur) => ({ NomChamp, Valeur }))],
    [1, record({ NomChamp: pick(NomChamp), Valeur })],
  );
});

const colonnes = {
  noMembre: maybe(pick('1', '2')),
  courriel: maybe(
    weighted([9, pick('zoe@example.org', ' a.b@example.org')], [1, pick('zoe', 'zoe@', '@b.ca')]),
  ),
  telephonePrincipal: maybe(pick('418 555-0142')),
  adresse1: maybe(pick('125, rue Saint-Jean')),
  ville: maybe(pick('Québec', 'Lévis')),
  province: maybe(pick('QC')),
  codePostal: maybe(pick('G9A 1B2')),
};

const pascal = (properties: Record<string, fc.Arbitrary<unknown>>): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [firstLetter(name, 'toUpperCase'), value]),
  );

/** Generates all columns or the required ones only, because many records must equal the stored ones. */
const columns = (rest: Record<string, fc.Arbitrary<unknown>>, isV2: boolean): fc.Arbitrary<unknown> => {
  const named = (columns: Record<string, fc.Arbitrary<unknown>>): typeof columns =>
    isV2 ? pascal(columns) : columns;
  return weighted<unknown>(
    [1, record({ ...named({ prenom: nom, nom, ...colonnes }), ...rest })],
    [1, record({ ...named({ prenom: pick('Zoé'), nom: pick('Roy') }), ...rest })],
  );
};

const employeV2 = columns(
  {
    IdExterne: mostly(EMPLOYES, 2),
    ValeursChampUtilisateur: maybe(listOf(valeur, 0, 2)),
    Emplois: weighted<unknown>(
      [3, pick(undefined, null, [])],
      [1, pick([{ IdentifiantExterneEmployeur: 'A', Matricule: '10' }])],
      [10, listOf(emploi, 1, 3)],
    ),
    Adhesions: maybe(listOf(adhesion, 0, 2)),
    // Read-only properties of a read are allowed in a request.
    idUnique: pick(undefined, undefined, 'x'),
  },
  true,
);

const employeV1 = columns(
  {
    idExterne: mostly(EMPLOYES, 2),
    identifiantExterneEmployeur: weighted<unknown>([1, pick(undefined)], [2, pick(null)], [3, employeur]),
    valeursChampUtilisateur: pick(undefined, undefined, [{ nom: 'Poste', valeurTexte: 'x' }]),
  },
  false,
);

const named = (ids: readonly string[]): fc.Arbitrary<unknown> =>
  record({ idExterne: mostly(ids, 1), nom, derniereMAJ: pick(undefined, undefined, 'x') });

const syndicat = record({
  IdentifiantExterne: mostly(SYNDICATS, 1),
  Nom: nom,
  Employeurs: weighted<unknown>(
    [1, pick(undefined, null, [])],
    // Mostly one name, because an employer in two unions is valid only with the same name.
    [
      4,
      listOf(record({ IdentifiantExterne: employeur, Nom: weighted([3, pick('Aciérie')], [1, nom]) }), 1, 3),
    ],
  ),
  dateCreation: pick(undefined, undefined, 'x'),
});

const objetV2 = record({ IdExterne: mostly(OBJETS, 1), Nom: nom });

const choix = fc
  .tuple(fc.subarray(['JOUR', 'NUIT', 'SOIR']), pick('Jour', 'De jour'))
  .map(([ids, libelle]) => ids.map((idExterne) => ({ idExterne, libelle })));

/** Generates a custom field: mostly its initial definition, else another label, obligation, choices or type. */
const champ = pick(...CHAMPS, ...CHAMPS.slice(-1)).chain(({ nom, type }) =>
  weighted([5, pick(type)], [1, pick('texte', 'choix', 'autre')]).chain((type) =>
    record({
      nom: weighted([15, pick(nom)], [1, pick('Inconnu')]),
      type: pick(type),
      obligatoire: pick(undefined, null, false, false, true),
      choix:
        type === 'choix' ? choix : pick<unknown>(undefined, null, [], [{ idExterne: 'x', libelle: 'x' }]),
    }),
  ),
);

const body = (lists: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  weighted<unknown>([30, fc.record(lists)], [1, record(lists, 0)]);

const syncV2 = body({
  Syndicats: weighted<unknown>([1, pick(undefined, null)], [2, listOf(syndicat, 0, 3)]),
  Employes: weighted<unknown>([1, pick(undefined, null)], [6, listOf(employeV2, 0, 4)]),
  ObjetsConsentement: weighted<unknown>([3, pick(undefined, null)], [2, listOf(objetV2, 0, 3)]),
});

const syncV1 = body({
  employeurs: weighted<unknown>([1, pick(undefined, null)], [2, listOf(named(EMPLOYEURS), 0, 3)]),
  objetsConsentement: weighted<unknown>([3, pick(undefined, null)], [1, listOf(named(OBJETS), 0, 2)]),
  employes: weighted<unknown>([1, pick(undefined, null)], [6, listOf(employeV1, 0, 4)]),
});

const simulation = weighted([7, pick(undefined)], [1, pick(true)]);

const post = (resource: string, sent: fc.Arbitrary<unknown>): fc.Arbitrary<ApiRequest> =>
  fc.tuple(sent, simulation).map(([sent, isSimulation]) => ({
    method: 'POST',
    resource,
    ...(isSimulation ? { simulation: true } : {}),
    body: sent,
  }));

const write = (
  method: 'POST' | 'PUT',
  resource: string,
  sent: fc.Arbitrary<unknown>,
): fc.Arbitrary<ApiRequest> => sent.map((body) => ({ method, resource, body }));

const remove = (resource: string, ids: readonly string[]): fc.Arbitrary<ApiRequest> =>
  mostly(ids, 1).map((id) => ({ method: 'DELETE', resource, id }));

const request: fc.Arbitrary<ApiRequest> = weighted<ApiRequest>(
  [14, post('/b2b/v2/sync', syncV2)],
  [
    6,
    post(
      '/b2b/v2/employe/upsert',
      weighted<unknown>([30, listOf(employeV2, 0, 4)], [1, pick<unknown>({}, null)]),
    ),
  ],
  [7, post('/b2b/v1/employe/sync', syncV1)],
  [6, write('PUT', '/b2b/v1/employe', employeV1)],
  [2, write('POST', '/b2b/v1/employe', employeV1)],
  [1, remove('/b2b/v1/employe', EMPLOYES)],
  [1, write('POST', '/b2b/v1/employeur', named(EMPLOYEURS))],
  [1, write('PUT', '/b2b/v1/employeur', named(EMPLOYEURS))],
  [3, remove('/b2b/v1/employeur', EMPLOYEURS)],
  [1, write('PUT', '/b2b/v2/objet-consentement', named(OBJETS))],
  [1, remove('/b2b/v2/objet-consentement', OBJETS)],
  [7, write('PUT', '/b2b/v2/champ-utilisateur', champ)],
);

const absent = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted<T | undefined>([2, pick(undefined)], [1, value]);

const filter: fc.Arbitrary<EmploiFilter> = fc.record(
  {
    idExterneEmploye: absent(mostly([...EMPLOYES.slice(0, 4), 'E-9'], 1)),
    identifiantExterneEmployeur: absent(mostly(EMPLOYEURS, 1)),
    idExterneSyndicat: absent(mostly(SYNDICATS, 1)),
    matricule: absent(pick('10', '11', '12')),
    actifLe: absent(
      pick('2018-01-01', day(-1), day(), day(1).replace('T00', 'T23'), '2998-01-01', '2999-01-01'),
    ),
  },
  { requiredKeys: [] },
);

/** Requests to one tenant in order; printed as they are sent. */
export class Sequence {
  constructor(readonly steps: readonly Step[]) {}

  [fc.toStringMethod](): string {
    return this.steps
      .map(({ request: { method, resource, id, simulation, body }, employe, filters }) =>
        [
          `\n${method} ${resource}${id === undefined ? '' : `/${id}`}${simulation ? '?simulation=true' : ''}`,
          body === undefined ? '' : JSON.stringify(body),
          `(read ${employe}, ${JSON.stringify(filters)})`,
        ].join(' '),
      )
      .join('');
  }
}

/** First requests of most tenants, which create the records that later requests name. */
const OPENING: ApiRequest[] = [
  {
    method: 'POST',
    resource: '/b2b/v2/sync',
    body: {
      Syndicats: [
        { IdentifiantExterne: 'S', Nom: 'Roy', Employeurs: ['A', 'B'].map(employeurOfSyndicat) },
        { IdentifiantExterne: 'T', Nom: 'Roy', Employeurs: ['B', 'C'].map(employeurOfSyndicat) },
      ],
      Employes: ['E-1', 'E-2'].map((IdExterne) => ({
        ...{ IdExterne, Prenom: 'Zoé', Nom: 'Roy' },
        ValeursChampUtilisateur: [{ NomChamp: 'Quart', Valeur: 'NUIT' }],
        Emplois: [emploiAt('A', 'J1', null), emploiAt('C', 'J2', '2020-12-31')],
      })),
    },
  },
  {
    method: 'POST',
    resource: '/b2b/v1/employe/sync',
    body: {
      employes: ['E-3', 'E-4'].map((idExterne) => ({
        ...{ idExterne, prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'B' },
      })),
    },
  },
];

function employeurOfSyndicat(IdentifiantExterne: string): Sent {
  return { IdentifiantExterne, Nom: 'Aciérie' };
}

function emploiAt(
  IdentifiantExterneEmployeur: string,
  IdentifiantExterne: string,
  DateFin: string | null,
): Sent {
  return { IdentifiantExterne, IdentifiantExterneEmployeur, Matricule: '10', DateFin };
}

const step: fc.Arbitrary<Step & { isRepeated: boolean }> = fc.record({
  request,
  employe: pick('E-1', 'E-2', 'E-3'),
  filters: fc.array(filter, { minLength: 2, maxLength: 2 }),
  isRepeated: weighted([9, pick(false)], [1, pick(true)]),
});

export const sequence: fc.Arbitrary<Sequence> = fc
  .tuple(
    weighted<Step[]>(
      [1, pick([])],
      [4, pick(OPENING.map((request) => ({ request, employe: 'E-1', filters: [] })))],
    ),
    fc.noBias(fc.array(step, { minLength: 1, maxLength: 24, size: 'max' })),
  )
  .map(([opening, steps]) => {
    // The same request again: mostly nothing changes.
    const sent = steps.map(({ isRepeated, ...step }, index) =>
      isRepeated ? { ...step, request: (steps[index - 1] ?? step).request } : step,
    );
    return new Sequence([...opening, ...sent]);
  });
