import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const CLIENT = errorsOf('Client', {
  NotFound: { status: 404, title: 'Client not found', description: 'No client has this id.' },
  NomDejaUtilise: {
    status: 409,
    title: 'Client name already used',
    description: 'Another client has this name. Choose another name.',
  },
});

/** Errors of clients. */
export const CLIENTS_ERRORS: readonly ErrorDefinition[] = Object.values(CLIENT);
