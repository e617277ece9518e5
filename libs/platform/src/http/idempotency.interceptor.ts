import { DEBIT, IDEMPOTENCE, REQUETE } from '../errors/platform.errors';
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
import type { CallerRequest } from '../limits/caller';
import { Config } from '../ops/config';
import { inTurn } from '../limits/list-parts';
import { SecretBox } from '../ops/secret-box';
import { BUDGETS } from '../limits/budgets';
import { IDEMPOTENCY_SEALED, IdempotencyRecords, LONG_ANSWER } from '../database/idempotency-records';
import { ADMINISTRATION, NO_TENANT } from '../database/scope';
import { Transactions } from '../database/transactions';
import { DomainError, invalidRequest } from '../errors/domain-error';
import type { RawRequest } from './body.interceptor';
import { Streamed } from './streamed';
import { languageOf } from './language';
import { problemOf } from './problem.filter';
import { traceOf } from './tracing';
import { fr, type Text } from '../errors/text';

/** Headers of an answer that belong to its content and are replayed with it, besides those that it declares. */
const REPLAYED_HEADERS = [
  'content-type',
  'location',
  'etag',
  'preference-applied',
  'content-language',
  'vary',
] as const;

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
export const SecretAnswer = (remedy: Text) =>
  applyDecorators(SetMetadata(SECRET_ANSWER, remedy), ApiExtension('x-secret-answer', true));

interface Recording {
  readonly key: string;
  /** See `SecretAnswer`. */
  readonly remedy: Text | undefined;
  /** Names of the headers that are recorded. */
  readonly recorded: readonly string[];
}

/** Detail of the 429 for a request whose answer has no room among those of 24 h. */
const FULL: Text = {
  en: `The data space has used up its budget of ${BUDGETS.storedBytes / 2 ** 20} MiB of long recorded answers in 24 h, and nothing was written. Send the request without Idempotency-Key, or later.`,
  fr: fr`L'espace de données a atteint sa limite de ${BUDGETS.storedBytes / 2 ** 20} Mio de longues réponses conservées en 24 h, et rien n'a été écrit. Envoyez la requête sans Idempotency-Key, ou plus tard.`,
};

/** Maximum number of bytes of an answer that is recorded whole. A longer one is recorded in parts. */
const MOST_WHOLE = 2 ** 20;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Streamed;
}

