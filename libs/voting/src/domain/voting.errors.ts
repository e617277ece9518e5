import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';
import { CHIFFREMENT } from './chiffrement.errors';

export const CAMPAGNE = errorsOf('Campagne', {
  NotFound: {
    status: 404,
    title: { en: 'Campaign not found', fr: fr('Campagne introuvable') },
    description: {
      en: 'No campaign of the tenant has this id.',
      fr: fr('Aucune campagne de l’espace de données n’a cet identifiant.'),
    },
    detail: { en: 'No campaign has this id.', fr: fr('Aucune campagne n’a cet identifiant.') },
  },
  OuvertureVoteApresFermeture: {
    status: 400,
    title: { en: 'Opening after closing', fr: fr('Ouverture après la fermeture') },
    description: {
      en: '`ouvertureDuVoteUtc` is after `fermetureDuVoteUtc`. Open the vote before it closes.',
      fr: fr('`ouvertureDuVoteUtc` est après `fermetureDuVoteUtc`. Ouvrez le vote avant sa fermeture.'),
    },
  },
  NomDejaUtilise: {
    status: 409,
    title: { en: 'Title already used', fr: fr('Titre déjà utilisé') },
    description: {
      en: 'Another campaign has this title; upper and lower case and the space around it make no difference. Choose another title.',
      fr: fr(
        'Une autre campagne a ce titre; les majuscules, les minuscules et les espaces qui l’entourent ne font pas de différence. Choisissez un autre titre.',
      ),
    },
  },
  SlugDejaUtilise: {
    status: 409,
    title: { en: 'Slug already used', fr: fr('Identifiant d’adresse déjà utilisé') },
    description: {
      en: 'Another campaign has the slug that is made of this title: the titles differ only in accents, signs or letters that are transliterated alike. Choose another title.',
      fr: fr(
        'Une autre campagne a le `slug` formé à partir de ce titre : les titres ne diffèrent que par des accents, des signes ou des lettres translittérées de la même façon. Choisissez un autre titre.',
      ),
    },
  },
  ModificationNonPermise: {
    status: 409,
    title: { en: 'Change not permitted', fr: fr('Modification non permise') },
    description: {
      en: 'The state of the campaign does not permit this change. While the vote is open, only a later closing and the text of the welcome page may change; the roll may until the campaign ends; afterwards nothing may.',
      fr: fr(
        'L’état de la campagne ne permet pas cette modification. Pendant le vote, seuls peuvent changer la fermeture, pour une date plus tardive, et le texte de la page d’accueil; la liste électorale peut changer jusqu’à la fin de la campagne; ensuite, plus rien ne peut changer.',
      ),
    },
  },
  StructureVerrouillee: {
    status: 409,
    title: { en: 'Structure locked', fr: fr('Structure verrouillée') },
    description: {
      en: 'Questions, options and their order are frozen once a campaign is published or archived. Unpublish it first, which is possible as long as there are no votes.',
      fr: fr(
        'Les questions, les options et leur ordre sont figés dès qu’une campagne est publiée ou archivée. Annulez d’abord sa publication, ce qui est possible tant qu’il n’y a aucun vote.',
      ),
    },
  },
  StructureTropGrande: {
    status: 409,
    title: { en: 'Too many questions or options', fr: fr('Trop de questions ou d’options') },
    description: {
      en: 'A campaign has at most 200 questions, and a question at most 500 options.',
      fr: fr('Une campagne a au plus 200 questions, et une question au plus 500 options.'),
    },
  },
  SupprimerAvecVotes: {
    status: 409,
    title: { en: 'Votes recorded', fr: fr('Votes enregistrés') },
    description: {
      en: 'The campaign cannot be deleted because it has votes. Archive it once it has ended. An archived one is kept.',
      fr: fr(
        'La campagne ne peut pas être supprimée, car elle a des votes. Archivez-la une fois qu’elle est terminée. Une campagne archivée est conservée.',
      ),
    },
  },
  TransitionNonPermise: {
    status: 400,
    title: { en: 'Transition not permitted', fr: fr('Transition non permise') },
    description: {
      en: 'The state of the campaign, or a closing date that has passed, does not permit this transition.',
      fr: fr('L’état de la campagne, ou une date de fermeture passée, ne permet pas cette transition.'),
    },
  },
  AucuneQuestion: {
    status: 400,
    title: { en: 'No question', fr: fr('Aucune question') },
    description: {
      en: 'The campaign has no question. Add one before publishing it.',
      fr: fr('La campagne n’a aucune question. Ajoutez-en une avant de la publier.'),
    },
  },
  TropVolumineuse: {
    status: 400,
    title: { en: 'Campaign too large', fr: fr('Campagne trop volumineuse') },
    description: {
      en: 'The texts of the campaign are too large, or its result could become too large to be counted and returned. Titles, labels and descriptions of all questions and options together have at most 2 MiB (UTF-8) at publication, those of one question always: shorten them. The size of a result is, summed over the questions, options times rounds. A ranked question has as many rounds as options, an election that is not ranked as many as seats, any other question one. The limit is 500,000. Give ranked questions fewer options, or divide the questions among several campaigns. Ballots and sums of weights of an encrypted vote have limits of their own, which the detail names.',
      fr: fr(
        'Les textes de la campagne sont trop volumineux, ou son résultat pourrait devenir trop grand pour être dépouillé et renvoyé. Les titres, les libellés et les descriptions de toutes les questions et options ont ensemble au plus 2 Mio (UTF-8) à la publication, et ceux d’une question en tout temps : raccourcissez-les. La taille d’un résultat est la somme, pour toutes les questions, des options multipliées par les tours. Une question préférentielle a autant de tours que d’options, une élection non préférentielle autant que de sièges, toute autre question un seul. La limite est de 500 000. Donnez moins d’options aux questions préférentielles, ou répartissez les questions entre plusieurs campagnes. Les bulletins et les sommes de poids d’un scrutin chiffré ont leurs propres limites, que le détail nomme.',
      ),
    },
  },
  PoidsIdentifiants: {
    status: 400,
    title: { en: 'Weights that single voters out', fr: fr('Poids qui permettent d’identifier des votants') },
    description: {
      en: 'A weight is held by fewer voters with the right to vote than the campaign’s `seuilAnonymat`: the result would reveal their choice. Give more voters this weight, or ask an administrator for another threshold for this campaign.',
      fr: fr(
        'Un poids est attribué à moins de votants ayant droit de vote que le `seuilAnonymat` de la campagne : le résultat révélerait leur choix. Donnez ce poids à plus de votants, ou demandez à un administrateur un autre seuil pour cette campagne.',
      ),
    },
  },
  CeremonieIncomplete: {
    status: 400,
    title: { en: 'Ceremony not finished', fr: fr('Cérémonie non terminée') },
    description: {
      en: 'The guardians of the encrypted vote have no key yet. `GET …/chiffrement/ceremonie` shows whose file is missing.',
      fr: fr(
        'Les gardiens du scrutin chiffré n’ont pas encore de clé. `GET …/chiffrement/ceremonie` montre de qui un fichier manque.',
      ),
    },
  },
  DepublierAvecVotes: {
    status: 400,
    title: { en: 'Votes recorded', fr: fr('Votes enregistrés') },
    description: {
      en: 'The campaign cannot be unpublished because it has votes. Close it instead.',
      fr: fr(
        'La publication de la campagne ne peut pas être annulée, car elle a des votes. Fermez plutôt la campagne.',
      ),
    },
  },
});

