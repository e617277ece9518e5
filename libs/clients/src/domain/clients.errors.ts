import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const CLIENT = errorsOf('Client', {
  NotFound: { status: 404, title: 'Client not found', description: 'No client has this id.' },
  NomDejaUtilise: {
    status: 409,
    title: 'Client name already used',
    description: 'Another client has this name. Choose another name.',
  },
});

export const CELLULE = errorsOf('Cellule', {
  Inconnue: {
    status: 400,
    title: 'Unknown cell',
    description: 'The service has no cell of this name. `GET /admin/v1/cellules` lists them.',
  },
});

/** Errors of clients and cells. */
export const CLIENTS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CLIENT),
  ...Object.values(CELLULE),
];
