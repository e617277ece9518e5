import { PRECONDITION } from '../errors/platform.errors';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Header,
  HttpCode,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import type { Json } from '../database/json';
import type { ErrorDefinition } from '../errors/error-definition';
import { TAKES_IF_MATCH } from '../input/request-parts.decorator';
import { csvHeader, OffersCsv } from './csv';
import { EtagInterceptor } from './etag';
import { CONTENT_LANGUAGE } from './language';

/** Responses of an operation, for the OpenAPI document. */
export interface AnswerOptions {
  summary: string;
  description?: string;
  /** Status of success; 200 if absent. */
  status?: number;
  /** Class of the answer, in brackets for a list of them; absent for an answer without body. */
  type?: Type | [Type];
  /** Media type of an answer that is not JSON. */
  content?: string;
  /** Classes of an answer that is of one of several shapes. */
  anyOf?: Type[];
  /** The path that replaces this operation, which answers `Deprecation` and a link to it. */
  successor?: string;
  /** Class of the answer 202 of an operation that can be done in the background. The handler returns an `Accepted` then. */
  accepted?: Type;
  /** An answer, if one that has the examples of all properties would contradict itself. */
  example?: object;
  /** An example of the answer 202, if its properties' examples would contradict each other. */
  acceptedExample?: object;
  /** Parts of the path by name. The demonstration tenant has the examples. */
  path?: Record<string, { description: string; example: string; format?: 'uuid' }>;
  /** A body that the demonstration tenant accepts, if it would reject the example of the schema. */
  bodyExample?: object;
  /** Errors that this operation may answer beside those that any operation may. */
  errors?: ErrorDefinition[];
  /** The handler returns a `Located`; the answer names the new resource in `Location`. */
  location?: boolean;
  /** Descriptions of further headers by name. The handler returns a `WithHeaders` if the answer has them. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The handler returns JSON text, or a `Listing` whose list has a state; the answer carries its `ETag`, and a read honours
   * `If-None-Match`.
   */
  etag?: boolean;
  /** The write honours `If-Match`. */
  ifMatch?: boolean;
  /** The answer has messages in the language of the caller, and says so in `Content-Language`. */
  messages?: boolean;
  /** The handler returns a `Listing`, which takes `limite` and `curseur` and answers `Link`. */
  paged?: boolean;
  /** The operation offers its list as CSV, in a file of this name; or rows of another class, if the handler returns their records. */
  csv?: { file: string; row?: Type };
}

/** Declares the answers of an operation: its documentation, its status of success, and how its result is sent. */
export function Answers(options: AnswerOptions): MethodDecorator {
  const status = options.status ?? 200;
  return applyDecorators(
    HttpCode(status),
    ...(options.etag && !options.paged ? [UseInterceptors(EtagInterceptor)] : []),
    // After `EtagInterceptor`, which thus gets the item itself.
    ...(options.location || options.accepted ? [UseInterceptors(LocationInterceptor)] : []),
    ...(options.headers
      ? [UseInterceptors(HeadersInterceptor), SetMetadata(ANSWER_HEADERS, Object.keys(options.headers))]
      : []),
    ApiOperation({
      summary: options.summary,
      ...(options.description ? { description: options.description } : {}),
      ...(options.successor ? { deprecated: true } : {}),
    }),
    ...(options.anyOf ? [ApiExtraModels(...options.anyOf)] : []),
    ...csvOf(options),
    ...(options.successor
      ? [
          Header('Deprecation', DEPRECATED_SINCE),
          Header('Link', `<${options.successor}>; rel="successor-version"`),
        ]
      : []),
    ApiResponse({
      status,
      description: SUCCESS[status] ?? 'Success',
      ...(options.type && !options.csv ? { type: options.type } : {}),
      ...(options.example && !options.csv ? { example: options.example } : {}),
      ...(options.content
        ? { content: { [options.content]: { schema: { type: 'string', format: 'binary' } } } }
        : {}),
      ...(options.anyOf
        ? { schema: { anyOf: options.anyOf.map((type) => ({ $ref: getSchemaPath(type) })) } }
        : {}),
      headers: headersOf(options),
      ...(options.csv ? { content: contentOf(options) } : {}),
    }),
    ...(options.accepted
      ? [
          ApiHeader({
            name: 'Prefer',
            required: false,
            description:
              '`respond-async`: return 202 with a task at once, and do the request in the background.',
            schema: { type: 'string' },
          }),
          ApiResponse({
            status: 202,
            description: SUCCESS[202]!,
            type: options.accepted,
            ...(options.acceptedExample ? { example: options.acceptedExample } : {}),
            headers: {
              ...headersOf({ ...options, location: true, messages: false, headers: {} }),
              ...PREFERENCE_APPLIED,
            },
          }),
        ]
      : []),
    ...Object.entries(options.path ?? {}).map(([name, { description, ...part }]) =>
      ApiParam({
        name,
        description,
        schema: { type: 'string', ...(part.format ? {} : { minLength: 1, maxLength: 255 }), ...part },
      }),
    ),
    ...(options.bodyExample ? [ApiExtension('x-body-example', options.bodyExample)] : []),
    ...(options.ifMatch
      ? [
          SetMetadata(TAKES_IF_MATCH, true),
          ApiHeader({
            name: 'If-Match',
            required: false,
            description: 'ETag of the version that may be changed; 412 when stale.',
          }),
        ]
      : []),
    ...(options.etag && !options.ifMatch && status === 200
      ? [
          ApiHeader({
            name: 'If-None-Match',
            required: false,
            description: 'ETag of the version already held; 304 when unchanged.',
          }),
          ApiResponse({
            status: 304,
            description: 'Unchanged since the version named in `If-None-Match`; no body.',
            headers: headersOf({ summary: options.summary, etag: true }),
          }),
        ]
      : []),
    ApiExtension(
      'x-codes',
      [...(options.ifMatch ? [PRECONDITION.Echouee] : []), ...(options.errors ?? [])].map(({ code }) => code),
    ),
  );
}

