import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const TACHE = errorsOf('Tache', {
  NotFound: {
    status: 404,
    title: 'Task not found',
    description: 'No task of the tenant has this id. Tasks are kept for 7 days after their end.',
  },
});

export const PLAN = errorsOf('Plan', {
  NotFound: {
    status: 404,
    title: 'Plan not found',
    description: 'No plan of the data space has this id. Plans are removed 24 h after they were made.',
  },
  Perime: {
    status: 409,
    title: 'The plan is stale',
    description:
      'A record that the plan touches has changed since, or the plan was not applied within 24 h. Nothing was written. Make the plan again.',
  },
  Bloque: {
    status: 409,
    title: 'The brake stops the plan',
    description:
      'The plan would end or clear more than the brake of the client allows. An administrator may release it. Nothing was written.',
  },
  DejaApplique: {
    status: 409,
    title: 'The plan has been applied',
    description: 'A plan is applied once. The changes that it shows were made then.',
  },
  TropNombreux: {
    status: 409,
    title: 'Too many plans',
    description:
      'The data space has 20 plans that can be applied, or they are too large together. Apply or delete some, or wait until they expire.',
  },
});

export const SYNC = errorsOf('Sync', {
  NotFound: {
    status: 404,
    title: 'Sync not found',
    description:
      'No sync of the data space has this id. Syncs are kept for 30 days. Simulations and stopped syncs are not among them.',
  },
  AnnulationEnConflit: {
    status: 409,
    title: 'Records have changed since the sync',
    description:
      'Some records of the sync have changed since, or others refer to them. Nothing was written. `conflits` lists the first 1,000 with the reason, `nombreConflits` counts them. Send `ignorerConflits: true` to leave them and put back the others.',
  },
  NonAnnulable: {
    status: 409,
    title: 'The sync cannot be undone',
    description:
      'The values of before were larger than the 2 GiB that a data space keeps for its syncs, so they were not stored. Nothing was written.',
  },
  FreinDeclenche: {
    status: 409,
    title: 'The brake stopped the sync',
    description:
      'The sync would end more employments and memberships, or clear more values, than the client’s brake allows. Nothing was written. `planId` names a plan with each change, `resume` has their numbers. If the data is right, ask an administrator to release the plan.',
  },
});

/** Errors of tasks, plans and syncs. */
export const SYNC_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(TACHE),
  ...Object.values(PLAN),
  ...Object.values(SYNC),
];