export const URNE = errorsOf('Urne', {
  NonConstatable: {
    status: 409,
    title: { en: 'Nothing to seal without a result', fr: fr('Rien à sceller sans résultat') },
    description: {
      en: 'An administrator can seal a ballot box without a result only after the sealing found that ballots, receipts and voters do not agree.',
      fr: fr(
        'Un administrateur ne peut sceller une urne sans résultat qu’après que le scellement a constaté une discordance entre les bulletins, les reçus et les votants.',
      ),
    },
  },
});

export const QUESTION = errorsOf('Question', {
  OptionsInsuffisantes: {
    status: 400,
    title: { en: 'Not enough options', fr: fr('Options insuffisantes') },
    description: {
      en: 'A question has no option, or fewer than an answer must name (`MinReponses`). Add options before publishing the campaign.',
      fr: fr(
        'Une question n’a aucune option, ou en a moins qu’une réponse doit en nommer (`MinReponses`). Ajoutez des options avant de publier la campagne.',
      ),
    },
  },
  NotFound: {
    status: 404,
    title: { en: 'Question not found', fr: fr('Question introuvable') },
    description: {
      en: 'The campaign has no question with this id.',
      fr: fr('La campagne n’a aucune question avec cet identifiant.'),
    },
  },
  PreferentielNonSupporte: {
    status: 400,
    title: { en: 'Ranking not supported', fr: fr('Vote préférentiel non pris en charge') },
    description: {
      en: 'Questions of type Proposition cannot be ranked. Set `EstPreferentiel` to false, or choose the type ChoixLibre or Election.',
      fr: fr(
        'Les questions de type Proposition ne peuvent pas être préférentielles. Mettez `EstPreferentiel` à false, ou choisissez le type ChoixLibre ou Election.',
      ),
    },
  },
});

