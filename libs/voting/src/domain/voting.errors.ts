import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const CAMPAGNE = errorsOf('Campagne', {
  NotFound: {
    status: 404,
    title: 'Campaign not found',
    description: 'No campaign of the tenant has this id.',
  },
  OuvertureVoteApresFermeture: {
    status: 400,
    title: 'Opening after closing',
    description: '`ouvertureDuVoteUtc` is after `fermetureDuVoteUtc`. Open the vote before it closes.',
  },
  NomDejaUtilise: {
    status: 409,
    title: 'Title already used',
    description:
      'Another campaign has this title; upper and lower case and the space around it make no difference. Choose another title.',
  },
  SlugDejaUtilise: {
    status: 409,
    title: 'Slug already used',
    description:
      'Another campaign has the slug that is made of this title: the titles differ only in accents, signs or letters that are transliterated alike. Choose another title.',
  },
  ModificationNonPermise: {
    status: 409,
    title: 'Change not permitted',
    description:
      'The state of the campaign does not permit this change. While the vote is open, only a later closing and the text of the welcome page may change; the roll may until the campaign ends; afterwards nothing may.',
  },
  StructureVerrouillee: {
    status: 409,
    title: 'Structure locked',
    description:
      'Questions, options and their order are frozen once a campaign is published or archived. Unpublish it first, which is possible as long as there are no votes.',
  },
  StructureTropGrande: {
    status: 409,
    title: 'Too many questions or options',
    description: 'A campaign has at most 200 questions, and a question at most 500 options.',
  },
  SupprimerAvecVotes: {
    status: 409,
    title: 'Votes recorded',
    description:
      'The campaign cannot be deleted because it has votes. Archive it once it has ended. An archived one is kept.',
  },
  TransitionNonPermise: {
    status: 400,
    title: 'Transition not permitted',
    description:
      'The state of the campaign, or a closing date that has passed, does not permit this transition.',
  },
  AucuneQuestion: {
    status: 400,
    title: 'No question',
    description: 'The campaign has no question. Add one before publishing it.',
  },
  TropVolumineuse: {
    status: 400,
    title: 'Campaign too large',
    description:
      'The texts of the campaign are too large, or its result could become too large to be counted and returned. Titles, labels and descriptions of all questions and options together have at most 2 MiB (UTF-8) at publication, those of one question always: shorten them. The size of a result is, summed over the questions, options times rounds. A ranked question has as many rounds as options, an election that is not ranked as many as seats, any other question one. The limit is 500,000. Give ranked questions fewer options, or divide the questions among several campaigns.',
  },
  PoidsIdentifiants: {
    status: 400,
    title: 'Weights that single voters out',
    description:
      'A weight is held by fewer voters with the right to vote than the campaign’s `seuilAnonymat`: the result would reveal their choice. Give more voters this weight, or ask an administrator for another threshold for this campaign.',
  },
  DepublierAvecVotes: {
    status: 400,
    title: 'Votes recorded',
    description: 'The campaign cannot be unpublished because it has votes. Close it instead.',
  },
});

export const URNE = errorsOf('Urne', {
  NonConstatable: {
    status: 409,
    title: 'Nothing to seal without a result',
    description:
      'An administrator can seal a ballot box without a result only after the sealing found that ballots, receipts and voters do not agree.',
  },
});

export const QUESTION = errorsOf('Question', {
  OptionsInsuffisantes: {
    status: 400,
    title: 'Not enough options',
    description:
      'A question has no option, or fewer than an answer must name (`MinReponses`). Add options before publishing the campaign.',
  },
  NotFound: {
    status: 404,
    title: 'Question not found',
    description: 'The campaign has no question with this id.',
  },
  PreferentielNonSupporte: {
    status: 400,
    title: 'Ranking not supported',
    description:
      'Questions of type Proposition cannot be ranked. Set `EstPreferentiel` to false, or choose the type ChoixLibre or Election.',
  },
});

