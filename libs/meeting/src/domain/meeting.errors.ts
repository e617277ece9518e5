import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const SEANCE = errorsOf('Seance', {
  NotFound: {
    status: 404,
    title: { en: 'Meeting not found', fr: fr('Séance introuvable') },
    description: {
      en: 'No meeting of the tenant has this id (GUID).',
      fr: fr('Aucune séance de l’espace de données n’a cet identifiant (GUID).'),
    },
    detail: { en: 'No meeting has this id.', fr: fr('Aucune séance n’a cet identifiant.') },
  },
});

export const POINT = errorsOf('Point', {
  NotFound: {
    status: 404,
    title: { en: 'Point not found', fr: fr('Point introuvable') },
    description: {
      en: 'The agenda of the meeting has no point with this id (GUID).',
      fr: fr('L’ordre du jour de la séance n’a aucun point avec cet identifiant (GUID).'),
    },
    detail: {
      en: 'The meeting has no point with this id.',
      fr: fr('La séance n’a aucun point avec cet identifiant.'),
    },
  },
  OrdreDejaUtilise: {
    status: 409,
    title: { en: 'Place already taken', fr: fr('Rang déjà occupé') },
    description: {
      en: 'Another point of the meeting has this `ordre`. Give the point another place on the agenda.',
      fr: fr('Un autre point de la séance a cet `ordre`. Donnez au point un autre rang à l’ordre du jour.'),
    },
  },
  NonVotable: {
    status: 409,
    title: { en: 'Point not put to the vote', fr: fr('Point non soumis au vote') },
    description: {
      en: 'The point is not votable (`votable` is false). Add a votable point for the vote.',
      fr: fr('Le point n’est pas votable (`votable` est false). Ajoutez un point votable pour le vote.'),
    },
  },
});

export const RESULTAT = errorsOf('Resultat', {
  NotFound: {
    status: 404,
    title: { en: 'No vote on this point', fr: fr('Aucun vote sur ce point') },
    description: {
      en: 'The point exists, but is not put to the vote (`votable` is false) and never has a result. Ask for the results of the meeting to see its votable points.',
      fr: fr(
        'Le point existe, mais il n’est pas soumis au vote (`votable` est false) et n’a jamais de résultat. Demandez les résultats de la séance pour voir ses points votables.',
      ),
    },
  },
});

/** Errors of meetings, points and their results. */
export const MEETING_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(SEANCE),
  ...Object.values(POINT),
  ...Object.values(RESULTAT),
];
