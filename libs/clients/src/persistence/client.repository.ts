import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { FindOptionsSelect, FindOptionsWhere } from 'typeorm';
import { UNIQUE_VIOLATION, violates } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { Cle, CleWithEnvironment } from '../domain/cle.entity';
import { Client } from '../domain/client.entity';

const CLE_COLUMNS = {
  id: true,
  tenantId: true,
  role: true,
  nom: true,
  prefixe: true,
  modules: true,
  expireLe: true,
  revoqueLe: true,
  dernierUsage: true,
  dateCreation: true,
} satisfies FindOptionsSelect<Cle>;

/** Clients, their data spaces and their keys, in the ambient transaction of administration. */
@Injectable()
export class ClientRepository {
  constructor(private readonly transactions: Transactions) {}

  /** @throws DomainError `Client.NomDejaUtilise` */
  async insert(client: Client): Promise<void> {
    await this.unlessNameTaken(() => this.transactions.manager().insert(Client, client));
  }

  /** @throws DomainError `Client.NomDejaUtilise` */
  async update(client: Client): Promise<void> {
    await this.unlessNameTaken(() => this.transactions.manager().update(Client, { id: client.id }, client));
  }

  async find(id: string, lock = false): Promise<Client | null> {
    return this.transactions
      .manager()
      .findOne(Client, { where: { id }, ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}) });
  }

  async list(): Promise<Client[]> {
    return this.transactions.manager().find(Client, { order: { dateCreation: 'ASC', id: 'ASC' } });
  }

  /** The data space of a client in an environment, made when the first key asks for it. */
  async tenantOf(clientId: string, environnement: string): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO tenant (id, client_id, environnement) VALUES ($1, $2, $3)
       ON CONFLICT (client_id, environnement) DO UPDATE SET environnement = excluded.environnement RETURNING id`,
      [randomUUID(), clientId, environnement],
    );
    return rows[0]!.id;
  }

  async insertCle(cle: Cle): Promise<void> {
    await this.transactions.manager().insert(Cle, cle);
  }

  async listCles(clientId: string): Promise<CleWithEnvironment[]> {
    const tenants = await this.environments(clientId);
    if (tenants.size === 0) return [];
    const where: FindOptionsWhere<Cle>[] = [...tenants.keys()].map((tenantId) => ({ tenantId }));
    const cles = await this.transactions
      .manager()
      .find(Cle, { select: CLE_COLUMNS, where, order: { dateCreation: 'ASC', id: 'ASC' } });
    return cles.map((cle) => Object.assign(cle, { environnement: tenants.get(cle.tenantId ?? '') ?? '' }));
  }

  /** Revokes a key of the client; false if the client has none with this id. A revoked key keeps its first date. */
  async revokeCle(clientId: string, cleId: string): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `UPDATE cle SET revoque_le = coalesce(revoque_le, now())
       WHERE id = $1 AND tenant_id IN (SELECT id FROM tenant WHERE client_id = $2)`,
      [cleId, clientId],
    );
    return rowCount === 1;
  }

  private async environments(clientId: string): Promise<Map<string, string>> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string; environnement: string }>(
        'SELECT id, environnement FROM tenant WHERE client_id = $1',
        [clientId],
      );
    return new Map(rows.map((row) => [row.id, row.environnement]));
  }

  private async unlessNameTaken(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!violates(error, UNIQUE_VIOLATION, 'client_nom_key')) throw error;
      throw new DomainError('Client.NomDejaUtilise', 'Another client has this name. Choose another name.');
    }
  }
}
