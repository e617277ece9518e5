import type { Answer, TestApp, TestTenant } from '../../setup/test-app';
import { synced } from '../../membership/synced';

/** A resource with a list and a path for each item: a row of test/contract/keyed-resources.e2e-spec.ts. */
export interface Keyed {
  /** Path of its list. */
  readonly path: string;
  /** Prefix of its error codes. */
  readonly noun: string;
  /** Property with the partner's identifier. The service gives the id of a resource without one. */
  readonly key?: string;
  /** Suffix of the error code for an identifier that is in use. */
  readonly taken?: string;
  /** Property of its items that `record` fills with a text. */
  readonly text: string;
  readonly record: (id: string, text: string) => Record<string, unknown>;
  /** Creates what a record refers to. */
  readonly prepare?: (app: TestApp, tenant: TestTenant) => Promise<unknown>;
  /** Creates and replaces a record of a resource that has no POST. */
  readonly write?: (app: TestApp, tenant: TestTenant, id: string, text: string) => Promise<unknown>;
  /** Paths of its PUT. */
  readonly puts: readonly ('of the list' | 'of the item')[];
  /** Each PUT is a change, of `derniereMAJ` too. */
  readonly alwaysChanges?: true;
  /** POST answers no ETag, because its answer has a secret that no other answer has. */
  readonly hasSecret?: true;
}

const named = (idExterne: string, nom: string) => ({ idExterne, nom });

/** Asserts success, because the test needs the record. */
async function needed(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
}

const syndicat = (app: TestApp, tenant: TestTenant, IdentifiantExterne: string, Nom: string) =>
  synced(app, tenant, { Syndicats: [{ IdentifiantExterne, Nom }] });

export const KEYED: readonly Keyed[] = [
  {
    path: '/b2b/v1/employe',
    ...{ noun: 'Employe', key: 'idExterne', taken: 'IdExterneDejaUtilise', text: 'prenom' },
    record: (idExterne, prenom) => ({ idExterne, prenom, nom: 'Roy' }),
    puts: ['of the list'],
  },
  {
    path: '/b2b/v2/employe',
    ...{ noun: 'Employe', key: 'idExterne', text: 'prenom' },
    record: (idExterne, prenom) => ({ idExterne, prenom, nom: 'Roy' }),
    write: async (app, tenant, IdExterne, Prenom) =>
      synced(app, tenant, { Employes: [{ IdExterne, Prenom, Nom: 'Roy' }] }),
    puts: [],
  },
  {
    path: '/b2b/v1/employeur',
    ...{ noun: 'Employeur', key: 'idExterne', taken: 'IdExterneDejaUtilise', text: 'nom' },
    record: named,
    puts: ['of the list'],
  },
  {
    path: '/b2b/v2/syndicat',
    ...{ noun: 'Syndicat', key: 'identifiantExterne', text: 'nom' },
    record: (identifiantExterne, nom) => ({ identifiantExterne, nom }),
    write: syndicat,
    puts: [],
  },
  {
    path: '/b2b/v2/objet-consentement',
    ...{ noun: 'ObjetConsentement', key: 'idExterne', taken: 'IdExterneDejaUtilise', text: 'nom' },
    record: named,
    puts: ['of the list', 'of the item'],
  },
  {
    path: '/b2b/v2/champ-utilisateur',
    ...{ noun: 'Champ', key: 'nom', taken: 'NomDejaUtilise', text: 'choix' },
    record: (nom, libelle) => ({ nom, type: 'choix', choix: [{ idExterne: 'JOUR', libelle }] }),
    puts: ['of the list', 'of the item'],
  },
  {
    path: '/b2b/v2/formulaire',
    ...{ noun: 'Formulaire', text: 'titre' },
    record: (_id, titre) => ({ titre, syndicatIdExterne: 'SYN', objetsConsentement: ['INFO'] }),
    prepare: async (app, tenant) => {
      await syndicat(app, tenant, 'SYN', 'Syndicat');
      await needed(app.send(tenant, 'POST', '/b2b/v2/objet-consentement', named('INFO', 'Infolettre')));
    },
    puts: ['of the item'],
  },
  {
    path: '/b2b/v2/webhook',
    ...{ noun: 'Webhook', text: 'description' },
    record: (_id, description) => ({
      url: 'http://hooks.test/mandat',
      types: ['sync.terminee'],
      description,
    }),
    puts: ['of the item'],
    ...{ alwaysChanges: true, hasSecret: true },
  },
];
