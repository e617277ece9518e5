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
import { from, lastValueFrom, mergeMap, Observable, of, throwError } from 'rxjs';
import type { AuthenticatedRequest } from '../access/requires.decorator';
import { Config } from '../config/config';
import { SecretBox } from '../crypto/secret-box';
import { IdempotencyRecords, RecordedAnswer } from '../database/idempotency-records';
import { ADMINISTRATION, NO_TENANT, Scope, Transactions } from '../database/transactions';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { ERROR_CODES } from '../errors/error-codes';
import type { RawRequest } from './body.interceptor';
import { problemOf } from './problem.filter';
import { traceOf } from './tracing';

/** Headers of an answer that belong to its content and are replayed with it. */
const REPLAYED_HEADERS = ['content-type', 'location', 'etag', 'preference-applied'] as const;

const UNREPEATABLE = 'mandat:unrepeatable';

/** For a POST of which nothing may be recorded but its effect: an `Idempotency-Key` is accepted and has no effect. */
export const Unrepeatable = () =>
  applyDecorators(SetMetadata(UNREPEATABLE, true), ApiExtension('x-unrepeatable', true));

type Outcome = { answer: RecordedAnswer; replayed: boolean } | { refusal: DomainError };

/**
 * `Idempotency-Key` on every POST (decisions, section 3). The answer is recorded in the transaction of the effect:
 * there is never an effect without its record nor a record without its effect, whenever the process dies.
 *
 * Refusals by a rule of the domain are recorded too. A request that is malformed had no effect and is not: it may be
 * corrected and sent again under its key.
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
    if (this.reflector.get<boolean>(UNREPEATABLE, context.getHandler())) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return from(this.once(request, response, key, next)).pipe(
      mergeMap((outcome) => {
        if ('refusal' in outcome) return throwError(() => outcome.refusal);
        const { answer, replayed } = outcome;
        response.status(answer.status);
        for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
        if (replayed) response.setHeader('Idempotent-Replayed', 'true');
        return of(answer.body);
      }),
    );
  }

  private async once(
    request: RawRequest,
    response: Response,
    key: string,
    next: CallHandler,
  ): Promise<Outcome> {
    const tenantId = request.caller?.tenantId;
    const scope: Scope = tenantId ? { tenantId } : ADMINISTRATION;
    const owner = tenantId ?? NO_TENANT;
    const fingerprint = createHash('sha256')
      .update(`${request.method} ${request.originalUrl}\n`)
      .update(request.rawBody ?? '')
      .digest();
    return this.transactions.run(scope, async () => {
      // Looked up first: repetitions of what is done do not wait for each other.
      const done = await this.replay(owner, key, fingerprint);
      if (done) return done;
      if (!(await this.records.lock(owner, key))) {
        throw new DomainError('Idempotence.EnCours', ERROR_CODES['Idempotence.EnCours'].description, {
          retryAfterSeconds: 1,
        });
      }
      const justDone = await this.replay(owner, key, fingerprint);
      if (justDone) return justDone;
      const outcome = await this.perform(response, next);
      const answer = 'refusal' in outcome ? this.refusalAnswer(outcome.refusal, request) : outcome.answer;
      const sealedBody = this.box.seal(Buffer.from(answer.body), `idempotency ${owner} ${key}`);
      await this.records.add(owner, key, {
        fingerprint,
        status: answer.status,
        headers: answer.headers,
        sealedBody,
      });
      return outcome;
    });
  }

  private async replay(owner: string, key: string, fingerprint: Buffer): Promise<Outcome | undefined> {
    const known = await this.records.find(owner, key);
    if (!known) return undefined;
    if (!known.fingerprint.equals(fingerprint)) {
      throw new DomainError(
        'Idempotence.CleReutilisee',
        ERROR_CODES['Idempotence.CleReutilisee'].description,
      );
    }
    const body = this.box.open(known.sealedBody, `idempotency ${owner} ${key}`).toString();
    return { answer: { status: known.status, headers: known.headers, body }, replayed: true };
  }

  private async perform(response: Response, next: CallHandler): Promise<Outcome> {
    try {
      const result = await this.transactions.savepoint(() =>
        lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined }),
      );
      const headers: Record<string, string> = {};
      for (const name of REPLAYED_HEADERS) {
        const value = response.getHeader(name);
        if (typeof value === 'string') headers[name] = value;
      }
      const body = result === undefined ? '' : typeof result === 'string' ? result : JSON.stringify(result);
      return { answer: { status: response.statusCode, headers, body }, replayed: false };
    } catch (error) {
      if (
        error instanceof DomainError &&
        error.code !== 'Requete.Invalide' &&
        ERROR_CODES[error.code].status < 500
      ) {
        return { refusal: error };
      }
      throw error;
    }
  }

  private refusalAnswer(refusal: DomainError, request: AuthenticatedRequest): RecordedAnswer {
    const problem = problemOf(refusal, traceOf(request), this.config.publicUrl);
    return {
      status: problem.status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8' },
      body: JSON.stringify(problem),
    };
  }
}
