import { OPTION } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage, Page } from '#platform/database/json-items';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { MOST_OPTIONS, type OptionRecord } from '../domain/question.fields';
import { QuestionQuery } from '../persistence/question.query';
import { QuestionRepository } from '../persistence/question.repository';
import { QuestionsService } from './questions.service';
import { type Made, Structure } from './structure';

/** Which question options are of. */
export interface OfQuestion {
  readonly campagneId: string;
  readonly questionId: string;
}

/**
 * Options of a question (docs/contract.md, "Questions and options"). In addition to the errors named below, each operation
 * throws `Campagne.NotFound`, `Question.NotFound` and `Option.NotFound`, and each write
 * `Campagne.StructureVerrouillee`.
 */
@Injectable()
export class OptionsService {
  constructor(
    private readonly structure: Structure,
    private readonly questions: QuestionsService,
    private readonly query: QuestionQuery,
    private readonly repository: QuestionRepository,
  ) {}

  list(tenantId: string, of: OfQuestion): FetchPage {
    return async (after, limit) => {
      await this.assertQuestion(tenantId, of);
      return this.query.listOfOptions(tenantId, of.questionId)(after, limit);
    };
  }

  async get(tenantId: string, of: OfQuestion, id: string): Promise<Json> {
    await this.assertQuestion(tenantId, of);
    const item = await this.query.option(tenantId, of.questionId, id);
    if (item === undefined) throw new DomainError(OPTION.NotFound);
    return item;
  }

  /** @param id given by the service if absent @throws DomainError `Campagne.StructureTropGrande`, `Campagne.TropVolumineuse` */
  async create(
    tenantId: string,
    actor: Actor,
    of: OfQuestion,
    record: OptionRecord,
    id?: string,
  ): Promise<Made> {
    const find = (): Promise<void> => this.assertQuestion(tenantId, of);
    return this.structure.write(tenantId, actor, of.campagneId, find, async () => {
      await this.structure.assertRoom(tenantId, 'option', of.questionId, MOST_OPTIONS);
      const made = await this.structure.bounded(tenantId, of.questionId, () =>
        this.repository.insertOption(tenantId, of.questionId, record, id),
      );
      await this.structure.move(tenantId, 'option', of.questionId, made, record.Ordre);
      return { id: made, item: await this.get(tenantId, of, made) };
    });
  }

  /** Replaces every property; the place where it is given. @throws DomainError `Precondition.Echouee`, `Campagne.TropVolumineuse` */
  async replace(
    tenantId: string,
    actor: Actor,
    of: OfQuestion,
    id: string,
    record: OptionRecord,
    ifMatch?: string,
  ): Promise<Json> {
    const get = (): Promise<Json> => this.get(tenantId, of, id);
    const find = async (): Promise<void> => assertIfMatch(ifMatch, await get());
    return this.structure.write(tenantId, actor, of.campagneId, find, async () => {
      await this.structure.bounded(tenantId, of.questionId, () =>
        this.repository.updateOption(tenantId, id, record),
      );
      await this.structure.move(tenantId, 'option', of.questionId, id, record.Ordre);
      return get();
    });
  }

  /** @throws DomainError `Precondition.Echouee` */
  async delete(tenantId: string, actor: Actor, of: OfQuestion, id: string, ifMatch?: string): Promise<void> {
    const find = async (): Promise<void> => assertIfMatch(ifMatch, await this.get(tenantId, of, id));
    await this.structure.write(tenantId, actor, of.campagneId, find, () =>
      this.structure.remove(tenantId, 'option', of.questionId, id),
    );
  }

  /** @returns the first page of them in their new order @throws DomainError `Requete.Invalide` */
  async order(tenantId: string, actor: Actor, of: OfQuestion, ids: readonly string[]): Promise<Page> {
    const find = (): Promise<void> => this.assertQuestion(tenantId, of);
    return this.structure.write(tenantId, actor, of.campagneId, find, async () => {
      await this.structure.order(tenantId, 'option', of.questionId, ids, '/OptionIds');
      return this.query.listOfOptions(tenantId, of.questionId)(undefined, MOST_OPTIONS);
    });
  }

  private assertQuestion(tenantId: string, { campagneId, questionId }: OfQuestion): Promise<void> {
    return this.questions.assertExists(tenantId, campagneId, questionId);
  }
}
