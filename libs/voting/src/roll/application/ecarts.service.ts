import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage, Position } from '#platform/database/json-items';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { KeyedLimit } from '#platform/limits/keyed-limit';
import { comparisons } from '#platform/limits/list-parts';
import type { ApplicationRecord, Nature } from '../domain/ecart.fields';
import { LISTE_ELECTORALE_ACTIONS } from '../../domain/voting.actions';
import { LISTE_ELECTORALE } from '../../domain/voting.errors';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { EcartsRepository, PART_BYTES, type Range } from '../persistence/ecarts.repository';
import { Roll } from './roll';
import { fr, type Text } from '#platform/errors/text';

/** A bound after all employees. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Differences between a roll and the master data (docs/contract.md, "The roll and the master data"). */
@Injectable()
export class EcartsService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly repository: EcartsRepository,
    private readonly roll: Roll,
  ) {}

  /**
   * Returns the differences, and their digest once the first are there. Reading throws `Campagne.NotFound`, and breaks off if the
   * differences change halfway.
   */
  list(
    tenantId: string,
    campagneId: string,
    nature: Nature | null | undefined,
  ): { fetch: FetchPage; empreinte: () => string | undefined; line: KeyedLimit } {
    let empreinte: string | undefined;
    let ranges: readonly Range[] = [];
    /** Digests of the ranges, as they were first read. */
    const read: string[] = [];
    const partOf = async (index: number, after: string | undefined) => {
      const part = await this.repository.part(tenantId, campagneId, nature, ranges[index]!, after);
      const digest = createHash('sha256').update(part.lignes).digest('hex');
      if ((read[index] ??= digest) !== digest) throw outdated();
      return part;
    };
    const fetch: FetchPage = async (after) => {
      const whole = createHash('sha256');
      if (empreinte === undefined) ranges = await this.repository.ranges(tenantId, campagneId);
      const start = ranges.findIndex(({ upTo }) => !after || upTo === null || after.id < upTo);
      const items: string[] = [];
      let [from, bytes, next] = [after?.id, 0, undefined as Position | undefined];
      for (let index = start; index < ranges.length; index++) {
        const part = await partOf(index, next ? LAST : from);
        if (empreinte === undefined) whole.update(part.lignes);
        from = undefined;
        if (next) continue;
        items.push(...part.items);
        bytes += part.items.reduce((sum, { length }) => sum + length, 0);
        const { upTo } = ranges[index]!;
        next = part.next ?? (bytes >= PART_BYTES && upTo ? { date: new Date(0), id: upTo } : undefined);
        // The digest stands before the first difference, so the first part reads all ranges.
        if (next && empreinte !== undefined) break;
      }
      empreinte ??= whole.digest('hex');
      return { items, ...(next ? { next } : {}) };
    };
    return {
      fetch: this.campagnes.listOfKnown(tenantId, campagneId, fetch),
      empreinte: () => empreinte,
      line: comparisons,
    };
  }

  /**
   * Applies the differences of some kinds, if they are still those that were read. Voters written manually are not removed,
   * and voters who have voted stay as they are.
   *
   * @throws DomainError `Campagne.NotFound`, `Campagne.ModificationNonPermise`, `ListeElectorale.EcartsPerimes`,
   * `Requete.Invalide` without any kind
   */
  async apply(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    { empreinte, natures }: ApplicationRecord,
  ): Promise<{ nombreAjoutes: number; nombreRetires: number; nombreModifies: number }> {
    if (!natures?.length) throw invalidRequest([{ pointer: '/natures', code: 'required', detail: NO_KIND }]);
    const writer = { tenantId, actor, action: LISTE_ELECTORALE_ACTIONS.appliquer, campagneId };
    const apply = async () => {
      const change = await this.repository.apply(tenantId, campagneId, empreinte, natures);
      if (!change) throw outdated();
      const { ajoutes, retires, modifies } = change;
      const result = {
        nombreAjoutes: ajoutes.count,
        nombreRetires: retires.count,
        nombreModifies: modifies.count,
      };
      return { change, result };
    };
    return this.roll.write(writer, apply);
  }
}

const NO_KIND: Text = { en: 'name at least one kind', fr: fr('donnez au moins une nature') };

function outdated(): DomainError {
  return new DomainError(LISTE_ELECTORALE.EcartsPerimes, {
    en: 'The roll or the master data have changed since the differences were read. Nothing was written. Read them again.',
    fr: fr(
      "La liste électorale ou les données de référence ont changé depuis la lecture des écarts. Rien n'a été écrit. Relisez-les.",
    ),
  });
}
