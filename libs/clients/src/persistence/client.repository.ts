import { CLIENT } from '../domain/clients.errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type EntityTarget, type FindOptionsWhere, In, IsNull } from 'typeorm';
import type { Position } from '#platform/database/json-items';
import { UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
import { comparableEntry } from '#platform/input/email-address';
import { Transactions } from '#platform/database/transactions';
import type { Piece } from '#platform/database/work-notes';
import { DomainError } from '#platform/errors/domain-error';
import { Cle, CleWithEnvironment } from '../domain/cle.entity';
import { Client } from '../domain/client.entity';

function withEnvironment(cle: Cle, environments: Map<string, string>): CleWithEnvironment {
  return Object.assign(cle, { environnement: environments.get(cle.tenantId ?? '') ?? '' });
}

/** The technical contact as a recipient: it may also be a name or a telephone number. */
function contactOf({ contactTechnique: contact }: Client): string | undefined {
  return contact?.includes('@') ? comparableEntry(contact) : undefined;
}

/** A key whose expiry is announced, as its event shows it, and its data space. */
export interface ExpiringCle {
  readonly tenantId: string;
  readonly cleId: string;
  readonly nom: string;
  readonly prefixe: string;
  readonly environnement: string;
  readonly role: string;
  readonly expireLe: Date;
}

const EXPIRING = `tenant_id IS NOT NULL AND revoque_le IS NULL AND expiration_annoncee_le IS NULL
  AND expire_le > $1 AND expire_le <= $2`;

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
    const columns: Partial<Client> = { ...client };
    delete columns.cellules;
    await this.unlessNameTaken(() => this.transactions.manager().update(Client, { id: client.id }, columns));
    await this.writeReglages(client);
  }

  /** Whether the database knows this time zone, and can thus say which day it is there. */
  async isTimeZone(name: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query('SELECT FROM pg_timezone_names WHERE name = $1', [name]);
    return rowCount === 1;
  }

  /**
   * Copies the settings of the client to its data spaces, whose statements read them, at the end of the ambient transaction.
   * The client is locked, so copies in other cells are written in the order of the changes.
   */
  private async writeReglages(client: Client): Promise<void> {
    for (const [tenantId, environnement] of await this.environments(client.id)) {
      this.transactions.beforeCommit({ administrationOf: tenantId }, () =>
        this.writeReglage(tenantId, environnement, client),
      );
    }
  }

  private async writeReglage(tenantId: string, environnement: string, client: Client): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO reglage (tenant_id, environnement, fuseau_horaire, resultats_vote_actif_visibles, seuil_anonymat, nom,
         quota_courriels_par_jour, adresse_de_reponse, courriels_essai, suspendu, repris_le, contact_technique, freins)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       ON CONFLICT (tenant_id) DO UPDATE SET environnement = excluded.environnement,
         fuseau_horaire = excluded.fuseau_horaire,
         resultats_vote_actif_visibles = excluded.resultats_vote_actif_visibles,
         seuil_anonymat = excluded.seuil_anonymat, nom = excluded.nom,
         quota_courriels_par_jour = excluded.quota_courriels_par_jour,
         adresse_de_reponse = excluded.adresse_de_reponse, courriels_essai = excluded.courriels_essai,
         suspendu = excluded.suspendu, repris_le = excluded.repris_le,
         contact_technique = excluded.contact_technique, freins = excluded.freins`,
      [
        tenantId,
        environnement,
        client.fuseauHoraire,
        client.resultatsVoteActifVisibles,
        client.seuilAnonymat,
        client.nom,
        client.quotaCourrielsParJour,
        client.adresseDeReponse,
        client.courrielsEssai.flatMap((entry) => comparableEntry(entry) ?? []),
        client.suspenduLe !== null,
        client.reprisLe,
        contactOf(client),
        JSON.stringify(client.freins),
      ],
    );
  }

  /** The client without the cells of its data spaces. */
  async find(id: string, lock = false): Promise<Client | null> {
    return this.transactions
      .manager()
      .findOne(Client, { where: { id }, ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}) });
  }

  async list(after?: Position, limit?: number): Promise<Client[]> {
    const clients = await this.run(Client, {}, after, limit);
    await this.readCells(clients);
    return clients;
  }

  /** Reads the cells of their data spaces, which their items show. */
  async readCells(clients: readonly Client[]): Promise<void> {
    const { rows } = await this.transactions.client().query<{ id: string; cellules: Record<string, string> }>(
      `SELECT client_id AS id, json_object_agg(environnement, cellule) AS cellules FROM tenant
       WHERE client_id = ANY ($1) GROUP BY client_id`,
      [clients.map(({ id }) => id)],
    );
    const cells = new Map(rows.map(({ id, cellules }) => [id, cellules]));
    for (const client of clients) client.cellules = cells.get(client.id) ?? {};
  }

  /** The data space of a client in an environment, and whether it was made just now: the first key asks for it. */
  async tenantOf(client: Client, environnement: string): Promise<{ id: string; isNew: boolean }> {
    const { rows } = await this.transactions.client().query<{ id: string; isNew: boolean }>(
      `INSERT INTO tenant (id, client_id, environnement, cellule) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id, environnement) DO UPDATE SET environnement = excluded.environnement
       RETURNING id, xmax = 0 AS "isNew"`,
      [randomUUID(), client.id, environnement, client.cellule],
    );
    await this.writeReglages(client);
    return rows[0]!;
  }

  async insertCle(cle: Cle): Promise<void> {
    await this.transactions.manager().insert(Cle, cle);
  }

  async listCles(clientId: string, after?: Position, limit?: number): Promise<CleWithEnvironment[]> {
    const environments = await this.environments(clientId);
    const cles = await this.run(Cle, { tenantId: In([...environments.keys()]) }, after, limit);
    return cles.map((cle) => withEnvironment(cle, environments));
  }

  /** A key of the client; locked until the transaction ends if it is to be changed. */
  async findCle(clientId: string, id: string, lock = false): Promise<CleWithEnvironment | null> {
    const environments = await this.environments(clientId);
    const cle = await this.transactions.manager().findOne(Cle, {
      where: { id, tenantId: In([...environments.keys()]) },
      ...(lock ? { lock: { mode: 'pessimistic_write' as const } } : {}),
    });
    return cle && withEnvironment(cle, environments);
  }

  /** Keys of administrators. */
  async listAdminCles(after?: Position, limit?: number): Promise<Cle[]> {
    return this.run(Cle, { tenantId: IsNull() }, after, limit);
  }

  /** An administrator's key, and whether another one works; all that work are locked until the transaction ends. */
  async findAdminCle(id: string, at: Date): Promise<{ cle: Cle; hasOthers: boolean } | undefined> {
    const cles = await this.transactions
      .manager()
      .createQueryBuilder(Cle, 'c')
      .where(
        'c.tenantId IS NULL AND (c.id = :id OR (c.revoqueLe IS NULL AND (c.expireLe IS NULL OR c.expireLe > :at)))',
        {
          id,
          at,
        },
      )
      .orderBy('c.id')
      .setLock('pessimistic_write')
      .getMany();
    const cle = cles.find((one) => one.id === id);
    return cle && { cle, hasOthers: cles.length > 1 };
  }

  /** Names of keys by their ids. */
  async namesOfCles(ids: readonly string[]): Promise<Map<string, string>> {
    const cles = await this.transactions
      .manager()
      .find(Cle, { select: { id: true, nom: true }, where: { id: In(ids) } });
    return new Map(cles.map(({ id, nom }) => [id, nom]));
  }

  /** Writes what changes of a key. */
  async updateCle({ id, revoqueLe, expireLe }: Cle): Promise<void> {
    await this.transactions.manager().update(Cle, { id }, { revoqueLe, expireLe });
  }

  /** Ids of keys of these cells that work at a moment, expire by another, and whose expiry is not announced; the first 1,000. */
  async expiring(
    at: Date,
    until: Date,
    cells: readonly string[],
    except: readonly string[],
  ): Promise<Piece[]> {
    const { rows } = await this.transactions.client().query<Piece>(
      `SELECT "tenantId", id FROM (
         SELECT tenant_id AS "tenantId", id, expire_le, row_number() OVER (PARTITION BY tenant_id ORDER BY expire_le) AS place
         FROM cle WHERE ${EXPIRING} AND id <> ALL ($4) AND EXISTS
           (SELECT FROM tenant t WHERE t.id = cle.tenant_id AND t.cellule = ANY ($3))
       ) k ORDER BY place, expire_le LIMIT 1000`,
      [at, until, cells, except],
    );
    return rows;
  }

  /** Records that the expiry of a key is announced. @returns the key; undefined if another process does it or has done it */
  async announceExpiry(id: string, at: Date, until: Date): Promise<ExpiringCle | undefined> {
    const { rows } = await this.transactions.client().query<ExpiringCle>(
      `UPDATE cle k SET expiration_annoncee_le = $1 FROM tenant t
       WHERE t.id = k.tenant_id AND k.id = (SELECT id FROM cle WHERE id = $3 AND ${EXPIRING} FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING k.tenant_id AS "tenantId", k.id AS "cleId", k.nom, k.prefixe, t.environnement, k.role, k.expire_le AS "expireLe"`,
      [at, until, id],
    );
    return rows[0];
  }

  /** Rows in the order of all lists, after a position. */
  private run<R extends { dateCreation: Date; id: string }>(
    entity: EntityTarget<R>,
    where: FindOptionsWhere<R>,
    after: Position | undefined,
    limit: number | undefined,
  ): Promise<R[]> {
    const rows = this.transactions
      .manager()
      .createQueryBuilder(entity, 'r')
      .where(where)
      .orderBy('r.dateCreation')
      .addOrderBy('r.id')
      .limit(limit);
    if (after) rows.andWhere('(r.dateCreation, r.id) > (:date, :id)', after);
    return rows.getMany();
  }

  /** Ids of clients whose erasure was requested and is not done, in the order of the requests. */
  async toErase(): Promise<string[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string }>(
        'SELECT id FROM client WHERE suppression_demandee_le IS NOT NULL AND efface_le IS NULL ORDER BY suppression_demandee_le',
      );
    return rows.map(({ id }) => id);
  }

  /** Revokes all keys of a client. */
  async revokeCles(clientId: string, at: Date): Promise<void> {
    await this.transactions.client().query(
      `UPDATE cle SET revoque_le = $2 WHERE revoque_le IS NULL
         AND tenant_id IN (SELECT id FROM tenant WHERE client_id = $1)`,
      [clientId, at],
    );
  }

  /** The data spaces of a client, with their cells. */
  async cellsOfSpaces(clientId: string): Promise<{ id: string; cellule: string }[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string; cellule: string }>('SELECT id, cellule FROM tenant WHERE client_id = $1', [
        clientId,
      ]);
    return rows;
  }

  /** The environments of a client's data spaces by their ids. */
  async environments(clientId: string): Promise<Map<string, string>> {
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
      throw new DomainError(CLIENT.NomDejaUtilise);
    }
  }
}
