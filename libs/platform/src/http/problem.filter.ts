import { ESPACE_DONNEES, REQUETE, RESSOURCE, SERVICE } from '../errors/platform.errors';
import {
  ArgumentsHost,
  Catch,
  ExceptionFilter,
  HttpException,
  Inject,
  NotFoundException,
} from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import type { CallerRequest } from '../limits/caller';
import { Config } from '../ops/config';
import { isBeingMoved, isUnavailable, OutcomeUnknown, ranOutOfSpace, sqlState } from '../errors/sql-errors';
import { DomainError } from '../errors/domain-error';
import type { ErrorDefinition } from '../errors/error-definition';
import { fr, type Language, type Text } from '../errors/text';
import { LOGGER } from '../ops/logger';
import { JsonFault } from '../input/json-rows';
import { FloodDelay } from '../limits/flood-delay';
import { invalidJson } from '../input/parse-body';
import { isIntended } from './intended';
import { announceLanguage, languageOf } from './language';
import type { ProblemItem } from './problem.dto';
import { type Trace, traceOf } from './tracing';

/** Errors that the framework throws before any code of ours runs, by their status. */
const ERROR_OF_STATUS: Record<number, ErrorDefinition> = {
  400: REQUETE.Invalide,
  404: RESSOURCE.NotFound,
  408: REQUETE.Interrompue,
  413: REQUETE.TropVolumineuse,
  415: REQUETE.TypeNonSupporte,
};

const OUTCOME_UNKNOWN: Text = {
  en: 'The database was lost while it confirmed the change, which may have been made. Read it before you repeat it; a repeat under the same Idempotency-Key is safe.',
  fr: fr(
    'La base de données a été perdue pendant qu’elle confirmait la modification, qui a pu être faite. Vérifiez-la avant de la répéter; une répétition avec la même valeur d’Idempotency-Key est sans risque.',
  ),
};

const OUT_OF_SPACE: Text = {
  en: 'The database has no room left on its disk. Nothing was changed, and the request is not at fault: repeat it once there is space again.',
  fr: fr(
    'Le disque de la base de données est plein. Rien n’a été modifié, et la requête n’est pas en cause : répétez-la lorsqu’il y aura de nouveau de l’espace.',
  ),
};

const UNREADABLE: Text = {
  en: 'The address or the body of the request cannot be read.',
  fr: fr('L’adresse ou le corps de la requête ne peut pas être lu.'),
};

/** Turns anything thrown into a domain error: known refusals keep their code, the unknown says nothing of the inside. */
function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  // Found while the records of a body were walked; the transaction around it has been rolled back.
  if (error instanceof JsonFault) return invalidJson(error);
  if (error instanceof OutcomeUnknown) {
    return new DomainError(SERVICE.Indisponible, OUTCOME_UNKNOWN, { retryAfterSeconds: 1 });
  }
  if (ranOutOfSpace(error)) {
    return new DomainError(SERVICE.Indisponible, OUT_OF_SPACE, { retryAfterSeconds: 30 });
  }
  if (isBeingMoved(error))
    return new DomainError(ESPACE_DONNEES.EnDeplacement, undefined, { retryAfterSeconds: 5 });
  if (isUnavailable(error)) {
    return new DomainError(SERVICE.Indisponible, undefined, { retryAfterSeconds: 1 });
  }
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  const definition = ERROR_OF_STATUS[status];
  if (definition === REQUETE.Invalide) return new DomainError(definition, UNREADABLE);
  return new DomainError(definition ?? SERVICE.ErreurInterne);
}

/** Express and its parsers mark their own refusals with a status; anything else is a fault of ours. */
function statusOf(error: unknown): number {
  const { status, expose } = Object(error) as { status?: unknown; expose?: unknown };
  if (error instanceof URIError) return 400;
  return typeof status === 'number' && expose === true ? status : 500;
}

