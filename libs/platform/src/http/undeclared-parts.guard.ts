import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { CallerRequest } from '../limits/caller';
import { type InputFault, invalidRequest } from '../errors/domain-error';
import { foldRecord, printable } from '../input/fold';
import { TAKES_IF_MATCH, TAKES_QUERY } from '../input/request-parts.decorator';
import { acceptedCsv, offersCsv } from './csv';
import { fr, type Text } from '../errors/text';

/**
 * Fifth guard: refuses parts of a request that would be ignored silently (docs/contract.md, "Unknown names"): every query parameter of an
 * operation that declares no `@Query`, a parameter that cannot be read, an `If-Match` that the operation does not
 * honour, and a separator of CSV for JSON. InputPipe checks the parameters of the others.
 */
@Injectable()
export class UndeclaredPartsGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, headers, query, url } = context.switchToHttp().getRequest<CallerRequest>();
    // Probes respond whatever is added to their address.
    if (!caller) return true;
    const takes = (part: string): boolean =>
      this.reflector.get<boolean | undefined>(part, context.getHandler()) ?? false;
    const faults = unreadableParameters(url);
    if (headers['if-match'] !== undefined && !takes(TAKES_IF_MATCH)) {
      const detail = {
        en: 'is not honoured by this operation; leave it out',
        fr: fr("n'est pas pris en compte par cette opération; omettez-le"),
      };
      faults.push({ pointer: 'If-Match', code: 'header', detail });
    }
    if (query.separateur !== undefined && offersCsv(context) && !acceptedCsv(context)) {
      const detail = {
        en: 'is for CSV only; send `Accept: text/csv` with it, or leave it out',
        fr: fr('sert au CSV seulement; envoyez-le avec `Accept: text/csv`, ou omettez-le'),
      };
      faults.push({ pointer: '?separateur', code: 'unknown', detail });
    }
    if (!takes(TAKES_QUERY)) foldRecord(query, {}, 'query', '', faults);
    if (faults.length > 0) throw invalidRequest(faults);
    return true;
  }
}

const NOT_ENCODED: Text = {
  en: 'must be UTF-8 in percent-encoding',
  fr: fr('doit être en UTF-8, encodé avec des pourcentages'),
};

/** Express would read them as other text. */
function unreadableParameters(url: string): InputFault[] {
  const [, query] = url.split('?', 2);
  if (!query || /^[!-$&-~]*$/.test(query)) return [];
  return query.split('&').flatMap((parameter) => {
    if (isReadable(parameter)) return [];
    const pointer = `?${printable(parameter.split('=', 1)[0]!)}`;
    return [{ pointer, code: 'encoding', detail: NOT_ENCODED }];
  });
}

function isReadable(parameter: string): boolean {
  if (/[^!-~]/.test(parameter)) return false;
  try {
    decodeURIComponent(parameter);
    return true;
  } catch {
    return false;
  }
}
