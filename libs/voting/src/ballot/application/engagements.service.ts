import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import { Outbox } from '#platform/events/outbox';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { LOGGER } from '#platform/ops/logger';
import { signedCheckpoint, states } from '../domain/checkpoint';
import {
  consistencyProof,
  DIGEST_BYTES,
  inclusionProof,
  leafHash,
  noReceipt,
  receiptDigest,
  ReceiptLog,
  type ReadSubtree,
} from '../domain/receipt-log';
import { URNE_ACTIONS } from '../../domain/voting.actions';
import { DOSSIER, RECU } from '../../domain/voting.errors';
import { CAMPAGNE_EVENTS } from '../../domain/voting.events';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { EngagementRepository } from '../persistence/engagement.repository';
import { SealingRepository } from '../persistence/sealing.repository';
import { DossierKeys } from '../../application/dossier-keys';
import { WORKER } from '../../application/worker';
import { fr, type Text } from '#platform/errors/text';

/** How often a campaign gets a checkpoint at most. */
const INTERVAL_MS = 60_000;

/** The check of a box that fails if its log of receipts differs from a checkpoint. */
export const LOG_ANOMALY = 'engagements';

/** The log of receipts of each campaign, with signed checkpoints (docs/adr/0042). */
@Injectable()
export class EngagementsService {
  private readonly work: SharedWork;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: EngagementRepository,
    private readonly sealing: SealingRepository,
    private readonly campagnes: CampagneRepository,
    private readonly keys: DossierKeys,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({
      ...{ name: 'engagement', atOnce: 2, isLong: true },
      ...{ afterFailureMs: INTERVAL_MS, afterSuccessMs: INTERVAL_MS },
    });
  }

  /**
   * Signs a checkpoint of each open vote of all tenants that has grown, at most once a minute. Shared out by client, and failures,
   * as in `SharedWork`.
   */
  engageAllDue(): Promise<void> {
    return this.work.each({
      find: (except) => this.repository.due(except),
      isDue: ({ tenantId, id }) => this.repository.isDue(tenantId, id),
      work: ({ tenantId, id }) => this.round(tenantId, id),
    });
  }

  /**
   * Signs a checkpoint of an open vote, if it has grown and the last one is at least a minute old.
   *
   * @throws Error if the log differs from a checkpoint: nothing is signed
   */
  async round(tenantId: string, id: string): Promise<void> {
    await this.keys.ready();
    const isIntact = await this.transactions.run({ tenantId }, async () => {
      if ((await this.sealing.begin(tenantId, id, 'open')) === undefined) return true;
      // Another worker may have done it meanwhile.
      return !(await this.repository.isDue(tenantId, id)) || (await this.engage(tenantId, id));
    });
    if (isIntact) return;
    this.logger.error(
      { tenantId, campagneId: id, checks: [LOG_ANOMALY] },
      'no checkpoint is signed: the log of receipts differs from a signed one (docs/operations.md, "A ballot box that cannot be sealed")',
    );
    throw new Error(`The log of receipts of campaign ${id} differs from a checkpoint.`);
  }

  /**
   * Appends all receipts to the log and signs its size, if it has grown. In the ambient transaction, which holds the lock of
   * the sealing.
   *
   * @returns false if the log differs from a checkpoint: nothing is signed
   */
  async engage(tenantId: string, id: string): Promise<boolean> {
    const log = await this.intact(tenantId, id);
    if (!log) return false;
    const { size, noeuds } = log;
    const stored = noeuds.length;
    await this.read(tenantId, id, log, await this.repository.place(id));
    if (log.size === size) return true;
    const checkpoint = signedCheckpoint(id, log.size, log.root(), this.keys);
    await this.repository.insert(tenantId, id, checkpoint, noeuds.slice(stored));
    const { taille, racine, note } = checkpoint;
    const data = { campagneId: id, taille, racine: racine.toString('base64url'), note };
    await this.outbox.add(tenantId, CAMPAGNE_EVENTS.engagee, JSON.stringify(data));
    return true;
  }

  /**
   * Computes the log again from its receipts and compares it with its checkpoints and stored nodes. A difference becomes an
   * anomaly of the box, with an entry in the audit trail. In the ambient transaction, which holds the lock of the sealing.
   *
   * @returns undefined if it differs
   */
  async intact(tenantId: string, id: string): Promise<ReceiptLog | undefined> {
    const log = new ReceiptLog();
    const isIntact = await this.isIntact(tenantId, id, log);
    const isNew = await this.repository.signal(id, !isIntact);
    if (isNew && !isIntact) this.audit.record(tenantId, WORKER, URNE_ACTIONS.anomalie, [id]);
    return isIntact ? log : undefined;
  }

  private async isIntact(tenantId: string, id: string, log: ReceiptLog): Promise<boolean> {
    const checkpoints = await this.repository.checkpoints(tenantId, id);
    const size = checkpoints.at(-1)?.taille ?? 0;
    if ((await this.repository.size(tenantId, id)) !== size) return false;
    let [same, compared] = [true, 0];
    await this.read(tenantId, id, log, size, () => {
      if (checkpoints[compared]?.taille !== log.size) return;
      same &&= states(checkpoints[compared++]!, id, log.root());
    });
    const stored = await this.repository.noeuds(tenantId, id);
    const found = new Map(stored.map(({ niveau, place, empreinte }) => [`${niveau} ${place}`, empreinte]));
    const areSame = log.noeuds.every(({ niveau, place, empreinte }) =>
      found.get(`${niveau} ${place}`)?.equals(empreinte),
    );
    return same && compared === checkpoints.length && areSame && stored.length === log.noeuds.length;
  }

  /** Appends the receipts of the next places, up to a size. @param onLeaf called after each of them */
  private async read(
    tenantId: string,
    id: string,
    log: ReceiptLog,
    size: number,
    onLeaf: () => void = () => undefined,
  ): Promise<void> {
    for await (const page of this.repository.digests(tenantId, id, log.size, size))
      for (let at = 0; at < page.length; at += DIGEST_BYTES) {
        log.append(page.subarray(at, at + DIGEST_BYTES));
        onLeaf();
      }
  }

  /** The checkpoints of a campaign. Reading them throws `Campagne.NotFound`. */
  list(tenantId: string, id: string): FetchPage {
    return this.campagnes.listOfKnown(tenantId, id, this.repository.list(tenantId, id));
  }

  /**
   * Proof that the log of one size begins with that of another.
   *
   * @throws DomainError `Campagne.NotFound`, `Dossier.NonPret` before the first checkpoint, `Requete.Invalide` for other sizes
   * than 1 ≤ `de` ≤ `a` ≤ that of the newest checkpoint
   */
  async coherence(tenantId: string, id: string, de: number, a: number) {
    const newest = await this.repository.newest(tenantId, id);
    if (!newest) {
      await this.campagnes.assertExists(tenantId, id);
      throw notReady(NO_CHECKPOINT);
    }
    const faults: InputFault[] = [];
    if (a > newest.taille)
      faults.push({
        pointer: '?a',
        code: 'range',
        detail: {
          en: `must be at most ${newest.taille}, the size of the log`,
          fr: fr`doit être au plus ${newest.taille}, la taille du registre`,
        },
      });
    if (de > a) faults.push({ pointer: '?de', code: 'range', detail: ABOVE_A });
    if (faults.length > 0) throw invalidRequest(faults);
    return { de, a, preuve: await this.proof(tenantId, id, (read) => consistencyProof(read, de, a)) };
  }

  /**
   * Proof that a receipt is in the log of the newest checkpoint.
   *
   * @param empreinte SHA-256 of the receipt, base64url
   * @throws DomainError `Campagne.NotFound`, `Recu.NotFound`, `Dossier.NonPret` until a checkpoint covers it
   */
  async preuve(tenantId: string, id: string, empreinte: string) {
    const digest = receiptDigest(empreinte);
    const place = digest && (await this.repository.placeOf(tenantId, id, digest));
    if (place === undefined) {
      await this.campagnes.assertExists(tenantId, id);
      throw noReceipt(id, empreinte);
    }
    if (place === null) {
      if (await this.repository.isSealed(tenantId, id)) throw new DomainError(RECU.NotFound, WITHOUT_PROOFS);
      throw notReady(NEXT_CHECKPOINT);
    }
    // After the place, because both were written together.
    const newest = await this.repository.newest(tenantId, id);
    if (!newest || place >= newest.taille) throw notReady(NOT_INTACT);
    const { taille, note } = newest;
    const Chemin = await this.proof(tenantId, id, (read) => inclusionProof(read, place, taille));
    return { EmpreinteRecu: empreinte, Index: place, Taille: taille, Chemin, Engagement: note };
  }

  private async proof(
    tenantId: string,
    id: string,
    work: (read: ReadSubtree) => Buffer[],
  ): Promise<string[]> {
    const hashes = await this.repository.reading(tenantId, id, leafHash, work);
    if (!hashes) throw notReady(NOT_INTACT);
    return hashes.map((one) => one.toString('base64url'));
  }
}

const NOT_INTACT: Text = {
  en: 'The log of receipts is not intact.',
  fr: fr("Le registre des reçus n'est pas intact."),
};
const NO_CHECKPOINT: Text = {
  en: 'The campaign has no checkpoint yet.',
  fr: fr("La campagne n'a pas encore d'engagement."),
};
const NEXT_CHECKPOINT: Text = {
  en: 'The next checkpoint has this receipt, within a minute or at the close.',
  fr: fr('Le prochain engagement contient ce reçu, dans moins d’une minute ou à la fermeture.'),
};
const WITHOUT_PROOFS: Text = {
  en: 'The vote was sealed before receipts had proofs.',
  fr: fr('Le vote a été scellé avant que les reçus aient des preuves.'),
};
const ABOVE_A: Text = { en: 'must not be above `a`', fr: fr('ne doit pas être supérieur à `a`') };

function notReady(detail: Text): DomainError {
  return new DomainError(DOSSIER.NonPret, detail, { retryAfterSeconds: INTERVAL_MS / 1_000 });
}
