import type { INestApplication } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connectionFault } from '../errors/sql-errors';
import { ConfigError } from './config-error';
import { Lifecycle } from './lifecycle';

/** A process ready to listen. */
export interface ReadyProcess {
  app: INestApplication;
  logger: Logger;
  /** Address that it listens on; every address of the machine if undefined. */
  host: string | undefined;
  port: number;
  /** How long requests are still served once a stop has begun, in milliseconds. */
  stopDelayMs: number;
}

/** A stop that takes longer is cut short: work that is not committed is undone by the database. */
export const LONGEST_STOP_MS = 40_000;

/** Starts a process and stops it in order; a start that fails says why in one line and exits with 1. */
export function runProcess(prepare: () => Promise<ReadyProcess>): void {
  void (async () => {
    const { app, logger, host, port, stopDelayMs } = await prepare();
    stopInOrder(app, logger, stopDelayMs);
    await (host === undefined ? app.listen(port) : app.listen(port, host));
    logger.info({ host, port }, 'listening');
    // The launcher of `npm start` waits for this.
    process.send?.('listening');
  })().catch((error: unknown) => {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(1);
  });
}

/** Returns why a process or a command could not begin, in one line where the operator can mend it. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const fault = connectionFault(error);
  if (fault !== undefined)
    return `The database of DATABASE_URL cannot be used (${fault}): check the address, the login, and that PostgreSQL runs there.`;
  const { code, message, address, port, stack } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') return `Port ${port} is in use: set PORT (and WORKER_PORT) to free ones.`;
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is not an address of this machine.`;
  if (code === '28000' || code === '42501' || /role "mandat_app"/.test(message)) {
    return `The database is not migrated, or its user may not act as mandat_app: run the migrations (${message}).`;
  }
  return stack ?? message;
}

/**
 * Stops on SIGTERM and SIGINT: readiness refuses first, requests are served until load balancers have noticed, the
 * running ones are finished, then the connections close.
 */
function stopInOrder(app: INestApplication, logger: Logger, delayMs: number): void {
  let begun = false;
  const stop = async (signal: string): Promise<void> => {
    if (begun) return;
    begun = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), LONGEST_STOP_MS + delayMs).unref();
    app.get(Lifecycle).stop();
    await wait(delayMs);
    await app.close();
    logger.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // The launcher of `npm start` has died, so this process must stop itself.
  process.on('disconnect', () => void stop('disconnect'));
}
