import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { CallerRequest } from '../limits/caller';
import type { HttpMetrics } from '../ops/metrics';
import { RequestTimes } from '../limits/request-times';
import { startTrace } from './tracing';

/**
 * The first middleware: gives each request its ids and its times, and when it ends one log line and one measurement. The line holds
 * the route's pattern and never the address, whose parts are identifiers of people.
 */
export function requestLog(logger: Logger, metrics: HttpMetrics) {
  return (request: CallerRequest, response: Response, next: NextFunction): void => {
    const start = performance.now();
    const trace = startTrace(request, response);
    metrics.started();
    response.on('close', () => {
      const durationMs = performance.now() - start;
      const route = routeOf(request);
      const status = response.statusCode;
      metrics.finished(request.method, route, status, durationMs);
      if (route === '/health/live' || route === '/health/ready' || route === '/metrics') return;
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
    new RequestTimes(start).run(next);
  };
}

/** The pattern that matched, such as `/b2b/v1/employe/:idExterne`; one name for everything that matched nothing. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}
