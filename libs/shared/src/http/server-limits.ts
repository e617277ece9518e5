import type { Server } from 'node:http';

/** Time limits of a server behind a load balancer whose idle connections live up to a minute. */
export function limitServer(server: Server): void {
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 66_000;
  server.requestTimeout = 120_000;
  server.setTimeout(120_000);
}