export const VOTE = errorsOf('Vote', {
  AucunVotant: {
    status: 400,
    title: { en: 'No voter', fr: fr('Aucun votant') },
    description: {
      en: 'The campaign has no voter. Add voters, or make an electoral list, before publishing it.',
      fr: fr(
        'La campagne n’a aucun votant. Ajoutez des votants, ou dressez une liste électorale, avant de la publier.',
      ),
    },
  },
  CampagneNonOuverte: {
    status: 409,
    title: { en: 'Vote not open', fr: fr('Vote non ouvert') },
    description: {
      en: 'Ballots are accepted only from the opening of the vote until its closing.',
      fr: fr('Les bulletins ne sont acceptés que de l’ouverture du vote à sa fermeture.'),
    },
  },
  DejaVote: {
    status: 409,
    title: { en: 'Has voted already', fr: fr('A déjà voté') },
    description: {
      en: 'The voter has voted. That ballot is counted; it cannot be changed or taken back.',
      fr: fr('Le votant a voté. Son bulletin est compté; il ne peut être ni modifié ni repris.'),
    },
  },
  SansDroitDeVote: {
    status: 409,
    title: { en: 'No right to vote', fr: fr('Sans droit de vote') },
    description: {
      en: 'The voter is on the roll without the right to vote.',
      fr: fr('Le votant figure sur la liste électorale sans droit de vote.'),
    },
  },
  BulletinInvalide: {
    status: 400,
    title: { en: 'Invalid ballot', fr: fr('Bulletin non valide') },
    description: {
      en: 'The ballot does not answer each question of the campaign once, each with as many of its options as it may name, or with an abstention. See `errors`.',
      fr: fr(
        'Le bulletin ne répond pas une fois à chaque question de la campagne, avec le nombre d’options qu’elle permet ou par une abstention. Voyez `errors`.',
      ),
    },
  },
  PreuveInvalide: {
    status: 400,
    title: { en: 'Proof not valid', fr: fr('Preuve non valide') },
    description: {
      en: 'A proof of the encrypted ballot does not hold, or it was sealed for another voter or campaign. The detail names the check. Nothing was written: seal the ballot anew.',
      fr: fr(
        'Une preuve du bulletin chiffré n’est pas exacte, ou il a été scellé pour un autre votant ou une autre campagne. Le détail nomme la vérification. Rien n’a été écrit : scellez de nouveau le bulletin.',
      ),
    },
  },
  BulletinRejoue: {
    status: 409,
    title: { en: 'Ballot seen before', fr: fr('Bulletin déjà reçu') },
    description: {
      en: 'The box has this encrypted ballot already. It is counted once.',
      fr: fr('L’urne contient déjà ce bulletin chiffré. Il est compté une fois.'),
    },
  },
  RecuDejaUtilise: {
    status: 409,
    title: { en: 'Receipt already used', fr: fr('Reçu déjà utilisé') },
    description: {
      en: 'A ballot of the campaign has this `EmpreinteRecu`; this ballot was not counted. Make another receipt and cast the ballot again.',
      fr: fr(
        'Un bulletin de la campagne a cette `EmpreinteRecu`; le présent bulletin n’a pas été compté. Produisez un autre reçu et déposez de nouveau le bulletin.',
      ),
    },
  },
});

export const RECU = errorsOf('Recu', {
  NotFound: {
    status: 404,
    title: { en: 'Receipt not found', fr: fr('Reçu introuvable') },
    description: {
      en: 'No ballot of the campaign has this receipt.',
      fr: fr('Aucun bulletin de la campagne n’a ce reçu.'),
    },
  },
});

export const DOSSIER = errorsOf('Dossier', {
  NonPret: {
    status: 409,
    title: { en: 'Bundle not ready', fr: fr('Dossier non prêt') },
    description: {
      en: 'Not everything that was asked for is signed yet: the bundle comes some seconds after the vote has ended, the proof of a receipt with the next checkpoint. Retry after `Retry-After`, or wait for the events `campagne.scellee` and `campagne.engagee`. Without `Retry-After` there will be none; see `detail`.',
      fr: fr(
        'Tout ce qui a été demandé n’est pas encore signé : le dossier arrive quelques secondes après la fin du vote, la preuve d’un reçu avec le prochain engagement. Réessayez après `Retry-After`, ou attendez les événements `campagne.scellee` et `campagne.engagee`. Sans `Retry-After`, il n’y en aura pas; voyez `detail`.',
      ),
    },
  },
});

