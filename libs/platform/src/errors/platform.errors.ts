import { type ErrorDefinition, errorsOf } from './error-definition';

export const REQUETE = errorsOf('Requete', {
  Invalide: {
    status: 400,
    title: 'Invalid request',
    description:
      'The request does not have the documented form. `errors` lists each fault with a pointer to its place: correct them and send it again.',
  },
  MethodeNonPermise: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path exists, but not with this method. The header Allow lists the methods that it has.',
  },
  TypeNonSupporte: {
    status: 415,
    title: 'Unsupported media type',
    description: 'The body is not JSON in UTF-8. Send Content-Type: application/json.',
  },
  TropVolumineuse: {
    status: 413,
    title: 'Request too large',
    description:
      'The request is larger than this operation accepts: 1 MB, which an image of a signature (512 KiB) fits into; for a sync 64 MB, 250,000 records and 400,000 nested ones. Send less at a time.',
  },
  Interrompue: {
    status: 408,
    title: 'Request not completed',
    description: 'The body did not arrive whole or in time. Send the request again.',
  },
});

export const DEBIT = errorsOf('Debit', {
  Depasse: {
    status: 429,
    title: 'Too many requests',
    description:
      "The key's requests of this minute are used up, or another budget, which the detail names. Wait for the seconds in Retry-After. After 100 refusals in a minute each further one is delayed by up to 5 s.",
  },
});

export const RESSOURCE = errorsOf('Ressource', {
  NotFound: {
    status: 404,
    title: 'Not found',
    description: 'No operation has this method and path. See /docs for those that exist.',
  },
});

export const PRECONDITION = errorsOf('Precondition', {
  Echouee: {
    status: 412,
    title: 'Precondition failed',
    description:
      'The resource has changed since the version named in If-Match. Read it again, reapply the change, send the new ETag.',
  },
});

export const IDEMPOTENCE = errorsOf('Idempotence', {
  CleReutilisee: {
    status: 422,
    title: 'Idempotency key reused',
    description:
      'This Idempotency-Key was sent before with another request, by another API key, or before the modules of the key changed. Use a new Idempotency-Key for each operation, and the same one only to repeat it. If you changed the API key in between, read whether the request was done before you send it again.',
  },
  EnCours: {
    status: 409,
    title: 'Request still running',
    description:
      'A request with this Idempotency-Key is still running. Repeat after a moment to get its answer.',
  },
  NonRepetable: {
    status: 409,
    title: 'Answer not repeatable',
    description:
      'The request was done under this Idempotency-Key, and is not done twice. Its answer held a secret, which is not recorded: read the list to find what was made. Rotate the secret of an endpoint; revoke a key and issue another.',
  },
});

export const SERVICE = errorsOf('Service', {
  Indisponible: {
    status: 503,
    title: 'Service unavailable',
    description:
      'The database is out of reach or busy, or the operation ran past 30 s and was undone. Nothing was changed unless the detail says so: repeat after a moment.',
  },
  ErreurInterne: {
    status: 500,
    title: 'Internal error',
    description: 'A fault of the service. Nothing was changed. Quote the traceId to the operator.',
  },
});

export const ESPACE_DONNEES = errorsOf('EspaceDonnees', {
  EnDeplacement: {
    status: 503,
    title: 'Data space being moved',
    description:
      'The data space is being moved to another database, which takes less than a minute. Nothing was changed. Reads go on; repeat the write after the seconds in Retry-After.',
  },
});

/** Errors of every operation. */
export const PLATFORM_ERRORS = [
  REQUETE,
  DEBIT,
  RESSOURCE,
  PRECONDITION,
  IDEMPOTENCE,
  SERVICE,
  ESPACE_DONNEES,
].flatMap((errors: Readonly<Record<string, ErrorDefinition>>) => Object.values(errors));
