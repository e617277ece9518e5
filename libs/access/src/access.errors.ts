import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const CLE = errorsOf('Cle', {
  Invalide: {
    status: 401,
    title: 'Unauthorized',
    description:
      'The X-Api-Key header is missing, or its key is unknown, mistyped, expired or revoked. Send a valid key.',
  },
  RoleInsuffisant: {
    status: 403,
    title: 'Forbidden',
    description:
      'The key is valid, but its role does not give access to this surface. Use a key of the role it needs.',
  },
  NotFound: {
    status: 404,
    title: 'Key not found',
    description: 'The client has no key with this id, or no administrator has one.',
  },
  DerniereAdministration: {
    status: 409,
    title: "Last administrator's key",
    description:
      'No other listed key of an administrator works. Make another one with `npm run cli -- cle-admin`, and then revoke this one.',
  },
  DejaTerminee: {
    status: 409,
    title: 'Key has ended',
    description: 'The key is revoked or has expired, so no key replaces it. Issue a new key.',
  },
});

/** The remedy of `Module.NonActif`, which ends its details. */
export const MODULE_REMEDY = 'Use a key with this module, or ask the operator to enable it.';

export const MODULE = errorsOf('Module', {
  NonActif: {
    status: 403,
    title: 'Forbidden',
    description:
      'The operation belongs to a module (member `module`) that the client does not have or the key excludes. Ask the operator to enable it.',
  },
});

/** Errors of keys and the modules they open. */
export const ACCESS_ERRORS: readonly ErrorDefinition[] = [...Object.values(CLE), ...Object.values(MODULE)];
