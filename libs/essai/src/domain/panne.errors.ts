import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const PANNE = errorsOf('Essai', {
  PanneSimulee: {
    status: 503,
    title: { en: 'Simulated failure', fr: fr('Panne simulée') },
    description: {
      en: 'A key of the data space has asked for this failure by `PUT /b2b/v2/essai/pannes`, with the status that the response has. Nothing was done. The failure ends after its `fois` requests, after an hour, or with `DELETE /b2b/v2/essai/pannes`.',
      fr: fr(
        'Une clé de l’espace de données a demandé cette panne par `PUT /b2b/v2/essai/pannes`, avec le statut de la réponse. Rien n’a été fait. La panne se termine après ses `fois` requêtes, après une heure ou par `DELETE /b2b/v2/essai/pannes`.',
      ),
    },
  },
  PannesTropNombreuses: {
    status: 409,
    title: { en: 'Too many failures', fr: fr('Pannes trop nombreuses') },
    description: {
      en: 'A data space has at most 20 failures on demand at a time. Wait until some have ended, or end all of them with `DELETE /b2b/v2/essai/pannes`.',
      fr: fr(
        'Un espace de données a au plus 20 pannes simulées à la fois. Attendez que certaines soient terminées, ou mettez fin à toutes par `DELETE /b2b/v2/essai/pannes`.',
      ),
    },
  },
});

/** Errors of failures on demand. */
export const PANNE_ERRORS: readonly ErrorDefinition[] = Object.values(PANNE);
