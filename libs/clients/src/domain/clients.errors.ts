import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const CLIENT = errorsOf('Client', {
  NotFound: {
    status: 404,
    title: { en: 'Client not found', fr: fr('Client introuvable') },
    description: { en: 'No client has this id.', fr: fr('Aucun client n’a cet identifiant.') },
  },
  NomDejaUtilise: {
    status: 409,
    title: { en: 'Client name already used', fr: fr('Nom de client déjà utilisé') },
    description: {
      en: 'Another client has this name. Choose another name.',
      fr: fr('Un autre client a ce nom. Choisissez un autre nom.'),
    },
  },
  NonSuspendu: {
    status: 409,
    title: { en: 'Client not suspended long enough', fr: fr('Client suspendu depuis trop peu de temps') },
    description: {
      en: 'A client may be erased when it has been suspended for 30 days. Suspend it, and repeat the request after that time.',
      fr: fr(
        'Un client peut être supprimé lorsqu’il est suspendu depuis 30 jours. Suspendez-le, et répétez la requête après ce délai.',
      ),
    },
  },
  VoteOuvert: {
    status: 409,
    title: { en: 'Vote open', fr: fr('Vote ouvert') },
    description: {
      en: 'A campaign of the client is open, opens within five minutes, or its ballot box is not sealed yet. Repeat the request afterwards.',
      fr: fr(
        'Une campagne du client est ouverte ou ouvre dans moins de cinq minutes, ou son urne n’est pas encore scellée. Répétez la requête par la suite.',
      ),
    },
  },
  Supprime: {
    status: 409,
    title: { en: 'Client erased', fr: fr('Client supprimé') },
    description: {
      en: 'The erasure of the client was requested. Nothing of it can be changed any more.',
      fr: fr('La suppression du client a été demandée. Plus rien ne peut y être modifié.'),
    },
  },
  Suspendu: {
    status: 403,
    title: { en: 'Client suspended', fr: fr('Client suspendu') },
    description: {
      en: 'The client of the key is suspended. Its data stays, and its deliveries and e-mails wait. Ask the operator of the service to end the suspension.',
      fr: fr(
        'Le client de la clé est suspendu. Ses données demeurent, et ses livraisons et ses courriels attendent. Demandez à l’exploitant du service de mettre fin à la suspension.',
      ),
    },
  },
});

export const CELLULE = errorsOf('Cellule', {
  Inconnue: {
    status: 400,
    title: { en: 'Unknown cell', fr: fr('Cellule inconnue') },
    description: {
      en: 'The service has no cell of this name. `GET /admin/v1/cellules` lists them.',
      fr: fr('Le service n’a aucune cellule de ce nom. `GET /admin/v1/cellules` les énumère.'),
    },
  },
});

export const DEPLACEMENT = errorsOf('Deplacement', {
  NotFound: {
    status: 404,
    title: { en: 'Move not found', fr: fr('Déplacement introuvable') },
    description: {
      en: 'The client has no data space in this environment (its first key makes it), or the data space was never moved.',
      fr: fr(
        'Le client n’a pas d’espace de données dans cet environnement (sa première clé le crée), ou l’espace de données n’a jamais été déplacé.',
      ),
    },
  },
  EnCours: {
    status: 409,
    title: { en: 'Move already running', fr: fr('Déplacement déjà en cours') },
    description: {
      en: 'The data space is being moved, or waits for it. Read the move, and wait until it has ended.',
      fr: fr(
        'L’espace de données est en déplacement ou en attente de déplacement. Lisez le déplacement, et attendez qu’il soit terminé.',
      ),
    },
  },
  Inutile: {
    status: 409,
    title: { en: 'Already in this cell', fr: fr('Déjà dans cette cellule') },
    description: {
      en: 'The data space is in this cell.',
      fr: fr('L’espace de données est dans cette cellule.'),
    },
  },
  VoteOuvert: {
    status: 409,
    title: { en: 'Vote open', fr: fr('Vote ouvert') },
    description: {
      en: 'A campaign of the data space is open, opens within five minutes, or its ballot box is not sealed yet. Move the data space afterwards.',
      fr: fr(
        'Une campagne de l’espace de données est ouverte ou ouvre dans moins de cinq minutes, ou son urne n’est pas encore scellée. Déplacez l’espace de données par la suite.',
      ),
    },
  },
});

/** Errors of clients, cells and moves. */
export const CLIENTS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CLIENT),
  ...Object.values(CELLULE),
  ...Object.values(DEPLACEMENT),
];
