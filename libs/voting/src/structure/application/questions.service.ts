import { QUESTION } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage, Page } from '#platform/database/json-items';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { MOST_QUESTIONS, type NestedOptionRecord, type QuestionRecord } from '../domain/question.fields';
import { contentOf, optionsOf } from '../domain/question.rules';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { QuestionQuery } from '../persistence/question.query';
import { QuestionRepository } from '../persistence/question.repository';
import { type Made, Structure } from './structure';
import { fr } from '#platform/errors/text';

/**
 * Questions of a campaign (docs/contract.md, "Questions and options"). In addition to the errors named below, each
 * operation throws `Campagne.NotFound` and `Question.NotFound`, and each write `Campagne.StructureVerrouillee`.
 */
@Injectable()
export class QuestionsService {
  constructor(
    private readonly structure: Structure,
    private readonly campagnes: CampagneRepository,
    private readonly query: QuestionQuery,
    private readonly repository: QuestionRepository,
  ) {}

  list(tenantId: string, campagneId: string): FetchPage {
    return this.campagnes.listOfKnown(tenantId, campagneId, this.query.list(tenantId, campagneId));
  }

  async get(tenantId: string, campagneId: string, id: string): Promise<Json> {
    return (await this.query.one(tenantId, campagneId, id)) ?? this.unknown(tenantId, campagneId);
  }

  /** Does not read the texts of the question. */
  async assertExists(tenantId: string, campagneId: string, id: string): Promise<void> {
    if (!(await this.query.exists(tenantId, campagneId, id))) await this.unknown(tenantId, campagneId);
  }

  private async unknown(tenantId: string, campagneId: string): Promise<never> {
    await this.campagnes.assertExists(tenantId, campagneId);
    throw new DomainError(QUESTION.NotFound);
  }

  /**
   * @param id given by the service if absent
   * @throws DomainError `Question.PreferentielNonSupporte`, `Campagne.StructureTropGrande`, `Requete.Invalide`. A new question
   * cannot have too many bytes, because a request has at most 1 MB
   */
  async create(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    record: QuestionRecord,
    id?: string,
  ): Promise<Made> {
    const content = contentOf(record);
    return this.structure.write(tenantId, actor, campagneId, undefined, async () => {
      await this.structure.assertRoom(tenantId, 'question', campagneId, MOST_QUESTIONS);
      const made = await this.repository.insert(tenantId, campagneId, content, id);
      const options = optionsOf(record).map((option) => ({ ...option, Id: null }));
      await this.repository.replaceOptions(tenantId, made, options);
      await this.structure.move(tenantId, 'question', campagneId, made, record.Ordre);
      return { id: made, item: await this.get(tenantId, campagneId, made) };
    });
  }

  /**
   * Replaces every property; the place and the options where they are given.
   *
   * @throws DomainError `Precondition.Echouee`, `Question.PreferentielNonSupporte`, `Campagne.TropVolumineuse`, `Requete.Invalide`
   */
  async replace(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    id: string,
    record: QuestionRecord,
    ifMatch?: string,
  ): Promise<Json> {
    const content = contentOf(record);
    const get = (): Promise<Json> => this.get(tenantId, campagneId, id);
    const find = async (): Promise<void> => assertIfMatch(ifMatch, await get());
    return this.structure.write(tenantId, actor, campagneId, find, async () => {
      await this.structure.bounded(tenantId, id, async () => {
        const known = await this.repository.ids(tenantId, 'option', id);
        // One that becomes a Proposition without having any gets what every Proposition has.
        if (record.Options || known.length === 0) {
          const options = optionsOf(record);
          assertOwn(known, options);
          await this.repository.replaceOptions(tenantId, id, options);
        }
        await this.repository.update(tenantId, id, content);
      });
      await this.structure.move(tenantId, 'question', campagneId, id, record.Ordre);
      return get();
    });
  }

  /** @throws DomainError `Precondition.Echouee` */
  async delete(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    id: string,
    ifMatch?: string,
  ): Promise<void> {
    const find = async (): Promise<void> => assertIfMatch(ifMatch, await this.get(tenantId, campagneId, id));
    await this.structure.write(tenantId, actor, campagneId, find, () =>
      this.structure.remove(tenantId, 'question', campagneId, id),
    );
  }

  /** @returns the first page of them in their new order @throws DomainError `Requete.Invalide` */
  async order(tenantId: string, actor: Actor, campagneId: string, ids: readonly string[]): Promise<Page> {
    return this.structure.write(tenantId, actor, campagneId, undefined, async () => {
      await this.structure.order(tenantId, 'question', campagneId, ids, '/QuestionIds');
      return this.query.list(tenantId, campagneId)(undefined, MOST_QUESTIONS);
    });
  }
}

/** @throws DomainError `Requete.Invalide` where an `Id` names none of the known options, or one that another names */
function assertOwn(known: readonly string[], options: readonly NestedOptionRecord[]): void {
  const free = new Set(known);
  for (const { Id } of options) {
    const option = Id?.toLowerCase();
    if (option === undefined || free.delete(option)) continue;
    const detail = known.includes(option)
      ? { en: 'names an option twice', fr: fr('désigne deux fois une option') }
      : {
          en: `names no option of this question: ${option}`,
          fr: fr`ne désigne aucune option de cette question : ${option}`,
        };
    throw invalidRequest([{ pointer: '/Options', code: 'reference', detail }]);
  }
}