type Outcome = { answer: Answer; replayed: boolean } | { refusal: DomainError };

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
      const detail = {
        en: 'must have 1 to 255 printable ASCII characters',
        fr: fr('doit avoir de 1 à 255 caractères ASCII imprimables'),
      };
      throw invalidRequest([{ pointer: 'Idempotency-Key', code: 'header', detail }]);
    }
    const handler = context.getHandler();
    if (this.reflector.get<boolean | undefined>(UNRECORDED, handler)) return next.handle();
    const remedy = this.reflector.get<Text | undefined>(SECRET_ANSWER, handler);
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
    const scope: TenantOrAdministration = tenantId ? { tenantId } : ADMINISTRATION;
    const owner = ownerOf(scope);
    const fingerprint = fingerprintOf(request);
    return this.transactions.run(scope, async () => {
      // Look up before locking, because repetitions of a finished request need not wait for each other.
      const done = await this.replay(scope, key, fingerprint, remedy);
      if (done) return done;
      if (!(await this.records.lock(owner, key))) {
        throw new DomainError(IDEMPOTENCE.EnCours, undefined, { retryAfterSeconds: 1 });
      }
      const justDone = await this.replay(scope, key, fingerprint, remedy);
      if (justDone) return justDone;
      const outcome = await this.perform(response, recorded, next);
      const { body, ...answer } = this.recordable(outcome, request, remedy);
      const seal = (plain: Uint8Array, under: string): Buffer =>
        this.box.seal(Buffer.from(plain), IDEMPOTENCY_SEALED.context(owner, under));
      const isWhole = typeof body === 'string';
      const sealedBody = seal(Buffer.from(isWhole ? body : ''), key);
      await this.records.add(owner, key, { ...answer, fingerprint, sealedBody });
      let place = 0;
      for await (const part of isWhole ? [] : body.parts()) {
        const under = partKeyOf(key, place++);
        await this.records.addPart(owner, under, seal(part, under));
      }
      const isShort = isWhole && sealedBody.length <= LONG_ANSWER;
      if (!isShort && (await this.records.longBytes(owner)) > BUDGETS.storedBytes)
        throw new DomainError(DEBIT.Depasse, FULL, { retryAfterSeconds: 3_600 });
      return outcome;
    });
  }

  private async replay(
    scope: TenantOrAdministration,
    key: string,
    fingerprint: Buffer,
    remedy: Text | undefined,
  ): Promise<Outcome | undefined> {
    const owner = ownerOf(scope);
    const known = await this.records.find(owner, key);
    if (!known) return undefined;
    if (!known.fingerprint.equals(fingerprint)) throw new DomainError(IDEMPOTENCE.CleReutilisee);
    if (remedy && known.status < 400) {
      const detail = {
        en: `This request was done under this Idempotency-Key. Its answer held a secret and was not recorded. ${remedy.en}`,
        fr: fr`Cette requête a été exécutée avec cette valeur d'Idempotency-Key. Sa réponse contenait un secret et n'a pas été conservée. ${remedy.fr}`,
      };
      throw new DomainError(IDEMPOTENCE.NonRepetable, detail);
    }
    const { status, headers, sealedBody, parts } = known;
    const body =
      parts === 0
        ? this.box.open(sealedBody, IDEMPOTENCY_SEALED.context(owner, key)).toString()
        : new Streamed(() => inTurn(this.transactions.clientOf(scope), this.parts(scope, key, parts)));
    return { answer: { status, headers, body }, replayed: true };
  }

  /** Yields a body that was recorded in parts. */
  private async *parts(
    scope: TenantOrAdministration,
    key: string,
    count: number,
  ): AsyncGenerator<Uint8Array, void> {
    const owner = ownerOf(scope);
    for (let place = 0; place < count; place++) {
      const under = partKeyOf(key, place);
      const sealed = await this.records.part(scope, owner, under);
      if (!sealed) throw new Error('A part of the recorded answer has expired.');
      yield this.box.open(sealed, IDEMPOTENCY_SEALED.context(owner, under));
    }
  }

  private async perform(
    response: Response,
    recorded: readonly string[],
    next: CallHandler,
  ): Promise<Outcome> {
    try {
      const result = await this.transactions.savepoint(() =>
        lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined }).catch(
          (error: unknown) => {
            if (error instanceof DomainError && error.members.hasWritten) return error;
            throw error;
          },
        ),
      );
      if (result instanceof DomainError) return { refusal: result };
      const headers: Record<string, string> = {};
      for (const name of recorded) {
        const value = response.getHeader(name);
        if (typeof value === 'string') headers[name] = value;
      }
      const body = await bodyOf(result);
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
  private recordable(outcome: Outcome, request: CallerRequest, remedy: Text | undefined): Answer {
    if ('answer' in outcome) {
      const { answer } = outcome;
      return remedy ? { status: answer.status, headers: {}, body: '' } : answer;
    }
    const language = languageOf(request);
    const problem = problemOf(outcome.refusal, traceOf(request), this.config.publicUrl, language);
    return {
      status: problem.status,
      headers: {
        'content-type': 'application/problem+json; charset=utf-8',
        'content-language': language,
        vary: 'Accept-Language',
      },
      body: JSON.stringify(problem),
    };
  }
}

type TenantOrAdministration = { readonly tenantId: string } | typeof ADMINISTRATION;

const ownerOf = (scope: TenantOrAdministration): string =>
  scope === ADMINISTRATION ? NO_TENANT : scope.tenantId;

/** Returns the key of a part's record. Keys of requests have no line break. */
const partKeyOf = (key: string, place: number): string => `${key}\n${place}`;

/** Returns the body of a result: text, unless it is a long `Streamed`. */
async function bodyOf(result: unknown): Promise<string | Streamed> {
  if (!(result instanceof Streamed)) {
    if (result === undefined) return '';
    return typeof result === 'string' ? result : JSON.stringify(result);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of result.parts()) {
    bytes += part.length;
    if (bytes > MOST_WHOLE) return result;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Digest of a request and of the rights that it was sent with: the API key and its modules. */
function fingerprintOf({ caller, method, originalUrl, rawBody }: RawRequest): Buffer {
  const rights = [caller?.cleId, ...[...(caller?.modules ?? [])].sort()].join(' ');
  return createHash('sha256')
    .update(`${rights}\n${method} ${originalUrl}\n`)
    .update(rawBody ?? '')
    .digest();
}
