import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const TACHE = errorsOf('Tache', {
  NotFound: {
    status: 404,
    title: { en: 'Task not found', fr: fr('Tâche introuvable') },
    description: {
      en: 'No task of the tenant has this id. Tasks are kept for 7 days after their end.',
      fr: fr(
        'Aucune tâche de l’espace de données n’a cet identifiant. Les tâches sont conservées 7 jours après leur fin.',
      ),
    },
    detail: { en: 'No task has this id.', fr: fr('Aucune tâche n’a cet identifiant.') },
  },
});

export const PLAN = errorsOf('Plan', {
  NotFound: {
    status: 404,
    title: { en: 'Plan not found', fr: fr('Plan introuvable') },
    description: {
      en: 'No plan of the data space has this id. Plans are removed 24 h after they were made.',
      fr: fr(
        'Aucun plan de l’espace de données n’a cet identifiant. Les plans sont retirés 24 h après leur création.',
      ),
    },
    detail: { en: 'No plan has this id.', fr: fr('Aucun plan n’a cet identifiant.') },
  },
  Perime: {
    status: 409,
    title: { en: 'The plan is stale', fr: fr('Le plan est périmé') },
    description: {
      en: 'A record that the plan touches has changed since, or the plan was not applied within 24 h. Nothing was written. Make the plan again.',
      fr: fr(
        'Un enregistrement touché par le plan a changé depuis, ou le plan n’a pas été appliqué dans les 24 h. Rien n’a été écrit. Refaites le plan.',
      ),
    },
  },
  Bloque: {
    status: 409,
    title: { en: 'The brake stops the plan', fr: fr('Le frein arrête le plan') },
    description: {
      en: 'The plan would end or clear more than the brake of the client allows. An administrator may release it. Nothing was written.',
      fr: fr(
        'Le plan terminerait ou viderait plus que ce que le frein du client permet. Un administrateur peut le débloquer. Rien n’a été écrit.',
      ),
    },
  },
  DejaApplique: {
    status: 409,
    title: { en: 'The plan has been applied', fr: fr('Le plan a été appliqué') },
    description: {
      en: 'A plan is applied once. The changes that it shows were made then.',
      fr: fr('Un plan s’applique une seule fois. Les modifications qu’il montre ont alors été faites.'),
    },
  },
  TropNombreux: {
    status: 409,
    title: { en: 'Too many plans', fr: fr('Trop de plans') },
    description: {
      en: 'The data space has 20 plans that can be applied, or they are too large together. Apply or delete some, or wait until they expire.',
      fr: fr(
        'L’espace de données a 20 plans qui peuvent être appliqués, ou leur taille totale est trop grande. Appliquez-en ou supprimez-en quelques-uns, ou attendez leur expiration.',
      ),
    },
  },
});

export const SYNC = errorsOf('Sync', {
  NotFound: {
    status: 404,
    title: { en: 'Sync not found', fr: fr('Synchronisation introuvable') },
    description: {
      en: 'No sync of the data space has this id. Syncs are kept for 30 days. Simulations and stopped syncs are not among them.',
      fr: fr(
        'Aucune synchronisation de l’espace de données n’a cet identifiant. Les synchronisations sont conservées 30 jours. Les simulations et les synchronisations arrêtées n’en font pas partie.',
      ),
    },
    detail: { en: 'No sync has this id.', fr: fr('Aucune synchronisation n’a cet identifiant.') },
  },
  AnnulationEnConflit: {
    status: 409,
    title: {
      en: 'Records have changed since the sync',
      fr: fr('Des enregistrements ont changé depuis la synchronisation'),
    },
    description: {
      en: 'Some records of the sync have changed since, or others refer to them. Nothing was written. `conflits` lists the first 1,000 with the reason, `nombreConflits` counts them. Send `ignorerConflits: true` to leave them and put back the others.',
      fr: fr(
        'Des enregistrements de la synchronisation ont changé depuis, ou d’autres y font référence. Rien n’a été écrit. `conflits` énumère les 1 000 premiers avec la raison, `nombreConflits` les compte. Envoyez `ignorerConflits: true` pour les laisser tels quels et rétablir les autres.',
      ),
    },
  },
  NonAnnulable: {
    status: 409,
    title: { en: 'The sync cannot be undone', fr: fr('La synchronisation ne peut pas être annulée') },
    description: {
      en: 'The values of before were larger than the 2 GiB that a data space keeps for its syncs, so they were not stored. Nothing was written.',
      fr: fr(
        'Les valeurs antérieures dépassaient les 2 Gio qu’un espace de données conserve pour ses synchronisations; elles n’ont donc pas été conservées. Rien n’a été écrit.',
      ),
    },
  },
  FreinDeclenche: {
    status: 409,
    title: { en: 'The brake stopped the sync', fr: fr('Le frein a arrêté la synchronisation') },
    description: {
      en: 'The sync would end more employments and memberships, or clear more values, than the client’s brake allows. Nothing was written. `planId` names a plan with each change, `resume` has their numbers. If the data is right, ask an administrator to release the plan.',
      fr: fr(
        'La synchronisation terminerait plus d’emplois et d’appartenances syndicales, ou viderait plus de valeurs, que le frein du client ne le permet. Rien n’a été écrit. `planId` nomme un plan avec chaque modification, `resume` en donne les nombres. Si les données sont justes, demandez à un administrateur de débloquer le plan.',
      ),
    },
  },
});

/** Errors of tasks, plans and syncs. */
export const SYNC_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(TACHE),
  ...Object.values(PLAN),
  ...Object.values(SYNC),
];