/** Makes the problem details of a refusal. */
export function problemOf(
  error: DomainError,
  trace: Trace,
  publicUrl: string,
  language: Language,
): ProblemItem {
  const { status, title } = error.definition;
  const { errors, module, further } = error.members;
  return {
    type: `${publicUrl}/docs/erreurs#${error.code}`,
    title: title[language],
    status,
    detail: error.detail[language],
    code: error.code,
    instance: `urn:request:${encodeURIComponent(trace.requestId)}`,
    traceId: trace.traceId,
    ...(errors ? { errors: errors.map((fault) => ({ ...fault, detail: fault.detail[language] })) } : {}),
    ...(module ? { module } : {}),
    ...further,
  };
}

/** Maximum bytes read of a refused body: twice the size limit. */
const MOST_DISCARDED = 128 * 2 ** 20;

/**
 * Whether the rest of a refused body is read and thrown away, which Node does on a connection that stays open. Many senders
 * read nothing before they have sent everything: closed under them, they would see a broken connection and no answer.
 */
function isDiscarded(request: CallerRequest, { definition }: DomainError): boolean {
  return definition !== REQUETE.Interrompue && Number(request.headers['content-length']) <= MOST_DISCARDED;
}

interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Returns the methods of a path that exists without the method of the request. */
function otherMethods({ app, method, path }: CallerRequest): string[] {
  const { stack } = (app as unknown as { router: { stack: Layer[] } }).router;
  const routes = stack.filter((layer) => layer.route && layer.match(path));
  const methods = new Set(
    routes.flatMap(({ route }) => Object.keys(route!.methods)).map((name) => name.toUpperCase()),
  );
  if (methods.size === 0 || methods.has(method)) return [];
  if (methods.has('GET')) methods.add('HEAD');
  return methods.has(method) ? [] : [...methods.add('OPTIONS')].sort();
}

/** Counts all callers without a valid key together, because they are indistinguishable. */
const WITHOUT_KEY = 'without a valid key';

/** The single place where errors become answers. Those to refused callers without a key wait (`FloodDelay`). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly config: Config,
    private readonly floodDelay: FloodDelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<CallerRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    const allowed = thrown instanceof NotFoundException ? otherMethods(request) : [];
    if (allowed.length > 0) response.setHeader('Allow', allowed.join(', '));
    const error = allowed.length > 0 ? new DomainError(REQUETE.MethodeNonPermise) : toDomainError(thrown);
    const { status } = error.definition;
    if (status >= 500 && !isIntended(response)) this.report(thrown, request);
    if (request.caller || status >= 500) return this.answer(error, request, response);
    void this.floodDelay
      .afterRefusal(WITHOUT_KEY, response)
      .then(() => this.answer(error, request, response));
  }

  private answer(error: DomainError, request: CallerRequest, response: Response): void {
    const { status } = error.definition;
    if (request.method === 'OPTIONS' && status === 405) {
      response.removeHeader('Content-Type');
      response.status(204).end();
      return;
    }
    if (response.headersSent) {
      // A list that fails halfway must not look complete, so the connection breaks.
      response.destroy();
      return;
    }
    // A list may fail before its first compressed bytes are sent. The problem is neither compressed nor a file.
    for (const name of ['Content-Encoding', 'Content-Disposition']) response.removeHeader(name);
    if (error.members.retryAfterSeconds)
      response.setHeader('Retry-After', String(error.members.retryAfterSeconds));
    if (status === 401) response.setHeader('WWW-Authenticate', 'ApiKey header="X-Api-Key"');
    if (!request.complete && !isDiscarded(request, error)) response.setHeader('Connection', 'close');
    const language = languageOf(request);
    announceLanguage(response, language);
    response
      .status(status)
      .type('application/problem+json')
      .send(JSON.stringify(problemOf(error, traceOf(request), this.config.publicUrl, language)));
  }

  /** The message of a database error may quote values of the request, so its SQLSTATE and stack frames stand for it. */
  private report(thrown: unknown, request: CallerRequest): void {
    const { name, stack } = thrown instanceof Error ? thrown : { name: typeof thrown };
    const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
    this.logger.error(
      { ...traceOf(request), kind: name, sqlState: sqlState(thrown), stack: frames?.slice(0, 12) },
      'request failed',
    );
  }
}
