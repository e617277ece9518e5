import { randomUUID } from 'node:crypto';
import type { Answer, TestApp } from '../../setup/test-app';
import { type OpenTenant, signed, SIGNING_PATH } from './cards';

/** Kinds of records that the platform links to a card. */
export const LINKS = {
  paiements: {
    table: 'paiement',
    body: { montant: '12.50', devise: 'CAD', reference: 'PAY-1' },
    code: 'Adhesion.HasPayments',
  },
  'autorisations-paiement': {
    table: 'autorisation_paiement',
    body: { reference: 'AUT-1' },
    code: 'Adhesion.HasPaymentAuthorizations',
  },
} as const;
export type LinkKind = keyof typeof LINKS;

/** Requests to the cards of a tenant, and reads of its rows. */
export class DataSpace {
  constructor(
    private readonly app: TestApp,
    readonly open: OpenTenant,
  ) {}

  /**
   * Signs a card.
   *
   * @returns its id
   */
  async sign(overrides: object = {}): Promise<string> {
    const { idUniqueAdhesion } = (await signed(this.app, this.open.plateforme, overrides)).json;
    expect(idUniqueAdhesion).toEqual(expect.any(String));
    return idUniqueAdhesion;
  }

  link(id: string, kind: LinkKind): Promise<Answer> {
    return this.app.send(this.open.plateforme, 'POST', `${SIGNING_PATH}/${id}/${kind}`, LINKS[kind].body);
  }

  /** @param rest of the path and the query */
  delete(rest: string, headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.open.partenaire, 'DELETE', `/b2b/v2/adhesion/${rest}`, undefined, headers);
  }

  async ids(): Promise<string[]> {
    const text = 'SELECT id_unique AS id FROM adhesion WHERE tenant_id = $1 ORDER BY id_unique';
    return (await this.rows<{ id: string }>(text)).map(({ id }) => id);
  }

  /** Returns the data of the events of one type, in the order of creation. */
  async events(type: string): Promise<Record<string, unknown>[]> {
    const text = `SELECT data FROM evenement WHERE tenant_id = $1 AND type = '${type}' ORDER BY id_unique`;
    return (await this.rows<{ data: Record<string, unknown> }>(text)).map(({ data }) => data);
  }

  /** Returns the audit trail without the sync that created the tenant's records, and without signings. */
  journal(): Promise<{ cle_id: string; action: string; objet_id: string; requete_id: string }[]> {
    return this.rows(
      `SELECT cle_id, action, objet_id, requete_id FROM journal
       WHERE tenant_id = $1 AND action NOT IN ('sync.v1', 'sync.v2', 'employe.creer', 'employe.supprimer', 'adhesion.signer',
         'paiement.creer', 'autorisationPaiement.creer') ORDER BY id_unique`,
    );
  }

  /** Returns the rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object>(text: string): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.open.tenantId])).rows;
  }
}

/** Runs `work` while a table rejects new rows. */
export async function refusing<T>(app: TestApp, table: string, work: () => Promise<T>): Promise<T> {
  const name = `refuse_${randomUUID().replaceAll('-', '')}`;
  await app.database.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
  );
  await app.database.query(
    `CREATE TRIGGER ${name} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  );
  try {
    return await work();
  } finally {
    await app.database.query(`DROP FUNCTION ${name} CASCADE`);
  }
}
