import { CAMPAGNE, VOTANT } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { AuditedAction } from '#platform/audit/audited-action';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { EXCES_CHIFFREMENT } from '../../campagne/domain/campagne.transitions';
import { CampagneRepository, type RollChange } from '../../campagne/persistence/campagne.repository';
import { fr } from '#platform/errors/text';

/** The actor of a write, and its action in the audit trail. */
export interface RollWriter {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly action: AuditedAction;
  readonly campagneId: string;
}

/** Result of a write to the roll. */
interface WrittenRoll<T> {
  /** Which voters it changed. */
  readonly change: RollChange;
  /** Object of the audit entry; the campaign if absent. */
  readonly objetId?: string;
  readonly result: T;
}

/**
 * The one way to write the roll of a campaign, which may change until the campaign ends (docs/contract.md, "Voters").
 * One writer at a time writes a roll, while voters vote. During a write, requests cannot change the campaign's state.
 */
@Injectable()
export class Roll {
  constructor(
    private readonly transactions: Transactions,
    private readonly campagnes: CampagneRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param prepare slow work that does not need the campaign; it runs before the locks, so other writers do not wait for it
   * @throws DomainError `Campagne.NotFound`, `Campagne.ModificationNonPermise`, `Votant.PoidsIdentifiants`, `Campagne.TropVolumineuse` and those of `work`
   */
  async write<T, P = undefined>(
    { tenantId, actor, action, campagneId }: RollWriter,
    work: (prepared: P) => Promise<WrittenRoll<T>>,
    prepare: () => Promise<P> = () => Promise.resolve(undefined as P),
  ): Promise<T> {
    return this.transactions.run(
      { tenantId },
      async () => {
        const prepared = await prepare();
        await this.campagnes.lockRoll(tenantId, campagneId);
        const { campagne, at } = await this.campagnes.lock(tenantId, campagneId, 'roll');
        campagne.assertOpenRoll(at);
        const before = await this.campagnes.poidsIdentifiants(campagne);
        const { change, result, objetId = campagneId } = await work(prepared);
        this.audit.record(tenantId, actor, action, [objetId], change);
        const [rare] = (await this.campagnes.poidsIdentifiants(campagne)).filter(
          (one) => !before.includes(one),
        );
        if (rare !== undefined) {
          const detail = {
            en: `Fewer than ${campagne.seuilAnonymat} voters with the right to vote would hold a weight of ${rare}: the result would reveal their choice. Nothing was written.`,
            fr: fr`Moins de ${campagne.seuilAnonymat ?? 1} votants ayant droit de vote auraient un poids de ${rare} : le résultat révélerait leur choix. Rien n'a été écrit.`,
          };
          throw new DomainError(VOTANT.PoidsIdentifiants, detail);
        }
        const exces = await this.campagnes.excesChiffrement(campagne);
        if (exces) throw new DomainError(CAMPAGNE.TropVolumineuse, EXCES_CHIFFREMENT[exces]);
        // Last, because a deletion of an employee locks the employee before it counts. If this write counted before `work`
        // waits for the employee, both would wait for each other.
        await this.campagnes.countVotants(tenantId, campagneId, change);
        return result;
      },
      // If an employee was deleted meanwhile, the next attempt rejects the record.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }
}
