import type { Actor } from '#platform/audit/actor';
import { NO_TENANT } from '#platform/database/scope';

/** The actor of the worker's own findings: no key is named. */
export const WORKER: Actor = { cleId: NO_TENANT, requestId: '' };
