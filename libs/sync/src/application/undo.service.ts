import { SYNC_ACTIONS } from '../domain/sync.actions';
import { SYNC } from '../domain/sync.errors';
import { Injectable } from '@nestjs/common';
import { ActiveCampaigns, DeletionNotes, RestorationRepository } from '#membership';
import type { ModuleName } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import type { Tenure } from '#membership/relations';
import type { FetchPage } from '#platform/database/json-items';
import type { Json } from '#platform/database/json';
import { DomainError } from '#platform/errors/domain-error';
import type { Effets, Synced } from '../domain/effets.types';
import { type Annulation, SYNC_DAYS } from '../domain/sync.types';
import { SyncRepository } from '../persistence/sync.repository';
import { NO_EFFETS } from './effets';
import { ImageBox } from './image-box';
import { MOST_VOTES, SyncEngine, type SyncVersion } from './sync-engine';
import { fr } from '#platform/errors/text';

/** Maximum number of conflicts that an answer lists. */
const MOST_CONFLICTS = 1_000;

/** A sync to be undone. */
export interface UndoRequest {
  readonly syncId: string;
  /** Records that have changed since are left as they are; otherwise nothing is written. */
  readonly ignorerConflits: boolean;
}

/** An undo, and its own id unless it was a simulation. */
export interface Undone extends Synced<Annulation> {
  readonly syncId: string | null;
}

/** Syncs of the last 30 days, and their undo, which is a sync itself (docs/contract.md, "Undo"). */
@Injectable()
export class UndoService implements SyncVersion<UndoRequest, Annulation, 'Annulation'> {
  readonly name = 'Annulation';
  readonly action = SYNC_ACTIONS.annuler;

  constructor(
    private readonly engine: SyncEngine,
    private readonly syncs: SyncRepository,
    private readonly box: ImageBox,
    private readonly restoration: RestorationRepository,
    private readonly campaigns: ActiveCampaigns,
    private readonly deletions: DeletionNotes,
  ) {}

  list(tenantId: string): FetchPage {
    return this.syncs.items.pages(tenantId);
  }

  /** @throws DomainError `Sync.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return (await this.syncs.items.one(tenantId, id)) ?? missing();
  }

  /**
   * Puts back what a sync has changed, where nothing has changed it since.
   *
   * @param modules of the caller: campaigns are shown with the module `vote` only
   * @throws DomainError `Sync.NotFound`, `Sync.NonAnnulable`, `Sync.AnnulationEnConflit`; nothing is written then
   */
  async undo(
    tenantId: string,
    actor: Actor,
    request: UndoRequest,
    simulation: boolean,
    modules: readonly ModuleName[],
  ): Promise<Undone> {
    const { syncId } = request;
    const undone = await this.engine.undo(this, tenantId, actor, request, syncId, simulation);
    if (modules.includes('vote')) return undone;
    const { nonAnnules } = undone.resultat;
    return { ...undone, resultat: { ...undone.resultat, nonAnnules: { ...nonAnnules, votes: [] } } };
  }

  totalsOf({ effets: { crees, modifies, refuses } }: Annulation) {
    return { crees, modifies, refuses };
  }

  async write(tenantId: string, { syncId, ignorerConflits }: UndoRequest): Promise<Synced<Annulation>> {
    const { evenementId, cle, isKept, date } = (await this.syncs.find(tenantId, syncId)) ?? missing();
    if (!isKept) throw new DomainError(SYNC.NonAnnulable);
    const evenements = [evenementId];
    // A sync has a key only if it has changed something.
    if (!cle) return resultOf({ ...NO_EFFETS, supprimes: 0 }, [], { evenements, votes: [] });
    const images = await this.syncs.images(tenantId, syncId);
    const notes = this.box.open(tenantId, syncId, { images, cle });
    const restored = await this.restoration.restore(tenantId, date, notes, MOST_CONFLICTS);
    const { conflits, nombreConflits, employes, retires, ...counts } = restored;
    if (nombreConflits > 0 && !ignorerConflits) throw inConflict(nombreConflits, conflits);
    await this.deletions.writer.noteAll(tenantId, retires);
    const votes = await this.campaigns.check.votesOf(tenantId, employes, MOST_VOTES);
    return resultOf({ ...counts, refuses: nombreConflits }, conflits, { evenements, votes });
  }

  /** Removes an employee who is about to be erased from the stored syncs, in the ambient transaction. */
  async forget(tenantId: string, tenures: readonly Tenure[]): Promise<void> {
    for (const { id, cle, idsExternes } of await this.syncs.withImages(tenantId, tenures)) {
      const images = await this.syncs.images(tenantId, id);
      const notes = this.box.openWhole(tenantId, id, { images, cle });
      // Altered images are deleted, because their content is unknown.
      if (!notes) await this.syncs.dropImages(tenantId, id);
      else if (await notes.containAny(idsExternes)) {
        const sealed = this.box.seal(tenantId, id, await this.restoration.without(notes, idsExternes));
        await this.syncs.replaceImages(tenantId, id, sealed.images, sealed.cle);
      }
    }
  }

  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.syncs.purgeExpired(spaces);
  }
}

function resultOf(
  effets: Effets,
  conflits: Annulation['conflits'],
  nonAnnules: Annulation['nonAnnules'],
): Synced<Annulation> {
  return { resultat: { effets, conflits, nombreConflits: effets.refuses, nonAnnules }, effets };
}

function missing(): never {
  throw new DomainError(SYNC.NotFound, {
    en: `No sync has this id. Syncs that have written are kept for ${SYNC_DAYS} days.`,
    fr: fr`Aucune synchronisation n'a cet identifiant. Les synchronisations qui ont écrit sont conservées ${SYNC_DAYS} jours.`,
  });
}

function inConflict(nombreConflits: number, conflits: Annulation['conflits']): DomainError {
  return new DomainError(
    SYNC.AnnulationEnConflit,
    {
      en: `${nombreConflits} records have changed since the sync, or others refer to them. Nothing was written. Send ignorerConflits: true to leave them and put back the others.`,
      fr: fr`Des enregistrements ont changé depuis la synchronisation, ou d'autres y font référence; leur nombre est ${nombreConflits}. Rien n'a été écrit. Envoyez ignorerConflits: true pour les laisser tels quels et rétablir les autres.`,
    },
    { further: { conflits, nombreConflits } },
  );
}
