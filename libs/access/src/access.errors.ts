import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr, type Text } from '#platform/errors/text';

export const CLE = errorsOf('Cle', {
  Invalide: {
    status: 401,
    title: { en: 'Unauthorized', fr: fr('Non authentifié') },
    description: {
      en: 'The X-Api-Key header is missing, or its key is unknown, mistyped, expired or revoked. Send a valid key.',
      fr: fr(
        'L’en-tête X-Api-Key manque, ou sa clé est inconnue, mal saisie, expirée ou révoquée. Envoyez une clé valide.',
      ),
    },
  },
  RoleInsuffisant: {
    status: 403,
    title: { en: 'Forbidden', fr: fr('Accès refusé') },
    description: {
      en: 'The key is valid, but its role does not give access to this surface. Use a key of the role it needs.',
      fr: fr(
        'La clé est valide, mais son rôle ne donne pas accès à cette interface. Utilisez une clé du rôle requis.',
      ),
    },
  },
  NotFound: {
    status: 404,
    title: { en: 'Key not found', fr: fr('Clé introuvable') },
    description: {
      en: 'The client has no key with this id, or no administrator has one.',
      fr: fr('Le client n’a aucune clé avec cet identifiant, ou aucun administrateur n’en a une.'),
    },
    detail: {
      en: 'The client has no key with this id.',
      fr: fr('Le client n’a aucune clé avec cet identifiant.'),
    },
  },
  DerniereAdministration: {
    status: 409,
    title: { en: "Last administrator's key", fr: fr('Dernière clé d’administration') },
    description: {
      en: 'No other listed key of an administrator works. Make another one with `npm run cli -- cle-admin`, and then revoke this one.',
      fr: fr(
        'Aucune autre clé d’administration de la liste ne fonctionne. Créez-en une autre avec `npm run cli -- cle-admin`, puis révoquez celle-ci.',
      ),
    },
  },
  DejaTerminee: {
    status: 409,
    title: { en: 'Key has ended', fr: fr('Clé déjà terminée') },
    description: {
      en: 'The key is revoked or has expired, so no key replaces it. Issue a new key.',
      fr: fr('La clé est révoquée ou expirée : aucune clé ne la remplace. Émettez une nouvelle clé.'),
    },
  },
});

/** Detail of `Cle.NotFound` for keys of administrators. */
export const NO_ADMIN_CLE: Text = {
  en: 'No administrator has a key with this id.',
  fr: fr("Aucun administrateur n'a de clé avec cet identifiant."),
};

/** The remedy of `Module.NonActif`, which ends its details. */
export const MODULE_REMEDY: Text = {
  en: 'Use a key with this module, or ask the operator to enable it.',
  fr: fr("Utilisez une clé avec ce module, ou demandez à l'exploitant de l'activer."),
};

export const MODULE = errorsOf('Module', {
  NonActif: {
    status: 403,
    title: { en: 'Forbidden', fr: fr('Accès refusé') },
    description: {
      en: 'The operation belongs to a module (member `module`) that the client does not have or the key excludes. Ask the operator to enable it.',
      fr: fr(
        'L’opération fait partie d’un module (membre `module`) que le client n’a pas ou que la clé exclut. Demandez à l’exploitant de l’activer.',
      ),
    },
  },
});

export const ESSAI = errorsOf('Essai', {
  EnvironnementRequis: {
    status: 403,
    title: { en: 'Staging only', fr: fr('Préproduction seulement') },
    description: {
      en: 'Rehearsals exist in staging only, and the key opens production. Send a key of the staging environment.',
      fr: fr(
        'Les essais n’existent qu’en préproduction, et la clé ouvre la production. Envoyez une clé de l’environnement staging.',
      ),
    },
  },
});

/** Errors of keys and what they open. */
export const ACCESS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CLE),
  ...Object.values(MODULE),
  ...Object.values(ESSAI),
];
