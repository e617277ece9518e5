import fc from 'fast-check';
import { employer, type Loose, type Partner, today, union } from './support';

export const EMPLOYEURS = ['EMP-1', 'EMP-2', 'EMP-3'];
const SYNDICATS = ['SYN-1', 'SYN-2'];

export const some = <T>(of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
/** A property that is absent, null or one of some values. */
const maybe = (name: string, of: readonly string[]): fc.Arbitrary<Loose> =>
  fc.oneof(
    fc.constant({}),
    some([null, ...of]).map((value) => ({ [name]: value })),
  );
const merged = (...parts: fc.Arbitrary<Loose>[]): fc.Arbitrary<Loose> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Loose);

const dates = () => ['2020-01-01', '2021-06-01T12:30:00Z', today(), '2099-12-31'];

const emplois = fc.uniqueArray(
  merged(
    some(['V1', 'J-1', 'J-2']).map((IdentifiantExterne) => ({ IdentifiantExterne })),
    some([...EMPLOYEURS, 'NONE']).map((IdentifiantExterneEmployeur) => ({ IdentifiantExterneEmployeur })),
    some(['1', '2']).map((Matricule) => ({ Matricule })),
    maybe('DateDebut', ['2019-01-01', '2020-01-01']),
    fc.constant(null).chain(() => maybe('DateFin', dates())),
  ),
  { selector: ({ IdentifiantExterne }) => IdentifiantExterne, maxLength: 3 },
);
const adhesions = fc.uniqueArray(
  merged(
    some(SYNDICATS).map((SyndicatIdExterne) => ({ SyndicatIdExterne })),
    some(['2019-01-01', '2020-01-01']).map((DateAdhesion) => ({ DateAdhesion })),
    fc.constant(null).chain(() => maybe('DateFin', dates())),
  ),
  { selector: ({ SyndicatIdExterne }) => SyndicatIdExterne, maxLength: 2 },
);
const valeurs = fc.uniqueArray(
  fc.oneof(
    some([null, '58', '60']).map((Valeur) => ({ NomChamp: 'Casque', Valeur })),
    some([null, 'true', 'false']).map((Valeur) => ({ NomChamp: 'Membre', Valeur })),
    some([null, '2020-01-01T00:00:00Z']).map((Valeur) => ({ NomChamp: 'Depuis', Valeur })),
    some([null, 'P', 'M']).map((Valeur) => ({ NomChamp: 'Taille', Valeur })),
  ),
  { selector: ({ NomChamp }) => NomChamp, maxLength: 3 },
);
const employes = fc.uniqueArray(
  merged(
    some(['E-1', 'E-2', 'E-3', 'E-4']).map((IdExterne) => ({ IdExterne, Prenom: 'Zoé' })),
    some(['Roy', "L'Écuyer"]).map((Nom) => ({ Nom })),
    maybe('Courriel', ['zoe@example.org', 'not an address']),
    maybe('Ville', ['Laval', 'Montréal “Nord” 🎉']),
    fc.oneof(
      fc.constant({}),
      emplois.map((Emplois) => ({ Emplois })),
    ),
    fc.oneof(
      fc.constant({}),
      adhesions.map((Adhesions) => ({ Adhesions })),
    ),
    fc.oneof(
      fc.constant({}),
      valeurs.map((ValeursChampUtilisateur) => ({ ValeursChampUtilisateur })),
    ),
  ),
  { selector: ({ IdExterne }) => IdExterne, maxLength: 4 },
);
const syndicats = fc.uniqueArray(
  fc
    .record({ id: some(SYNDICATS), name: some(['A', 'B']), of: fc.subarray(EMPLOYEURS) })
    .map(({ id, name, of }) =>
      union(
        id,
        of.map((one) => employer(one, { Nom: `${one} ${name}` })),
        { Nom: name },
      ),
    ),
  { selector: ({ IdentifiantExterne }) => IdentifiantExterne, maxLength: 2 },
);
/** A request of a V2 sync. */
export const request = fc.record({
  Syndicats: syndicats,
  Employes: employes,
  ObjetsConsentement: fc.uniqueArray(
    fc.record({ IdExterne: some(['O-1', 'O-2']), Nom: some(['Infos', 'Textos']) }),
    { selector: ({ IdExterne }) => IdExterne, maxLength: 2 },
  ),
});
/** The employers that V1 writes before: V2 takes them over as employments. */
export const early = fc.uniqueArray(
  fc.record({ idExterne: some(['E-1', 'E-2']), identifiantExterneEmployeur: some(EMPLOYEURS) }),
  { selector: ({ idExterne }) => idExterne, maxLength: 2 },
);

/** The records of a tenant as the API shows them: the key of each, and its properties by V2's names. */
export type State = Map<string, Loose>;

const capital = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

export async function stateOf(partner: Partner): Promise<State> {
  const state: State = new Map();
  const list = async (path: string) => (await partner.get(path)) as unknown as Loose[];
  const add = (entite: string, idExterne: unknown, idExterneEmploye: unknown, fields: Loose): void => {
    const shown = Object.entries(fields).filter(
      ([name]) => !['idUnique', 'dateCreation', 'derniereMAJ', 'actif'].includes(name),
    );
    state.set(
      JSON.stringify([entite, idExterne, idExterneEmploye]),
      Object.fromEntries(shown.map(([name, value]) => [capital(name), value])),
    );
  };
  for (const { idExterne, emplois: jobs, adhesions: unions, valeursChampUtilisateur, ...rest } of await list(
    '/b2b/v2/employe',
  )) {
    const custom = (valeursChampUtilisateur as Loose[]).map(
      ({ nom, valeur, idExterneChoix }) =>
        [`valeursChampUtilisateur.${String(nom)}`, valeur ?? idExterneChoix] as const,
    );
    add('Employe', idExterne, undefined, { ...rest, ...Object.fromEntries<unknown>(custom) });
    for (const { identifiantExterne, ...job } of jobs as Loose[])
      add('Emploi', identifiantExterne, idExterne, job);
    for (const { syndicatIdExterne, ...one } of unions as Loose[])
      add('Adhesion', syndicatIdExterne, idExterne, one);
  }
  for (const { idExterne, ...rest } of await list('/b2b/v1/employeur'))
    add('Employeur', idExterne, undefined, rest);
  for (const { identifiantExterne, nom, employeurs } of await list('/b2b/v2/syndicat'))
    add('Syndicat', identifiantExterne, undefined, {
      nom,
      ...Object.fromEntries<unknown>(
        (employeurs as Loose[]).map((one) => [
          `Employeurs ${String(one.identifiantExterne)}`,
          one.identifiantExterne,
        ]),
      ),
    });
  for (const { idExterne, ...rest } of await list('/b2b/v2/objet-consentement'))
    add('ObjetConsentement', idExterne, undefined, rest);
  return state;
}

/** A state without the values that the service gives. */
export const contentOf = (state: State): unknown => Object.fromEntries([...state].toSorted());

/** Defines the custom fields of the requests and writes the records of V1, and then a first sync. */
export async function prepare(partner: Partner, v1: readonly Loose[], first: unknown): Promise<void> {
  await partner.defineField('Casque', 'texte');
  await partner.defineField('Membre', 'booleen');
  await partner.defineField('Depuis', 'date');
  await partner.defineField('Taille', 'choix', ['P', 'M']);
  await partner.syncV1({
    employeurs: EMPLOYEURS.map((idExterne) => ({ idExterne, nom: idExterne })),
    employes: v1.map((one) => ({ ...one, prenom: 'Zoé', nom: 'Roy' })),
  });
  await partner.sync(first);
}
