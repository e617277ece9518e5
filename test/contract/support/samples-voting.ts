import { bodies, each, ifMatch, ifNoneMatch, pages, type Sample, type Samples } from './sample';
import type { Identifiers } from './spaces';

const CAMPAGNES = '/b2b/v1/campagnes';
const DATES = { ouvertureDuVoteUtc: '2098-01-01T00:00:00Z', fermetureDuVoteUtc: '2099-01-01T00:00:00Z' };
const QUESTION = { Titre: 'Pour ou contre ?', Type: 'Proposition' };
const OPTION = { Libelle: 'Peut-être' };
const PERSON = { Prenom: 'Alex', Nom: 'Tremblay' };

/** An operation on a campaign: the caller's own, another tenant's and an unknown one. */
function onCampagnes(asked: Identifiers, own: Identifiers, end: string, body?: object): Sample[] {
  return [own.campagne, asked.campagne, asked.votant, asked.question].map((id) => ({
    path: `${CAMPAGNES}/${id}${end}`,
    ...(body ? { body } : {}),
  }));
}

/** A part of a campaign by both ids: either may be another tenant's. */
function onParts(
  kind: string,
  part: 'question' | 'votant',
  asked: Identifiers,
  own: Identifiers,
  end = '',
  body?: object,
): Sample[] {
  return [
    [own.campagne, own[part]],
    [own.campagne, asked[part]],
    [asked.campagne, asked[part]],
    [asked.campagne, own[part]],
  ].map(([campagne, id]) => ({
    path: `${CAMPAGNES}/${campagne}/${kind}/${id}${end}`,
    ...(body ? { body } : {}),
  }));
}

const onQuestions = (asked: Identifiers, own: Identifiers, end = '', body?: object): Sample[] =>
  onParts('questions', 'question', asked, own, end, body);

/** An option by all three ids: each may be another tenant's. */
function onOptions(asked: Identifiers, own: Identifiers, body?: object): Sample[] {
  return [own.option, asked.option].flatMap((option) => onQuestions(asked, own, `/options/${option}`, body));
}

const campagne = (titre: string) => ({ titre, ...DATES });

function transition(name: string): Record<string, Samples> {
  return { [`POST ${CAMPAGNES}/:id/${name}`]: (asked, own) => onCampagnes(asked, own, `/${name}`) };
}

