import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes';
import { ProblemItem } from './problem.dto';

/** What an operation promises, for the OpenAPI document. */
export interface AnswerOptions {
  summary: string;
  description?: string;
  /** Status of success; 200 if absent. */
  status?: number;
  /** Class of the answer, in brackets for a list of them; absent for an answer without body. */
  type?: Type | [Type];
  /** Codes that this operation may answer beside those that any operation may. */
  errors?: ErrorCode[];
  /** The answer names the new resource in `Location`. */
  location?: boolean;
  /** The answer carries an `ETag`, and a read honours `If-None-Match`. */
  etag?: boolean;
  /** The write honours `If-Match`. */
  ifMatch?: boolean;
  /** The list takes `limite` and `curseur` and answers `Link`. */
  paged?: boolean;
}

/** Codes that the guards, the parser and the database may answer on every operation with a key. */
const EVERYWHERE: ErrorCode[] = [
  'Requete.Invalide',
  'Cle.Invalide',
  'Cle.RoleInsuffisant',
  'Debit.Depasse',
  'Service.ErreurInterne',
  'Service.Indisponible',
];

/** Declares the answers of an operation: its documentation, and its status of success. */
export function Answers(options: AnswerOptions): MethodDecorator {
  const status = options.status ?? 200;
  const codes = [
    ...new Set([
      ...EVERYWHERE,
      ...(options.ifMatch ? (['Precondition.Echouee'] as const) : []),
      ...(options.errors ?? []),
    ]),
  ];
  return applyDecorators(
    HttpCode(status),
    ApiOperation({
      summary: options.summary,
      ...(options.description ? { description: options.description } : {}),
    }),
    ApiResponse({ status, description: 'Success', ...typeOf(options.type), headers: headersOf(options) }),
    ...[...new Set(codes.map((code) => ERROR_CODES[code].status as number))].map((errorStatus) =>
      ApiResponse({
        status: errorStatus,
        description: codes
          .filter((code) => ERROR_CODES[code].status === errorStatus)
          .map((code) => `\`${code}\`: ${ERROR_CODES[code].description}`)
          .join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemItem' } } },
      }),
    ),
    ...(options.ifMatch
      ? [
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
        ]
      : []),
    ApiExtension('x-codes', codes),
  );
}

function typeOf(type: AnswerOptions['type']): { type?: Type; isArray?: boolean } {
  if (!type) return {};
  return Array.isArray(type) ? { type: type[0], isArray: true } : { type };
}

function headersOf(
  options: AnswerOptions,
): Record<string, { description: string; schema: { type: 'string' } }> {
  const header = (description: string) => ({ description, schema: { type: 'string' as const } });
  return {
    ...(options.location ? { Location: header('Path of the new resource.') } : {}),
    ...(options.etag ? { ETag: header('Version of the resource.') } : {}),
    ...(options.paged ? { Link: header('The next page, rel="next", if there is one (RFC 8288).') } : {}),
  };
}

/** Components that every OpenAPI document needs beside those its operations name. */
export const COMMON_MODELS: Type[] = [ProblemItem];
