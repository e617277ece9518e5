import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const HORLOGE = errorsOf('Essai', {
  HorlogeRecule: {
    status: 409,
    title: { en: 'The clock goes forward only', fr: fr('L’horloge ne fait qu’avancer') },
    description: {
      en: 'The clock of the data space shows this moment already, or a later one. Send a later moment, or remove the data of the rehearsal (`DELETE /b2b/v2/essai/donnees`), which puts the clock back to the real time.',
      fr: fr(
        'L’horloge de l’espace de données indique déjà ce moment, ou un moment ultérieur. Envoyez un moment ultérieur, ou supprimez les données de l’essai (`DELETE /b2b/v2/essai/donnees`), ce qui remet l’horloge à l’heure réelle.',
      ),
    },
  },
  HorlogeTropLoin: {
    status: 400,
    title: { en: 'More than two years ahead', fr: fr('Plus de deux ans d’avance') },
    description: {
      en: 'The clock of a data space may be at most two years ahead of the real time. Send an earlier moment.',
      fr: fr(
        'L’horloge d’un espace de données peut avoir au plus deux ans d’avance sur l’heure réelle. Envoyez un moment antérieur.',
      ),
    },
  },
  AvanceEnCours: {
    status: 409,
    title: { en: 'The clock is being advanced', fr: fr('Avance de l’horloge en cours') },
    description: {
      en: 'A task advances the clock of the data space. Wait until `GET /b2b/v2/tache/{id}` says that it has ended.',
      fr: fr(
        'Une tâche avance l’horloge de l’espace de données. Attendez que `GET /b2b/v2/tache/{id}` dise qu’elle est terminée.',
      ),
    },
  },
});

/** Errors of the clocks of rehearsals. */
export const HORLOGE_ERRORS: readonly ErrorDefinition[] = Object.values(HORLOGE);
