import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const TACHE = errorsOf('Tache', {
  NotFound: {
    status: 404,
    title: 'Task not found',
    description: 'No task of the tenant has this id. Tasks are kept for 7 days after their end.',
  },
});

/** Errors of tasks. */
export const SYNC_ERRORS: readonly ErrorDefinition[] = [...Object.values(TACHE)];