/** Campaigns, questions, options, voters, lists, ballots and results. */
export const VOTING_SAMPLES: Readonly<Record<string, Samples>> = {
  'GET /b2b/v1/campagnes': (asked) =>
    pages(CAMPAGNES, asked.curseurCampagnes, `?titre=${asked.mark}`, '?etat=Brouillon'),
  'POST /b2b/v1/campagnes': (asked) =>
    bodies(
      CAMPAGNES,
      { ...campagne(asked.titre), id: asked.campagne },
      // The caller also uses this slug; only the other tenant uses this title.
      campagne(asked.titreSemblable),
    ),
  'GET /b2b/v1/campagnes/:id': (asked, own) => [
    ...onCampagnes(asked, own, ''),
    ifNoneMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne),
  ],
  'PUT /b2b/v1/campagnes/:id': (asked, own) => [
    ...onCampagnes(asked, own, '', campagne('Autre titre')),
    ifMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne, campagne('Autre titre')),
    // The slug of the caller's other campaign.
    {
      path: `${CAMPAGNES}/${own.campagne}`,
      body: { ...campagne(asked.titreSemblable), id: asked.campagne },
    },
  ],
  'DELETE /b2b/v1/campagnes/:id': (asked, own) => [
    ...onCampagnes(asked, own, ''),
    ifMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne),
  ],
  'GET /b2b/v1/campagnes/:id/validation': (asked, own) => onCampagnes(asked, own, '/validation'),
  ...transition('publier'),
  ...transition('depublier'),
  ...transition('ouvrir'),
  ...transition('fermer'),
  ...transition('archiver'),
  [`PUT ${CAMPAGNES}/:id/graine-partenaire`]: (asked, own) =>
    onCampagnes(asked, own, '/graine-partenaire', { graine: Buffer.alloc(32, 1).toString('base64') }),

  'GET /b2b/v1/campagnes/:id/questions': (asked, own) => [
    ...onCampagnes(asked, own, '/questions'),
    ...each(
      `${CAMPAGNES}/${own.campagne}/questions`,
      `?curseur=${asked.curseurQuestions}`,
      `?limite=1&curseur=${asked.curseurQuestions}`,
    ),
  ],
  'POST /b2b/v1/campagnes/:id/questions': (asked, own) => [
    ...onCampagnes(asked, own, '/questions', QUESTION),
    {
      path: `${CAMPAGNES}/${own.campagne}/questions`,
      body: { ...QUESTION, Id: asked.question, Options: [{ ...OPTION, Id: asked.option }] },
    },
  ],
  'PUT /b2b/v1/campagnes/:id/questions/ordre': (asked, own) => [
    ...onCampagnes(asked, own, '/questions/ordre', { QuestionIds: [own.questionAutre, own.question] }),
    ...onCampagnes(asked, own, '/questions/ordre', { QuestionIds: [asked.questionAutre, asked.question] }),
  ],
  'GET /b2b/v1/campagnes/:id/questions/:questionId': (asked, own) => [
    ...onQuestions(asked, own),
    ifNoneMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion),
  ],
  'PUT /b2b/v1/campagnes/:id/questions/:questionId': (asked, own) => [
    ...onQuestions(asked, own, '', QUESTION),
    ifMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion, QUESTION),
    {
      path: `${CAMPAGNES}/${own.campagne}/questions/${own.question}`,
      body: { ...QUESTION, Type: 'ChoixLibre', Options: [{ ...OPTION, Id: asked.option }] },
    },
  ],
  'DELETE /b2b/v1/campagnes/:id/questions/:questionId': (asked, own) => [
    ...onQuestions(asked, own),
    ifMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion),
  ],

  'GET /b2b/v1/campagnes/:id/questions/:questionId/options': (asked, own) => [
    ...onQuestions(asked, own, '/options'),
    ...each(
      `${CAMPAGNES}/${own.campagne}/questions/${own.question}/options`,
      `?curseur=${asked.curseurOptions}`,
      `?limite=1&curseur=${asked.curseurOptions}`,
    ),
  ],
  'POST /b2b/v1/campagnes/:id/questions/:questionId/options': (asked, own) =>
    onQuestions(asked, own, '/options', { ...OPTION, Id: asked.option }),
  'PUT /b2b/v1/campagnes/:id/questions/:questionId/options/ordre': (asked, own) => [
    ...onQuestions(asked, own, '/options/ordre', { OptionIds: [own.optionAutre, own.option] }),
    ...onQuestions(asked, own, '/options/ordre', { OptionIds: [asked.optionAutre, asked.option] }),
  ],
  'GET /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': (asked, own) => [
    ...onOptions(asked, own),
    ifNoneMatch(
      `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
      asked.etagOption,
    ),
  ],
  'PUT /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': (asked, own) => [
    ...onOptions(asked, own, OPTION),
    ifMatch(
      `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
      asked.etagOption,
      OPTION,
    ),
  ],
  'DELETE /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': (asked, own) => [
    ...onOptions(asked, own),
    ifMatch(
      `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
      asked.etagOption,
    ),
  ],

  'GET /b2b/v1/campagnes/:id/votants': (asked, own) => [
    ...onCampagnes(asked, own, '/votants'),
    ...each(
      `${CAMPAGNES}/${own.campagne}/votants`,
      `?syndicatIdExterne=${asked.syndicat}`,
      `?employeurIdentifiantExterne=${asked.employeur}`,
      '?aVote=false&aDroitDeVote=true',
      `?curseur=${asked.curseurVotants}`,
      `?limite=1&curseur=${asked.curseurVotants}`,
    ),
  ],
  'GET /b2b/v1/campagnes/:id/votants/:votantId': (asked, own) => [
    ...onParts('votants', 'votant', asked, own),
    ifNoneMatch(`${CAMPAGNES}/${asked.campagne}/votants/${asked.votant}`, asked.etagVotant),
  ],
  'POST /b2b/v1/campagnes/:id/votants/upsert': (asked, own) => {
    const records = [
      { ...PERSON, Identifiant: asked.identifiantVotant },
      { ...PERSON, VotantId: asked.votant },
      { ...PERSON, EmployeIdExterne: asked.employe },
      { EmployeIdExterne: asked.employe },
      { ...PERSON, SyndicatIdExterne: asked.syndicat },
      { ...PERSON, EmployeurIdentifiantExterne: asked.employeur },
    ];
    const path = `${CAMPAGNES}/${own.campagne}/votants/upsert`;
    return [
      ...onCampagnes(asked, own, '/votants/upsert', PERSON),
      ...records.map((body) => ({ path, body })),
      { path, body: records },
    ];
  },
  'PUT /b2b/v1/campagnes/:id/votants/droit-de-vote': (asked, own) => {
    const taken = (...VotantIds: string[]) => ({ VotantIds, ADroitDeVote: false });
    return [
      ...onCampagnes(asked, own, '/votants/droit-de-vote', taken(own.votant)),
      ...onCampagnes(asked, own, '/votants/droit-de-vote', taken(asked.votant, own.votantAutre)),
    ];
  },
  'DELETE /b2b/v1/campagnes/:id/votants/:votantId': (asked, own) => [
    ...onParts('votants', 'votant', asked, own),
    ifMatch(`${CAMPAGNES}/${asked.campagne}/votants/${asked.votant}`, asked.etagVotant),
  ],

  'GET /b2b/v1/campagnes/:id/liste-electorale': (asked, own) => [
    ...onCampagnes(asked, own, '/liste-electorale'),
    ...each(
      `${CAMPAGNES}/${own.campagne}/liste-electorale`,
      `?curseur=${asked.curseurListes}`,
      `?limite=1&curseur=${asked.curseurListes}`,
    ),
  ],
  'POST /b2b/v1/campagnes/:id/liste-electorale': (asked, own) => {
    const path = `${CAMPAGNES}/${own.campagneSemblable}/liste-electorale`;
    return [
      ...onCampagnes(asked, own, '/liste-electorale', { EmployesIdExternes: [own.employeV2] }),
      { path, body: { SyndicatsIdExternes: [asked.syndicat] } },
      { path, body: { EmployeursIdentifiantsExternes: [asked.employeur] } },
      { path, body: { EmployesIdExternes: [asked.employeV2] } },
    ];
  },
  'GET /b2b/v1/campagnes/:id/liste-electorale/ecarts': (asked, own) => [
    ...onCampagnes(asked, own, '/liste-electorale/ecarts'),
    ...onCampagnes(asked, own, '/liste-electorale/ecarts?nature=AModifier'),
  ],
  'POST /b2b/v1/campagnes/:id/liste-electorale/ecarts/appliquer': (asked, own) => {
    const body = (empreinte: string) => ({ empreinte, natures: ['AAjouter', 'ARetirer', 'AModifier'] });
    return [
      ...onCampagnes(asked, own, '/liste-electorale/ecarts/appliquer', body('0'.repeat(64))),
      ...onCampagnes(asked, own, '/liste-electorale/ecarts/appliquer', body(asked.empreinteEcarts)),
    ];
  },

  'GET /b2b/v1/campagnes/:id/engagements': (asked, own) => [
    ...onCampagnes(asked, own, '/engagements'),
    ...each(`${CAMPAGNES}/${own.campagneOuverte}/engagements`, '', '?limite=1'),
    { path: `${CAMPAGNES}/${asked.campagneOuverte}/engagements` },
  ],
  'GET /b2b/v1/campagnes/:id/engagements/coherence': (asked, own) => [
    ...onCampagnes(asked, own, '/engagements/coherence?de=1&a=1'),
    ...each(`${CAMPAGNES}/${own.campagneOuverte}/engagements/coherence`, '?de=1&a=1', '?de=1&a=2'),
    { path: `${CAMPAGNES}/${asked.campagneOuverte}/engagements/coherence?de=1&a=1` },
  ],

  ...Object.fromEntries(
    ['dossier', 'dossier/archive', 'emargement'].map((end): [string, Samples] => [
      `GET ${CAMPAGNES}/:id/${end}`,
      (asked, own) =>
        [own.campagneComptee, asked.campagneComptee, asked.campagne].map((id) => ({
          path: `${CAMPAGNES}/${id}/${end}`,
        })),
    ]),
  ),
  'GET /plateforme/v1/campagnes/:id/votants/:votantId/preuve': (asked, own) =>
    [own.campagneComptee, asked.campagneComptee].flatMap((id) =>
      [own.votantCompte, asked.votantCompte].map((votant) => ({
        path: `/plateforme/v1/campagnes/${id}/votants/${votant}/preuve`,
      })),
    ),
  'GET /b2b/v1/campagnes/:id/stats': (asked, own) => [
    ...onCampagnes(asked, own, '/stats'),
    ...each(
      `${CAMPAGNES}/${own.campagneOuverte}/stats`,
      `?syndicatIdExterne=${asked.syndicat}`,
      `?employeurIdentifiantExterne=${asked.employeur}`,
      `?syndicatIdExterne=${asked.syndicat}&employeurIdentifiantExterne=${own.employeur}`,
    ),
  ],

  'POST /plateforme/v1/campagnes/:id/bulletins': (asked, own) => {
    const ballot = (of: Identifiers, rest: object = {}) => ({
      VotantId: of.electeur,
      Reponses: [{ QuestionId: of.questionOuverte, Options: [of.optionOuverte], ...rest }],
    });
    return [
      [own.campagneOuverte, ballot(own, { Options: [asked.optionOuverte] })],
      [own.campagneOuverte, ballot(own, { QuestionId: asked.questionOuverte })],
      [own.campagneOuverte, { ...ballot(own), VotantId: asked.electeur }],
      [asked.campagneOuverte, ballot(own)],
      [asked.campagneOuverte, ballot(asked)],
      [own.campagneOuverte, ballot(own)],
    ].map(([id, body]) => ({
      path: `/plateforme/v1/campagnes/${id as string}/bulletins`,
      body: body as object,
    }));
  },
  'GET /plateforme/v1/campagnes/:id/recus/:recu': (asked, own) =>
    [
      [own.campagneOuverte, own.recu],
      [own.campagneOuverte, asked.recu],
      [asked.campagneOuverte, asked.recu],
      [asked.campagneOuverte, own.recu],
    ].map(([id, recu]) => ({ path: `/plateforme/v1/campagnes/${id}/recus/${recu}` })),
  'GET /plateforme/v1/campagnes/:id/recus/:empreinte/preuve': (asked, own) =>
    [
      [own.campagneOuverte, own.empreinteRecu],
      [own.campagneOuverte, asked.empreinteRecu],
      [asked.campagneOuverte, asked.empreinteRecu],
      [asked.campagneOuverte, own.empreinteRecu],
    ].map(([id, empreinte]) => ({ path: `/plateforme/v1/campagnes/${id}/recus/${empreinte}/preuve` })),
};