/** The class of an item, and of a row of CSV. */
function classesOf({ type, csv }: AnswerOptions): [item: Type, row: Type] {
  const item = [type!].flat()[0]!;
  return [item, csv?.row ?? item];
}

function csvOf(options: AnswerOptions): MethodDecorator[] {
  if (!options.csv) return [];
  const [item, row] = classesOf(options);
  return [OffersCsv(options.csv.file, row), ApiExtraModels(item)];
}

/** The media types of an operation that offers CSV. */
function contentOf(options: AnswerOptions) {
  const [item, row] = classesOf(options);
  const $ref = getSchemaPath(item);
  const columns = csvHeader(row)
    .map((name) => `\`${name}\``)
    .join(', ');
  return {
    'application/json': {
      schema: Array.isArray(options.type) ? { type: 'array' as const, items: { $ref } } : { $ref },
      ...(options.example ? { example: options.example } : {}),
    },
    'text/csv': {
      schema: { type: 'string' as const, description: `A header row, then the rows. Columns: ${columns}.` },
    },
  };
}

/** The result of a handler that declares `location`. */
export class Located<T = Json> {
  /** @param path value of `Location` */
  constructor(
    readonly path: string,
    readonly item: T,
  ) {}
}

/** The result of a handler that does the request in the background: the item that shows its progress. */
export class Accepted extends Located {}

/** Returns whether the header (RFC 7240) asks for a response before the request is done. */
export function prefersAsync(prefer: string | undefined): boolean {
  return (prefer ?? '').split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}

/** Sends the item of a `Located`, with its path in `Location`; other results as they are. */
class LocationInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((result: unknown) => {
        if (!(result instanceof Located)) return result;
        const response = context.switchToHttp().getResponse<Response>().location(result.path);
        if (result instanceof Accepted) response.status(202).setHeader('Preference-Applied', 'respond-async');
        return result.item as unknown;
      }),
    );
  }
}

/** Metadata of a handler: names of the headers that its answers declare. They are replayed with the answer. */
export const ANSWER_HEADERS = 'mandat:answer-headers';

/** The result of a handler that declares `headers`. */
export class WithHeaders<T> {
  constructor(
    readonly headers: Readonly<Record<string, string>>,
    readonly item: T,
  ) {}
}

/** Sends the item of a `WithHeaders` with its headers; other results as they are. */
class HeadersInterceptor<T> implements NestInterceptor<T | WithHeaders<T>, T> {
  intercept(context: ExecutionContext, next: CallHandler<T | WithHeaders<T>>): Observable<T> {
    return next.handle().pipe(
      map((result) => {
        if (!(result instanceof WithHeaders)) return result;
        const response = context.switchToHttp().getResponse<Response>();
        for (const [name, text] of Object.entries(result.headers)) response.setHeader(name, text);
        return result.item;
      }),
    );
  }
}

/** Date of deprecation by V2, in the format of structured fields (RFC 9745): 2026-01-01. */
const DEPRECATED_SINCE = '@1767225600';

const PREFERENCE_APPLIED = {
  'Preference-Applied': {
    description: '`respond-async` (RFC 7240).',
    schema: { type: 'string' as const },
  },
};

const SUCCESS: Readonly<Record<number, string>> = {
  201: 'Created',
  202: 'Will be done in the background',
  204: 'Done; no body',
};

function headersOf(
  options: AnswerOptions,
): Record<string, { description: string; schema: { type: 'string' } }> {
  const header = (description: string) => ({ description, schema: { type: 'string' as const } });
  return {
    ...(options.location ? { Location: header('Path of the new resource, or of what it is part of.') } : {}),
    ...(options.etag
      ? { ETag: header(options.paged ? 'Weak: the state of the data space.' : 'Version of the resource.') }
      : {}),
    ...Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, description]) => [name, header(description)]),
    ),
    ...(options.messages ? CONTENT_LANGUAGE : {}),
    ...(options.successor
      ? { Deprecation: header('Since when the operation is deprecated (RFC 9745).') }
      : {}),
    ...(options.paged || options.successor
      ? {
          Link: header(
            [
              ...(options.paged ? ['The next page, rel="next", if there is one (RFC 8288).'] : []),
              ...(options.successor ? ['What replaces the operation, rel="successor-version".'] : []),
            ].join(' '),
          ),
        }
      : {}),
  };
}
