import type { Response } from 'express';

/** Notes that the caller has asked for this failure or delay: it is no fault of the service, so measurements and error logs omit it. */
export function intend(response: Response): void {
  response.locals.isIntended = true;
}

export function isIntended(response: Response): boolean {
  return response.locals.isIntended === true;
}
