import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Logger } from 'pino';
import { Config } from '../ops/config';
import { FrameworkLogger, LOGGER } from '../ops/logger';
import { Lifecycle } from '../ops/lifecycle';
import { HttpMetrics } from '../ops/metrics';
import { RequestTimes } from '../limits/request-times';
import { Spans } from '../ops/spans';
import { requestLog } from './request-log';
import { limitServer } from '../limits/server-limits';
import { answerUnreadableRequests, requireHost } from './unreadable-requests';

/**
 * Security headers of answers that no browser shows: the ones that OWASP's "REST Security Cheat Sheet" asks for. The
 * others speak of pages, and every header is paid for by every answer.
 */
const HEADERS_OF_DATA: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
};

/** Configures what every HTTP process does before its own routes: logs, headers, limits of the server. */
export function configureHttp(app: NestExpressApplication): void {
  const config = app.get(Config);
  const logger = app.get<Logger>(LOGGER);
  const lifecycle = app.get(Lifecycle);
  app.useLogger(new FrameworkLogger(logger));
  app.disable('x-powered-by');
  app.set('etag', false);
  // `a[b]=c` is a parameter of that name, not a nested object.
  app.set('query parser', 'simple');
  app.use(requestLog(logger, app.get(HttpMetrics), app.get(Spans)));
  const secureHeaders = helmet(HEADERS_OF_DATA);
  const securePage = helmet({
    contentSecurityPolicy: {
      // Swagger UI's pages: their own scripts, inline styles, embedded pictures.
      directives: { ...(config.publicUrl.startsWith('https:') ? {} : { upgradeInsecureRequests: null }) },
    },
  });
  const server = app.getHttpServer();
  /**
   * Adds the headers that are known when an answer begins: `Server-Timing`, and `Connection: close` of a stopping process. Without
   * that, the caller may already have sent its next request when the connection ends.
   */
  const completeHead = (request: Request, response: Response): void => {
    const times = RequestTimes.current!;
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => Response;
    const writeCompleteHead = (...head: unknown[]): Response => {
      response.setHeader('Server-Timing', times.header);
      if (lifecycle.isStopping) response.setHeader('Connection', 'close');
      return writeHead(...head);
    };
    response.writeHead = writeCompleteHead;
    // Closes the connection of a list that began before the stop, because Node closes only idle ones.
    response.on('finish', () => lifecycle.isStopping && !server.listening && request.socket.end());
  };
  app.use((request: Request, response: Response, next: NextFunction) => {
    // Answers contain personal data: shared caches must not store them, and private ones revalidate with the ETag.
    response.setHeader('Cache-Control', 'private, no-cache');
    completeHead(request, response);
    // Pages name their own types.
    if (request.url.startsWith('/docs')) return securePage(request, response, next);
    // Handlers answer JSON text that is already made.
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    return secureHeaders(request, response, next);
  });
  app.use(requireHost);
  limitServer(server);
  answerUnreadableRequests(server, config.publicUrl, logger);
}
