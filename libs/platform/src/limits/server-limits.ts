import type { Server } from 'node:http';

/** The longest that a request may take to arrive. */
export const REQUEST_MS = 120_000;

/** Time limits of a server behind a load balancer whose idle connections live up to a minute. */
export function limitServer(server: Server): void {
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 66_000;
  server.requestTimeout = REQUEST_MS;
  server.setTimeout(120_000);
}
