import { IDEMPOTENCE, REQUETE } from '../errors/platform.errors';
import {
  applyDecorators,
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { from, lastValueFrom, map, Observable } from 'rxjs';
import { ANSWER_HEADERS } from './answers.decorator';
import type { CallerRequest } from './caller';
import { Config } from '../ops/config';
import { SecretBox } from '../ops/secret-box';
import { IDEMPOTENCY_SEALED, IdempotencyRecords, RecordedAnswer } from '../database/idempotency-records';
import { ADMINISTRATION, NO_TENANT, Scope, Transactions } from '../database/transactions';
import { DomainError, invalidRequest } from '../errors/domain-error';
import type { RawRequest } from './body.interceptor';
import { problemOf } from './problem.filter';
import { traceOf } from './tracing';

/** Headers of an answer that belong to its content and are replayed with it, besides those that it declares. */
const REPLAYED_HEADERS = ['content-type', 'location', 'etag', 'preference-applied'] as const;

const UNRECORDED = 'mandat:unrecorded';
const SECRET_ANSWER = 'mandat:secret-answer';

/** Declares that a POST stores no record: `Idempotency-Key` is accepted and has no effect. */
export const Unrecorded = () =>
  applyDecorators(SetMetadata(UNRECORDED, true), ApiExtension('x-unrecorded', true));

/**
 * Declares that the answer of a POST has a secret. The record then omits the answer, and a repetition gets 409
 * `Idempotence.NonRepetable`.
 *
 * @param remedy instruction for a caller who lost the answer; it ends the detail of that 409
 */
export const SecretAnswer = (remedy: string) =>
  applyDecorators(SetMetadata(SECRET_ANSWER, remedy), ApiExtension('x-secret-answer', true));

interface Recording {
  readonly key: string;
  /** See `SecretAnswer`. */
  readonly remedy: string | undefined;
  /** Names of the headers that are recorded. */
  readonly recorded: readonly string[];
}

type Outcome = { answer: RecordedAnswer; replayed: boolean } | { refusal: DomainError };

/**
 * `Idempotency-Key` on every POST (docs/contract.md, "Idempotency"). The answer is recorded in the transaction of the
 * effect, so both exist or neither does, even if the process dies.
 *
 * Rejections by a rule of the domain are recorded too. A malformed request, or one that must be sent again later
 * (`Retry-After`), had no effect. It is not recorded and may be sent again under its key.
 *
 * A record serves only the API key that made it, with the modules that it had (docs/adr/0006).
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly transactions: Transactions,
    private readonly records: IdempotencyRecords,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RawRequest>();
    const key = request.method === 'POST' ? request.get('idempotency-key') : undefined;
    if (key === undefined) return next.handle();
    if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
      const detail = 'must have 1 to 255 printable ASCII characters';
      throw invalidRequest([{ pointer: 'Idempotency-Key', code: 'header', detail }]);
    }
    const handler = context.getHandler();
    if (this.reflector.get<boolean | undefined>(UNRECORDED, handler)) return next.handle();
    const remedy = this.reflector.get<string | undefined>(SECRET_ANSWER, handler);
    const response = context.switchToHttp().getResponse<Response>();
    const declared = this.reflector.get<string[] | undefined>(ANSWER_HEADERS, handler) ?? [];
    const recorded = [...REPLAYED_HEADERS, ...declared];
    return from(this.once(request, response, { key, remedy, recorded }, next)).pipe(
      map((outcome) => {
        if ('refusal' in outcome) throw outcome.refusal;
        const { answer, replayed } = outcome;
        response.status(answer.status);
        for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
        if (replayed) response.setHeader('Idempotent-Replayed', 'true');
        return answer.body;
      }),
    );
  }

  private async once(
    request: RawRequest,
    response: Response,
    { key, remedy, recorded }: Recording,
    next: CallHandler,
  ): Promise<Outcome> {
    const tenantId = request.caller?.tenantId;
    const scope: Scope = tenantId ? { tenantId } : ADMINISTRATION;
    const owner = tenantId ?? NO_TENANT;
    const fingerprint = fingerprintOf(request);
    return this.transactions.run(scope, async () => {
      // Look up before locking, because repetitions of a finished request need not wait for each other.
      const done = await this.replay(owner, key, fingerprint, remedy);
      if (done) return done;
      if (!(await this.records.lock(owner, key))) {
        throw new DomainError(IDEMPOTENCE.EnCours, undefined, { retryAfterSeconds: 1 });
      }
      const justDone = await this.replay(owner, key, fingerprint, remedy);
      if (justDone) return justDone;
      const outcome = await this.perform(response, recorded, next);
      const { body, ...answer } = this.recordable(outcome, request, remedy);
      const sealedBody = this.box.seal(Buffer.from(body), IDEMPOTENCY_SEALED.context(owner, key));
      await this.records.add(owner, key, { ...answer, fingerprint, sealedBody });
      return outcome;
    });
  }

  private async replay(
    owner: string,
    key: string,
    fingerprint: Buffer,
    remedy: string | undefined,
  ): Promise<Outcome | undefined> {
    const known = await this.records.find(owner, key);
    if (!known) return undefined;
    if (!known.fingerprint.equals(fingerprint)) throw new DomainError(IDEMPOTENCE.CleReutilisee);
    if (remedy && known.status < 400) {
      const detail = `This request was done under this Idempotency-Key. Its answer held a secret and was not recorded. ${remedy}`;
      throw new DomainError(IDEMPOTENCE.NonRepetable, detail);
    }
    const body = this.box.open(known.sealedBody, IDEMPOTENCY_SEALED.context(owner, key)).toString();
    const { status, headers } = known;
    return { answer: { status, headers, body }, replayed: true };
  }

  private async perform(
    response: Response,
    recorded: readonly string[],
    next: CallHandler,
  ): Promise<Outcome> {
    try {
      const result = await this.transactions.savepoint(() =>
        lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined }),
      );
      const headers: Record<string, string> = {};
      for (const name of recorded) {
        const value = response.getHeader(name);
        if (typeof value === 'string') headers[name] = value;
      }
      const body = result === undefined ? '' : typeof result === 'string' ? result : JSON.stringify(result);
      return { answer: { status: response.statusCode, headers, body }, replayed: false };
    } catch (error) {
      if (
        error instanceof DomainError &&
        error.definition !== REQUETE.Invalide &&
        error.members.retryAfterSeconds === undefined &&
        error.definition.status < 500
      ) {
        return { refusal: error };
      }
      throw error;
    }
  }

  /** Returns what is recorded of an outcome: a secret answer without headers and body. */
  private recordable(outcome: Outcome, request: CallerRequest, remedy: string | undefined): RecordedAnswer {
    if ('answer' in outcome) {
      const { answer } = outcome;
      return remedy ? { status: answer.status, headers: {}, body: '' } : answer;
    }
    const problem = problemOf(outcome.refusal, traceOf(request), this.config.publicUrl);
    return {
      status: problem.status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8' },
      body: JSON.stringify(problem),
    };
  }
}

/** Digest of a request and of the rights that it was sent with: the API key and its modules. */
function fingerprintOf({ caller, method, originalUrl, rawBody }: RawRequest): Buffer {
  const rights = [caller?.cleId, ...[...(caller?.modules ?? [])].sort()].join(' ');
  return createHash('sha256')
    .update(`${rights}\n${method} ${originalUrl}\n`)
    .update(rawBody ?? '')
    .digest();
}