export const OPTION = errorsOf('Option', {
  NotFound: {
    status: 404,
    title: { en: 'Option not found', fr: fr('Option introuvable') },
    description: {
      en: 'The question has no option with this id.',
      fr: fr('La question n’a aucune option avec cet identifiant.'),
    },
  },
  LibelleEnDouble: {
    status: 400,
    title: { en: 'Two equal options', fr: fr('Deux options identiques') },
    description: {
      en: 'Two options of a question have the same label and description, without regard to case and space: the votes would be divided. Remove one, or change its label or description, before publishing the campaign.',
      fr: fr(
        'Deux options d’une question ont le même libellé et la même description, sans égard à la casse ni aux espaces : les votes seraient divisés. Retirez-en une, ou changez son libellé ou sa description, avant de publier la campagne.',
      ),
    },
  },
});

export const VOTANT = errorsOf('Votant', {
  NotFound: {
    status: 404,
    title: { en: 'Voter not found', fr: fr('Votant introuvable') },
    description: {
      en: 'The campaign has no voter with this id (GUID).',
      fr: fr('La campagne n’a aucun votant avec cet identifiant (GUID).'),
    },
    detail: {
      en: 'The campaign has no voter with this id.',
      fr: fr('La campagne n’a aucun votant avec cet identifiant.'),
    },
  },
  IdentifiantDejaUtilise: {
    status: 409,
    title: { en: 'Voter identifier already used', fr: fr('Identifiant de votant déjà utilisé') },
    description: {
      en: 'Another voter of the campaign has this `Identifiant`. Give `VotantId` to change that voter.',
      fr: fr(
        'Un autre votant de la campagne a cet `Identifiant`. Donnez `VotantId` pour modifier ce votant.',
      ),
    },
  },
  EmployeDejaInscrit: {
    status: 409,
    title: { en: 'Employee already on the roll', fr: fr('Employé déjà inscrit à la liste électorale') },
    description: {
      en: 'The employee is already a voter of the campaign, and votes only once. Give `VotantId` to change that voter.',
      fr: fr(
        'L’employé est déjà votant de la campagne et ne vote qu’une fois. Donnez `VotantId` pour modifier ce votant.',
      ),
    },
  },
  PoidsIdentifiants: {
    status: 409,
    title: { en: 'Weight that singles voters out', fr: fr('Poids qui permet d’identifier des votants') },
    description: {
      en: 'After this write, a weight would be held by fewer voters with the right to vote than the `seuilAnonymat` of the published campaign. Nothing was written. Give a weight that others have.',
      fr: fr(
        'Après cette écriture, un poids serait attribué à moins de votants ayant droit de vote que le `seuilAnonymat` de la campagne publiée. Rien n’a été écrit. Donnez un poids que d’autres ont.',
      ),
    },
  },
  AVote: {
    status: 409,
    title: { en: 'Voter has voted', fr: fr('Le votant a voté') },
    description: {
      en: 'A voter who has voted cannot be deleted, and keeps identifier, employee, union, employer, weight and right to vote. Names and address may be corrected.',
      fr: fr(
        'Un votant qui a voté ne peut pas être supprimé, et conserve son identifiant, son employé, son syndicat, son employeur, son poids et son droit de vote. Ses noms et son adresse peuvent être corrigés.',
      ),
    },
  },
});

export const LISTE_ELECTORALE = errorsOf('ListeElectorale', {
  EcartsPerimes: {
    status: 409,
    title: { en: 'Differences have changed', fr: fr('Les écarts ont changé') },
    description: {
      en: 'The differences between the roll and the master data are not those of this `empreinte`. Nothing was written. Read the differences again.',
      fr: fr(
        'Les écarts entre la liste électorale et les données de référence ne sont pas ceux de cette `empreinte`. Rien n’a été écrit. Relisez les écarts.',
      ),
    },
  },
});

/** Errors of campaigns, questions, voters, votes and ballot boxes. */
export const VOTING_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CAMPAGNE),
  ...Object.values(URNE),
  ...Object.values(QUESTION),
  ...Object.values(VOTE),
  ...Object.values(CHIFFREMENT),
  ...Object.values(RECU),
  ...Object.values(DOSSIER),
  ...Object.values(OPTION),
  ...Object.values(VOTANT),
  ...Object.values(LISTE_ELECTORALE),
];
