import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { CallerRequest } from '../limits/caller';
import type { HttpMetrics } from '../ops/metrics';
import { RequestTimes } from '../limits/request-times';
import { type Span, Spans } from '../ops/spans';
import { isIntended } from './intended';
import { startTrace } from './tracing';

/** Routes of probes, which are not logged or traced. */
const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * The first middleware: gives each request its ids and its times, and when it ends one log line, one measurement and one span. The line holds
 * the route's pattern and never the address, whose parts are identifiers of people.
 */
export function requestLog(logger: Logger, metrics: HttpMetrics, spans: Spans) {
  return (request: CallerRequest, response: Response, next: NextFunction): void => {
    const start = performance.now();
    const isTraced = spans.isOn && !PROBES.has(request.path);
    const { trace, span } = startTrace(request, response, isTraced ? spans : undefined);
    metrics.started();
    response.on('close', () => {
      const durationMs = performance.now() - start;
      const route = routeOf(request);
      const status = response.statusCode;
      metrics.finished(request.method, route, status, isIntended(response) ? undefined : durationMs);
      if (span) endSpan(span, request, route, status);
      if (PROBES.has(route)) return;
      logger.info(
        {
          ...trace,
          method: request.method,
          route,
          status,
          durationMs: Math.round(durationMs * 10) / 10,
          aborted: response.writableFinished ? undefined : true,
          cleId: request.caller?.cleId,
          tenantId: request.caller?.tenantId,
        },
        'request',
      );
    });
    const times = new RequestTimes(start);
    if (span) Spans.within(span, () => times.run(next));
    else times.run(next);
  };
}

function endSpan(span: Span, { method, caller }: CallerRequest, route: string, status: number): void {
  const facts = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(caller?.tenantId === undefined ? {} : { 'mandat.tenant.id': caller.tenantId }),
  };
  span.tell(facts, `${method} ${route}`);
  span.end(status >= 500 ? String(status) : undefined);
}

/** The pattern that matched, such as `/b2b/v1/employe/:idExterne`; one name for everything that matched nothing. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}
