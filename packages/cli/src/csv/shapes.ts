import type {
  EmployeurV2Sync,
  EmployeV2SyncWritable,
  EmploiSyncWritable,
  MembershipSync,
  SyndicatV2SyncWritable,
} from '@mandat/client';

export interface PropertyShape {
  readonly isRequired: boolean;
  readonly isDate: boolean;
}

export interface RecordShape {
  readonly properties: Readonly<Record<string, PropertyShape>>;
  /** Property that identifies the record among those of its parent. */
  readonly identifier: string;
  /** Lists of records in it. */
  readonly nested: readonly Kind[];
  /** Whether it has custom values (`ValeursChampUtilisateur`). */
  readonly hasFields: boolean;
}

export type Kind = 'Employes' | 'Emplois' | 'Adhesions' | 'Syndicats' | 'Employeurs';

const REQUIRED = { isRequired: true, isDate: false };
const OPTIONAL = { isRequired: false, isDate: false };
const DATE = { isRequired: false, isDate: true };
const LEAF = { nested: [], hasFields: false };

/** A property of the interface that is missing here does not compile. */
type Properties<Body, Lists extends keyof Body = never> = Record<
  Exclude<keyof Body, Lists | 'idUnique' | 'derniereMAJ' | 'dateCreation' | 'Actif'>,
  PropertyShape
>;

/** Records of a V2 sync (docs/contract.md, "V2 sync"). A mapping has the same names. */
export const SHAPES: Readonly<Record<Kind, RecordShape>> = {
  Employes: {
    properties: {
      ...{ IdExterne: REQUIRED, Nom: REQUIRED, Prenom: REQUIRED, NoMembre: OPTIONAL, Courriel: OPTIONAL },
      ...{ TelephonePrincipal: OPTIONAL, Adresse1: OPTIONAL, Ville: OPTIONAL, Province: OPTIONAL },
      CodePostal: OPTIONAL,
    } satisfies Properties<EmployeV2SyncWritable, 'Emplois' | 'Adhesions' | 'ValeursChampUtilisateur'>,
    identifier: 'IdExterne',
    nested: ['Emplois', 'Adhesions'],
    hasFields: true,
  },
  Emplois: {
    properties: {
      ...{ IdentifiantExterne: REQUIRED, IdentifiantExterneEmployeur: REQUIRED, Matricule: REQUIRED },
      ...{ DateDebut: DATE, DateFin: DATE },
    } satisfies Properties<EmploiSyncWritable>,
    identifier: 'IdentifiantExterne',
    ...LEAF,
  },
  Adhesions: {
    properties: {
      SyndicatIdExterne: REQUIRED,
      DateAdhesion: { isRequired: true, isDate: true },
      DateFin: DATE,
    } satisfies Properties<MembershipSync>,
    identifier: 'SyndicatIdExterne',
    ...LEAF,
  },
  Syndicats: {
    properties: { IdentifiantExterne: REQUIRED, Nom: REQUIRED } satisfies Properties<
      SyndicatV2SyncWritable,
      'Employeurs'
    >,
    identifier: 'IdentifiantExterne',
    nested: ['Employeurs'],
    hasFields: false,
  },
  Employeurs: {
    properties: { IdentifiantExterne: REQUIRED, Nom: REQUIRED } satisfies Properties<EmployeurV2Sync>,
    identifier: 'IdentifiantExterne',
    ...LEAF,
  },
};

export const FIELDS = 'ValeursChampUtilisateur';
/** Lists at the top of a body and of a mapping. */
export const TOP = ['Syndicats', 'Employes'] as const satisfies readonly Kind[];
