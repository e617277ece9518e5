import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Injection token of the process's logger: JSON lines, no personal data, no secrets. */
export const LOGGER = Symbol('logger');

/** Lets the framework's own messages go through our log; its routine ones are only worth debugging. */
export class FrameworkLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error({ context: rest.at(-1) }, String(message));
  }
}
