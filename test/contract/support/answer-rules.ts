/** A part of an answer, as JSON. */
type Item = ReturnType<typeof JSON.parse>;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether the first is set in the state alone. */
const exactlyIn = (value: unknown, isState: boolean): boolean => isSet(value) === isState;

/**
 * Rules between the properties of an answer, by its schema and in words. The service's answers and the examples of the documents
 * are held against them, because an example must be something that the service can answer.
 */
export const ANSWER_RULES: Readonly<Record<string, Readonly<Record<string, (item: Item) => boolean>>>> = {
  TacheItem: {
    'resultat and effets exactly if Reussie': ({ type, etat, resultat, effets }) =>
      exactlyIn(resultat, etat === 'Reussie') && exactlyIn(effets, etat === 'Reussie' && type === 'sync'),
    'erreur exactly if Echouee': ({ etat, erreur }) => exactlyIn(erreur, etat === 'Echouee'),
    'traites within total': ({ traites, total }) => traites <= total,
  },
  DeplacementItem: {
    'erreur exactly if Echouee': ({ etat, erreur }) => exactlyIn(erreur, etat === 'Echouee'),
    'dateFin exactly if it has ended': ({ etat, dateFin }) =>
      exactlyIn(dateFin, ['Reussie', 'Echouee'].includes(etat)),
  },
  ChangementItem: {
    'idExterneEmploye exactly of what is nested in an employee': ({ entite, idExterneEmploye }) =>
      exactlyIn(idExterneEmploye, ['Emploi', 'Adhesion'].includes(entite)),
    'syncId exactly of a sync': ({ origine, syncId }) => exactlyIn(syncId, origine === 'sync'),
  },
  BulletinDeposeItem: {
    'Recu or EmpreinteRecu': ({ Recu, EmpreinteRecu }) => isSet(Recu) !== isSet(EmpreinteRecu),
  },
  StatistiquesItem: {
    'no visible results beside an anomaly': ({ raisonConstat, resultatsVisibles }) =>
      !isSet(raisonConstat) || !resultatsVisibles,
    'figures exactly if results are visible': ({ resultatsVisibles, questions }) =>
      questions.every(({ Exprimes, Abstentions }: Item) =>
        [Exprimes, Abstentions].every((figure) => exactlyIn(figure, resultatsVisibles)),
      ),
    'each question counts all who have voted': ({ votantsAyantVote, questions }) =>
      questions.every(
        ({ Exprimes, Abstentions }: Item) => !isSet(Exprimes) || Exprimes + Abstentions === votantsAyantVote,
      ),
    'tauxParticipation is the quotient': (item) => {
      const { votantsAyantVote: voted, totalVotantsAvecDroitDeVote: may, tauxParticipation } = item;
      return Math.abs(tauxParticipation - (may === 0 ? 0 : (voted / may) * 100)) < 0.006;
    },
  },
  QuestionStatistiqueItem: {
    'no options without figures': ({ Exprimes, Options }) => isSet(Exprimes) || Options.length === 0,
    'Methode and Tours together, and only if preferential': ({ EstPreferentiel, Methode, Tours }) =>
      isSet(Methode) === isSet(Tours) && (EstPreferentiel || !isSet(Tours)),
    'Departages only of an Election that is not preferential': ({ Type, EstPreferentiel, Departages }) =>
      !isSet(Departages) || (Type === 'Election' && !EstPreferentiel),
    'Elus only of an Election': ({ Type, Elus }) => !isSet(Elus) || Type === 'Election',
    'no option has more votes than were cast': ({ Exprimes, Options }) =>
      Options.every(({ Votes }: Item) => Votes <= Exprimes),
  },
  CampagneDetailItem: {
    'seeds of the service are of published votes': (item) =>
      item.etat !== 'Brouillon' || !isSet(item.graineDepartage),
    'a seed has a digest': (item) =>
      (!isSet(item.graineDepartage) || isSet(item.empreinteGraineDepartage)) &&
      (!isSet(item.grainePartenaire) || isSet(item.empreinteGrainePartenaire)),
    'an anomaly is of a vote that has ended': ({ etat, raisonConstat }) =>
      !isSet(raisonConstat) || ['Termine', 'Archive'].includes(etat),
  },
  DemandeItem: {
    'dateDecision exactly if it was decided': ({ statut, dateDecision }) =>
      exactlyIn(dateDecision, statut !== 'ATransferer'),
    'raison exactly of a rejection': ({ statut, raison }) => exactlyIn(raison, statut === 'Rejetee'),
    'a card exactly of a confirmation': ({ statut, adhesionId }) =>
      !isSet(adhesionId) || statut === 'Confirmee',
  },
  WebhookItem: {
    'an active endpoint is not disabled': ({ actif, desactiveLe, raisonDesactivation }) =>
      isSet(desactiveLe) === isSet(raisonDesactivation) && !(actif && isSet(desactiveLe)),
  },
  LivraisonItem: {
    'an attempt follows exactly while it waits': ({ etat, prochaineTentative }) =>
      exactlyIn(prochaineTentative, etat === 'EnAttente'),
  },
  ClientItem: {
    'a suspension has a time and a reason': ({ suspenduLe, raisonSuspension }) =>
      isSet(suspenduLe) === isSet(raisonSuspension),
  },
};
