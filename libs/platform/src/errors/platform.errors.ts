import { type ErrorDefinition, errorsOf } from './error-definition';
import { fr } from './text';

export const REQUETE = errorsOf('Requete', {
  Invalide: {
    status: 400,
    title: { en: 'Invalid request', fr: fr('Requête non valide') },
    description: {
      en: 'The request does not have the documented form. `errors` lists each fault with a pointer to its place: correct them and send it again.',
      fr: fr(
        'La requête n’a pas la forme documentée. `errors` énumère chaque faute avec un pointeur vers son emplacement : corrigez-les et renvoyez la requête.',
      ),
    },
  },
  MethodeNonPermise: {
    status: 405,
    title: { en: 'Method not allowed', fr: fr('Méthode non permise') },
    description: {
      en: 'The path exists, but not with this method. The header Allow lists the methods that it has.',
      fr: fr('Le chemin existe, mais pas avec cette méthode. L’en-tête Allow énumère les méthodes permises.'),
    },
  },
  TypeNonSupporte: {
    status: 415,
    title: { en: 'Unsupported media type', fr: fr('Type de contenu non pris en charge') },
    description: {
      en: 'The body is not JSON in UTF-8. Send Content-Type: application/json.',
      fr: fr('Le corps n’est pas du JSON en UTF-8. Envoyez Content-Type: application/json.'),
    },
  },
  TropVolumineuse: {
    status: 413,
    title: { en: 'Request too large', fr: fr('Requête trop volumineuse') },
    description: {
      en: 'The request is larger than this operation accepts: 1 MB, which an image of a signature (512 KiB) fits into; for a sync 64 MB, 250,000 records and 400,000 nested ones. Send less at a time.',
      fr: fr(
        'La requête dépasse ce que l’opération accepte : 1 Mo, où tient l’image d’une signature (512 Kio); pour une synchronisation, 64 Mo, 250 000 enregistrements et 400 000 enregistrements imbriqués. Envoyez-en moins à la fois.',
      ),
    },
  },
  Interrompue: {
    status: 408,
    title: { en: 'Request not completed', fr: fr('Requête incomplète') },
    description: {
      en: 'The body did not arrive whole or in time. Send the request again.',
      fr: fr('Le corps n’est pas arrivé en entier ou à temps. Renvoyez la requête.'),
    },
  },
});

export const DEBIT = errorsOf('Debit', {
  Depasse: {
    status: 429,
    title: { en: 'Too many requests', fr: fr('Trop de requêtes') },
    description: {
      en: "The key's requests of this minute are used up, or another budget, which the detail names. Wait for the seconds in Retry-After. After 100 refusals in a minute each further one is delayed by up to 5 s.",
      fr: fr(
        'Les requêtes que la clé peut envoyer en une minute sont épuisées, ou une autre limite, nommée dans le détail, est atteinte. Attendez le nombre de secondes indiqué par Retry-After. Après 100 refus en une minute, chaque refus suivant est retardé d’au plus 5 s.',
      ),
    },
  },
});

export const RESSOURCE = errorsOf('Ressource', {
  NotFound: {
    status: 404,
    title: { en: 'Not found', fr: fr('Introuvable') },
    description: {
      en: 'No operation has this method and path. See /docs for those that exist.',
      fr: fr('Aucune opération n’a cette méthode et ce chemin. Voyez /docs pour celles qui existent.'),
    },
  },
});

export const PRECONDITION = errorsOf('Precondition', {
  Echouee: {
    status: 412,
    title: { en: 'Precondition failed', fr: fr('Précondition non remplie') },
    description: {
      en: 'The resource has changed since the version named in If-Match. Read it again, reapply the change, send the new ETag.',
      fr: fr(
        'La ressource a changé depuis la version nommée dans If-Match. Relisez-la, refaites la modification et envoyez le nouvel ETag.',
      ),
    },
  },
});

export const IDEMPOTENCE = errorsOf('Idempotence', {
  CleReutilisee: {
    status: 422,
    title: { en: 'Idempotency key reused', fr: fr('Clé d’idempotence réutilisée') },
    description: {
      en: 'This Idempotency-Key was sent before with another request, by another API key, or before the modules of the key changed. Use a new Idempotency-Key for each operation, and the same one only to repeat it. If you changed the API key in between, read whether the request was done before you send it again.',
      fr: fr(
        'Cette valeur d’Idempotency-Key a déjà accompagné une autre requête, une autre clé d’API, ou la même clé avant le changement de ses modules. Utilisez une nouvelle valeur pour chaque opération, et la même seulement pour la répéter. Si vous avez changé de clé d’API entre-temps, vérifiez si la requête a été exécutée avant de la renvoyer.',
      ),
    },
  },
  EnCours: {
    status: 409,
    title: { en: 'Request still running', fr: fr('Requête encore en cours') },
    description: {
      en: 'A request with this Idempotency-Key is still running. Repeat after a moment to get its answer.',
      fr: fr(
        'Une requête avec cette valeur d’Idempotency-Key est encore en cours. Répétez-la dans un instant pour obtenir sa réponse.',
      ),
    },
  },
  NonRepetable: {
    status: 409,
    title: { en: 'Answer not repeatable', fr: fr('Réponse non répétable') },
    description: {
      en: 'The request was done under this Idempotency-Key, and is not done twice. Its answer held a secret, which is not recorded: read the list to find what was made. Rotate the secret of an endpoint; revoke a key and issue another.',
      fr: fr(
        'La requête a été exécutée avec cette valeur d’Idempotency-Key et ne l’est pas deux fois. Sa réponse contenait un secret, qui n’est pas conservé : lisez la liste pour trouver ce qui a été créé. Renouvelez le secret d’un webhook; révoquez une clé et émettez-en une autre.',
      ),
    },
  },
});

export const SERVICE = errorsOf('Service', {
  Indisponible: {
    status: 503,
    title: { en: 'Service unavailable', fr: fr('Service indisponible') },
    description: {
      en: 'The database is out of reach or busy, or the operation ran past 30 s and was undone. Nothing was changed unless the detail says so: repeat after a moment.',
      fr: fr(
        'La base de données est injoignable ou occupée, ou l’opération a dépassé 30 s et a été annulée. Rien n’a été modifié, sauf si le détail dit le contraire : répétez la requête dans un instant.',
      ),
    },
  },
  ErreurInterne: {
    status: 500,
    title: { en: 'Internal error', fr: fr('Erreur interne') },
    description: {
      en: 'A fault of the service. Nothing was changed. Quote the traceId to the operator.',
      fr: fr('Une erreur du service s’est produite. Rien n’a été modifié. Donnez le traceId à l’exploitant.'),
    },
  },
});

export const ESPACE_DONNEES = errorsOf('EspaceDonnees', {
  EnDeplacement: {
    status: 503,
    title: { en: 'Data space being moved', fr: fr('Espace de données en déplacement') },
    description: {
      en: 'The data space is being moved to another database, which takes less than a minute. Nothing was changed. Reads go on; repeat the write after the seconds in Retry-After.',
      fr: fr(
        'L’espace de données est déplacé vers une autre base de données, ce qui prend moins d’une minute. Rien n’a été modifié. Les lectures continuent; répétez l’écriture après le nombre de secondes indiqué par Retry-After.',
      ),
    },
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
