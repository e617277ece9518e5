import type { Response } from 'express';

/**
 * Notes that a failure or delay is wanted: a caller has asked for it, or the process stops. It is no fault of the service, so measurements
 * and error logs omit it.
 */
export function intend(response: Response): void {
  response.locals.isIntended = true;
}

export function isIntended(response: Response): boolean {
  return response.locals.isIntended === true;
}
