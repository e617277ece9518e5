import { Injectable } from '@nestjs/common';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { RESTORE } from '#platform/audit/audited-action';
import type { ChainedEntry } from '#platform/audit/chain';
import { type JournalFilter, JournalRepository } from '#platform/audit/journal.repository';
import { type Anchor, JournalVerification, type Verified } from '#platform/audit/verification';
import type { Position } from '#platform/database/json-items';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { ClientRepository } from '../persistence/client.repository';
import { ClientsService } from './clients.service';

/** An entry, the name of its key, and in which of the client's spaces it is: a data space, or the client as a whole. */
export type JournalOfClient = ChainedEntry & {
  readonly environnement: Environment | null;
  readonly cleNom: string | null;
};

/**
 * The audit trails of clients: entries of the client as a whole and of its data spaces (docs/contract.md, "Audit
 * trail").
 */
@Injectable()
export class JournalService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientsService,
    private readonly repository: ClientRepository,
    private readonly journal: JournalRepository,
    private readonly verification: JournalVerification,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Entries of all spaces of a client, in the order of the filter, and whether others may follow because their bytes have ended them.
   *
   * @param wanted only those of this data space, and other filters
   * @throws DomainError `Client.NotFound`
   */
  async list(
    clientId: string,
    { environnement: wanted, ...filter }: JournalFilter & { readonly environnement?: Environment | null },
    after: Position | undefined,
    limit: number,
  ): Promise<{ readonly entries: JournalOfClient[]; readonly isCut: boolean }> {
    await this.clients.get(clientId);
    const entries: Omit<JournalOfClient, 'cleNom'>[] = [];
    const cuts: ChainedEntry[] = [];
    for (const [id, environnement] of await this.spacesOf(clientId)) {
      if (wanted && environnement !== wanted) continue;
      const own = await this.journal.list(id, filter, after, limit);
      entries.push(...own.entries.map((entry) => ({ ...entry, environnement })));
      if (own.isCut) cuts.push(own.entries.at(-1)!);
    }
    const sign = filter.ordre === 'desc' ? -1 : 1;
    const inOrder = (a: ChainedEntry, b: ChainedEntry): number =>
      sign * (compare(a.date, b.date) || compare(a.id, b.id));
    // Behind the first cut, entries of its space are unknown.
    const [cut] = cuts.sort(inOrder);
    const known = entries.sort(inOrder).filter((entry) => !cut || inOrder(entry, cut) <= 0);
    return { entries: await this.named(known.slice(0, limit)), isCut: cut !== undefined };
  }

  private async named(entries: readonly Omit<JournalOfClient, 'cleNom'>[]): Promise<JournalOfClient[]> {
    const ids = [...new Set(entries.map(({ cleId }) => cleId))];
    const names = await this.transactions.read(ADMINISTRATION, () => this.repository.namesOfCles(ids));
    return entries.map((entry) => ({ ...entry, cleNom: names.get(entry.cleId) ?? null }));
  }

  /** Checks every trail of one client, or of all, from its beginning. @param anchors where chains once ended, by space */
  async *verify(
    clientId: string | undefined,
    anchors: ReadonlyMap<string, Anchor>,
  ): AsyncGenerator<Verified> {
    const clients = clientId ? [await this.clients.get(clientId)] : await this.clients.list();
    for (const client of clients) {
      for (const [id] of await this.spacesOf(client.id))
        yield await this.verification.verify(id, anchors.get(id));
    }
  }

  /** Stores that all trails were verified, for operators to see. */
  noteVerification(trails: number, faulty: number): Promise<void> {
    return this.journal.noteVerification(trails, faulty);
  }

  /** Returns the age of the last verification of all trails in seconds, and the number of faulty trails; [] before the first. */
  lastVerification(): Promise<{ readonly age: number; readonly faulty: number }[]> {
    return this.journal.lastVerification();
  }

  /** Notes in a trail that its database was restored. */
  async noteRestore(actor: Actor, space: string): Promise<void> {
    await this.transactions.run({ tenantId: space }, async () => {
      this.audit.record(space, actor, RESTORE, [space]);
      return Promise.resolve();
    });
  }

  /** Returns the ids of all spaces: clients, and their data spaces. */
  async spaces(): Promise<string[]> {
    const ids: string[] = [];
    for (const client of await this.clients.list()) ids.push(...(await this.spacesOf(client.id)).keys());
    return ids;
  }

  /** Returns the environments of the client's spaces by their ids; null for the client as a whole. */
  async spacesOf(clientId: string): Promise<Map<string, Environment | null>> {
    const environments = await this.transactions.read(ADMINISTRATION, () =>
      this.repository.environments(clientId),
    );
    return new Map([[clientId, null], ...(environments as Map<string, Environment>)]);
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