export const VOTE = errorsOf('Vote', {
  AucunVotant: {
    status: 400,
    title: 'No voter',
    description: 'The campaign has no voter. Add voters, or make an electoral list, before publishing it.',
  },
  CampagneNonOuverte: {
    status: 409,
    title: 'Vote not open',
    description: 'Ballots are accepted only from the opening of the vote until its closing.',
  },
  DejaVote: {
    status: 409,
    title: 'Has voted already',
    description: 'The voter has voted. That ballot is counted; it cannot be changed or taken back.',
  },
  SansDroitDeVote: {
    status: 409,
    title: 'No right to vote',
    description: 'The voter is on the roll without the right to vote.',
  },
  BulletinInvalide: {
    status: 400,
    title: 'Invalid ballot',
    description:
      'The ballot does not answer each question of the campaign once, each with as many of its options as it may name, or with an abstention. See `errors`.',
  },
  RecuDejaUtilise: {
    status: 409,
    title: 'Receipt already used',
    description:
      'A ballot of the campaign has this `EmpreinteRecu`; this ballot was not counted. Make another receipt and cast the ballot again.',
  },
});

export const RECU = errorsOf('Recu', {
  NotFound: {
    status: 404,
    title: 'Receipt not found',
    description: 'No ballot of the campaign has this receipt.',
  },
});

export const DOSSIER = errorsOf('Dossier', {
  NonPret: {
    status: 409,
    title: 'Bundle not ready',
    description:
      'Not everything that was asked for is signed yet: the bundle comes some seconds after the vote has ended, the proof of a receipt with the next checkpoint. Retry after `Retry-After`, or wait for the events `campagne.scellee` and `campagne.engagee`. Without `Retry-After` there will be none; see `detail`.',
  },
});

export const OPTION = errorsOf('Option', {
  NotFound: {
    status: 404,
    title: 'Option not found',
    description: 'The question has no option with this id.',
  },
  LibelleEnDouble: {
    status: 400,
    title: 'Two equal options',
    description:
      'Two options of a question have the same label and description, without regard to case and space: the votes would be divided. Remove one, or change its label or description, before publishing the campaign.',
  },
});

export const VOTANT = errorsOf('Votant', {
  NotFound: {
    status: 404,
    title: 'Voter not found',
    description: 'The campaign has no voter with this id (GUID).',
  },
  IdentifiantDejaUtilise: {
    status: 409,
    title: 'Voter identifier already used',
    description:
      'Another voter of the campaign has this `Identifiant`. Give `VotantId` to change that voter.',
  },
  EmployeDejaInscrit: {
    status: 409,
    title: 'Employee already on the roll',
    description:
      'The employee is already a voter of the campaign, and votes only once. Give `VotantId` to change that voter.',
  },
  PoidsIdentifiants: {
    status: 409,
    title: 'Weight that singles voters out',
    description:
      'After this write, a weight would be held by fewer voters with the right to vote than the `seuilAnonymat` of the published campaign. Nothing was written. Give a weight that others have.',
  },
  AVote: {
    status: 409,
    title: 'Voter has voted',
    description:
      'A voter who has voted cannot be deleted, and keeps identifier, employee, union, employer, weight and right to vote. Names and address may be corrected.',
  },
});

export const LISTE_ELECTORALE = errorsOf('ListeElectorale', {
  EcartsPerimes: {
    status: 409,
    title: 'Differences have changed',
    description:
      'The differences between the roll and the master data are not those of this `empreinte`. Nothing was written. Read the differences again.',
  },
});

/** Errors of campaigns, questions, voters, votes and ballot boxes. */
export const VOTING_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(CAMPAGNE),
  ...Object.values(URNE),
  ...Object.values(QUESTION),
  ...Object.values(VOTE),
  ...Object.values(RECU),
  ...Object.values(DOSSIER),
  ...Object.values(OPTION),
  ...Object.values(VOTANT),
  ...Object.values(LISTE_ELECTORALE),
];
