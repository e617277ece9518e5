import { ACCESS_ERRORS } from '#access/access.errors';
import { ADHESION_ERRORS } from '#adhesion';
import { CLIENTS_ERRORS } from '#clients';
import { CONSENT_ERRORS } from '#consent';
import { HORLOGE_ERRORS, PANNE_ERRORS } from '#essai';
import { MEETING_ERRORS } from '#meeting';
import { MEMBERSHIP_ERRORS } from '#membership';
import { MESSAGING_ERRORS } from '#messaging';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { PLATFORM_ERRORS } from '#platform/errors/platform.errors';
import { SYNC_ERRORS } from '#sync';
import { VOTING_ERRORS } from '#voting';
import { WEBHOOKS_ERRORS } from '#webhooks';

/** Every error of every surface by its code, in the order of the error page. */
export const ERRORS: ReadonlyMap<string, ErrorDefinition> = new Map(
  [
    ACCESS_ERRORS,
    CLIENTS_ERRORS,
    PLATFORM_ERRORS,
    MEMBERSHIP_ERRORS,
    CONSENT_ERRORS,
    ADHESION_ERRORS,
    SYNC_ERRORS,
    VOTING_ERRORS,
    MEETING_ERRORS,
    MESSAGING_ERRORS,
    WEBHOOKS_ERRORS,
    HORLOGE_ERRORS,
    PANNE_ERRORS,
  ].flatMap((definitions) => definitions.map((definition) => [definition.code, definition])),
);
