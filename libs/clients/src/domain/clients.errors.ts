import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const CLIENT = errorsOf('Client', {
  NotFound: { status: 404, title: 'Client not found', description: 'No client has this id.' },
  NomDejaUtilise: {
    status: 409,
    title: 'Client name already used',
    description: 'Another client has this name. Choose another name.',
  },
  NonSuspendu: {
    status: 409,
    title: 'Client not suspended long enough',
    description:
      'A client may be erased when it has been suspended for 30 days. Suspend it, and repeat the request after that time.',
  },
  VoteOuvert: {
    status: 409,
    title: 'Vote open',
    description:
      'A campaign of the client is open, opens within five minutes, or its ballot box is not sealed yet. Repeat the request afterwards.',
  },
  Supprime: {
    status: 409,
    title: 'Client erased',
    description: 'The erasure of the client was requested. Nothing of it can be changed any more.',
  },
  Suspendu: {
    status: 403,
    title: 'Client suspended',
    description:
      'The client of the key is suspended. Its data stays, and its deliveries and e-mails wait. Ask the operator of the service to end the suspension.',
  },
});

export const CELLULE = errorsOf('Cellule', {
  Inconnue: {
    status: 400,
    title: 'Unknown cell',
    description: 'The service has no cell of this name. `GET /admin/v1/cellules` lists them.',
  },
});

export const DEPLACEMENT = errorsOf('Deplacement', {
  NotFound: {
    status: 404,
    title: 'Move not found',
    description:
      'The client has no data space in this environment (its first key makes it), or the data space was never moved.',
  },
  EnCours: {
    status: 409,
    title: 'Move already running',
    description:
      'The data space is being moved, or waits for it. Read the move, and wait until it has ended.',
  },
  Inutile: {
    status: 409,
    title: 'Already in this cell',
    description: 'The data space is in this cell.',
  },
  VoteOuvert: {
    status: 409,
    title: 'Vote open',
    description:
      'A campaign of the data space is open, opens within five minutes, or its ballot box is not sealed yet. Move the data space afterwards.',
  },
});

/** Errors of clients, cells and moves. */
export const CLIENTS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CLIENT),
  ...Object.values(CELLULE),
  ...Object.values(DEPLACEMENT),
];
