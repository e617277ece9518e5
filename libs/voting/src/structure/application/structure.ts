import { CAMPAGNE_ACTIONS } from '../../domain/voting.actions';
import { CAMPAGNE } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { MOST_STRUCTURE_BYTES } from '../../campagne/domain/campagne.transitions';
import { moved } from '../domain/question.rules';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { type Ordered, QuestionRepository } from '../persistence/question.repository';
import { fr, type Text } from '#platform/errors/text';

/** The written entity and its JSON. */
export interface Made {
  readonly id: string;
  readonly item: Json;
}

const TOO_MANY: Readonly<Record<Ordered, (most: number) => Text>> = {
  question: (most) => ({
    en: `There are at most ${most} questions: put some together, or make another campaign.`,
    fr: fr`Il y a au plus ${most} questions : réunissez-en quelques-unes, ou créez une autre campagne.`,
  }),
  option: (most) => ({
    en: `There are at most ${most} options: put some together, or make another question.`,
    fr: fr`Il y a au plus ${most} options : réunissez-en quelques-unes, ou créez une autre question.`,
  }),
};

const EACH_ONCE: Readonly<Record<Ordered, (count: number) => Text>> = {
  question: (count) => ({
    en: `must name each of the ${count} questions exactly once`,
    fr: fr`doit désigner chaque question de la campagne exactement une fois (nombre de questions : ${count})`,
  }),
  option: (count) => ({
    en: `must name each of the ${count} options exactly once`,
    fr: fr`doit désigner chaque option de la question exactement une fois (nombre d'options : ${count})`,
  }),
};

/**
 * The only way to write questions, options and their order. Each write locks the campaign: it happens before a
 * publication, or is rejected after it (docs/contract.md, "States and transitions", rule 1).
 */
@Injectable()
export class Structure {
  constructor(
    private readonly transactions: Transactions,
    private readonly campagnes: CampagneRepository,
    private readonly repository: QuestionRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param find throws if the written object does not exist, or differs from the caller's version; undefined for a new one
   * @throws DomainError `Campagne.NotFound`, `Campagne.StructureVerrouillee` and those of `find` and `work`
   */
  async write<T>(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    find: (() => Promise<unknown>) | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.campagnes.lock(tenantId, campagneId, 'structure');
      await find?.();
      const etat = campagne.etat(at);
      if (etat !== 'Brouillon') {
        const detail = {
          en: `The campaign is in state ${etat}: questions, options and their order change in Brouillon only.`,
          fr: fr`La campagne est à l'état ${etat} : les questions, les options et leur ordre changent à l'état Brouillon seulement.`,
        };
        throw new DomainError(CAMPAGNE.StructureVerrouillee, detail);
      }
      const result = await work();
      await this.campagnes.touch(tenantId, campagneId);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.structurer, [campagneId]);
      return result;
    });
  }

  /** @throws DomainError `Campagne.StructureTropGrande` where there are as many as there may be */
  async assertRoom(tenantId: string, ordered: Ordered, parentId: string, most: number): Promise<void> {
    const { length } = await this.repository.ids(tenantId, ordered, parentId);
    if (length < most) return;
    throw new DomainError(CAMPAGNE.StructureTropGrande, TOO_MANY[ordered](most));
  }

  /**
   * Runs `work`, which writes texts of one question. The database counts them, so a read of a question is never large.
   *
   * @throws DomainError `Campagne.TropVolumineuse` where they have too many bytes, and more than before
   */
  async bounded<T>(tenantId: string, questionId: string, work: () => Promise<T>): Promise<T> {
    const before = await this.repository.octets(tenantId, questionId);
    const result = await work();
    const octets = await this.repository.octets(tenantId, questionId);
    if (octets <= Math.max(before, MOST_STRUCTURE_BYTES)) return result;
    const detail = {
      en: `The title, labels and descriptions of the question and its options have ${octets} bytes together (UTF-8), and the limit is ${MOST_STRUCTURE_BYTES}. Shorten them, or divide the options among several questions.`,
      fr: fr`Le titre, les libellés et les descriptions de la question et de ses options ont ensemble ${octets} octets (UTF-8), et la limite est ${MOST_STRUCTURE_BYTES}. Raccourcissez-les, ou répartissez les options entre plusieurs questions.`,
    };
    throw new DomainError(CAMPAGNE.TropVolumineuse, detail);
  }

  /** Moves a question or option to a place, from 1; it stays where it is if none is given. */
  async move(
    tenantId: string,
    ordered: Ordered,
    parentId: string,
    id: string,
    place: number | null | undefined,
  ): Promise<void> {
    if (place == null) return;
    const ids = await this.repository.ids(tenantId, ordered, parentId);
    await this.repository.order(tenantId, ordered, moved(ids, id, place));
  }

  /** Removes a question or option; those behind it move up. */
  async remove(tenantId: string, ordered: Ordered, parentId: string, id: string): Promise<void> {
    await this.repository.delete(tenantId, ordered, id);
    await this.repository.order(tenantId, ordered, await this.repository.ids(tenantId, ordered, parentId));
  }

  /**
   * Puts all questions or options into an order.
   *
   * @param ids in lower case and each once, as requests are read
   * @param pointer where the request names them
   * @throws DomainError `Requete.Invalide` where they are not exactly those that there are
   */
  async order(
    tenantId: string,
    ordered: Ordered,
    parentId: string,
    ids: readonly string[],
    pointer: string,
  ): Promise<void> {
    const known = new Set(await this.repository.ids(tenantId, ordered, parentId));
    if (ids.length !== known.size || !ids.every((id) => known.has(id))) {
      const detail = EACH_ONCE[ordered](known.size);
      throw invalidRequest([{ pointer, code: 'reference', detail }]);
    }
    await this.repository.order(tenantId, ordered, ids);
  }
}
