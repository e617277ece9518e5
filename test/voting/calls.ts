import { createHash } from 'node:crypto';
import { EXAMPLE_CLIENT_ID } from '../../libs/clients/src';
import { ENCRYPTED_EXAMPLES, VOTING_EXAMPLE_IDS } from '../../libs/voting/src';
import {
  bodies,
  type Call,
  type Calls,
  each,
  ifMatch,
  ifNoneMatch,
  type More,
  pages,
  type Sample,
} from '../contract/support/calls';
import type { Identifiers } from '../contract/support/spaces';
import { held } from './support/held';

const CAMPAGNES = '/b2b/v1/campagnes';
const DATES = { ouvertureDuVoteUtc: '2098-01-01T00:00:00Z', fermetureDuVoteUtc: '2099-01-01T00:00:00Z' };
const campagne = (titre: string) => ({ titre, ...DATES });

/** An operation on a campaign: the caller's own, another tenant's and an unknown one. */
function onCampagnes(asked: Identifiers, own: Identifiers, end: string, body?: object): Sample[] {
  return [own.campagne, asked.campagne, asked.votant, asked.question].map((id) => ({
    path: `${CAMPAGNES}/${id}${end}`,
    ...(body ? { body } : {}),
  }));
}

const QUESTION = { Titre: 'Pour ou contre ?', Type: 'Proposition' };
const OPTION = { Libelle: 'Peut-être' };

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

const PERSON = { Prenom: 'Alex', Nom: 'Tremblay' };
const CLIENTS = '/admin/v1/clients';

type Place = (of: typeof held) => string;

type Placed = Omit<Partial<Call>, 'path'> & { readonly at: Place };

const PATH = '/b2b/v1/campagnes';

/** Calls whose paths are known after the campaigns were created, and changes of the example's body. */
function changing(changes: readonly object[], ...places: (Place | Placed)[]): More {
  return {
    changes,
    get calls() {
      return places.map((place) => {
        const { at, ...call } = typeof place === 'function' ? { at: place } : place;
        return { ...call, path: `${PATH}/${at(held)}` };
      });
    },
  };
}

const later = (...places: (Place | Placed)[]): More => changing([], ...places);
const OF_ADMINISTRATION_PATH = `/admin/v1/clients/${EXAMPLE_CLIENT_ID}/environnements/staging/campagnes`;
const RANKED = { ...QUESTION, EstPreferentiel: true };
const NOTHING = '00000000-0000-4000-8000-000000000000';

/** Files of a guardian with the right shape and a wrong signature. */
const FILE = { campagneId: VOTING_EXAMPLE_IDS.chiffree, gardien: 1, signature: 'A'.repeat(86) };
const GUARDIANS = { gardiens: [{ nom: 'Ariane Lapointe' }], seuil: 1 };

/** An operation on an encrypted vote: the caller's own, another tenant's, and others of both. */
function onEncrypted(asked: Identifiers, own: Identifiers, end: string, body?: object): Sample[] {
  return [own.campagneChiffree, asked.campagneChiffree, asked.campagne].map((id) => ({
    path: `${CAMPAGNES}/${id}/chiffrement/${end}`,
    ...(body ? { body } : {}),
  }));
}

const onDossiers = (asked: Identifiers, own: Identifiers, end: string): Sample[] =>
  [own.campagneComptee, asked.campagneComptee, asked.campagne].map((id) => ({
    path: `${CAMPAGNES}/${id}/${end}`,
  }));

/** Campaigns, questions, options, voters, lists, ballots, results and bundles. */
export const CALLS: Calls = {
  'GET /b2b/v1/campagnes': {
    foreign: (asked) => pages(CAMPAGNES, asked.curseurCampagnes, `?titre=${asked.mark}`, '?etat=Brouillon'),
  },
  'POST /b2b/v1/campagnes': {
    foreign: (asked) =>
      bodies(
        CAMPAGNES,
        { ...campagne(asked.titre), id: asked.campagne },
        // The caller also uses this slug; only the other tenant uses this title.
        campagne(asked.titreSemblable),
      ),
    more: {
      changes: [
        { ouvertureDuVoteUtc: '2099-12-31T00:00:00Z' },
        // The slug, and not the title, of the example.
        { titre: 'Élection du comité exécutif 2027 !' },
      ],
    },
  },
  'GET /b2b/v1/campagnes/:id': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, ''),
      ifNoneMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne),
    ],
    more: later(
      (of) => of.empty,
      (of) => of.ranked,
    ),
  },
  'PUT /b2b/v1/campagnes/:id': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '', campagne('Autre titre')),
      ifMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne, campagne('Autre titre')),
      // The slug of the caller's other campaign.
      {
        path: `${CAMPAGNES}/${own.campagne}`,
        body: { ...campagne(asked.titreSemblable), id: asked.campagne },
      },
    ],
    more: changing(
      [
        { ouvertureDuVoteUtc: '2099-12-31T00:00:00Z' },
        { titre: 'Vote en cours' },
        { titre: 'Vote en cours !' },
      ],
      (of) => of.ended,
    ),
  },
  'DELETE /b2b/v1/campagnes/:id': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, ''),
      ifMatch(`${CAMPAGNES}/${asked.campagne}`, asked.etagCampagne),
    ],
    more: later((of) => of.voted),
  },
  'GET /b2b/v1/campagnes/:id/validation': {
    foreign: (asked, own) => onCampagnes(asked, own, '/validation'),
    more: later((of) => `${of.empty}/validation`),
  },
  'POST /b2b/v1/campagnes/:id/publier': {
    foreign: (asked, own) => onCampagnes(asked, own, '/publier'),
    more: later(
      (of) => `${of.voted}/publier`,
      (of) => `${of.empty}/publier`,
      (of) => `${of.without}/publier`,
      (of) => `${of.doubled}/publier`,
      (of) => `${of.vast}/publier`,
      (of) => `${of.unattended}/publier`,
      (of) => `${of.singled}/publier`,
      (of) => `${of.encryptedRanked}/publier`,
      () => `${VOTING_EXAMPLE_IDS.chiffree}/publier`,
    ),
  },
  'POST /b2b/v1/campagnes/:id/depublier': {
    foreign: (asked, own) => onCampagnes(asked, own, '/depublier'),
    more: later(
      (of) => `${of.voted}/depublier`,
      (of) => `${of.empty}/depublier`,
    ),
  },
  'POST /b2b/v1/campagnes/:id/ouvrir': {
    foreign: (asked, own) => onCampagnes(asked, own, '/ouvrir'),
    more: later((of) => `${of.empty}/ouvrir`),
  },
  'POST /b2b/v1/campagnes/:id/fermer': {
    foreign: (asked, own) => onCampagnes(asked, own, '/fermer'),
    more: later((of) => `${of.empty}/fermer`),
  },
  'POST /b2b/v1/campagnes/:id/archiver': {
    foreign: (asked, own) => onCampagnes(asked, own, '/archiver'),
    more: later((of) => `${of.voted}/archiver`),
  },
  'PUT /b2b/v1/campagnes/:id/graine-partenaire': {
    foreign: (asked, own) =>
      onCampagnes(asked, own, '/graine-partenaire', { graine: Buffer.alloc(32, 1).toString('base64') }),
    more: later((of) => `${of.empty}/graine-partenaire`),
  },
  'GET /b2b/v1/campagnes/:id/questions': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/questions'),
      ...each(
        `${CAMPAGNES}/${own.campagne}/questions`,
        `?curseur=${asked.curseurQuestions}`,
        `?limite=1&curseur=${asked.curseurQuestions}`,
      ),
    ],
  },
  'POST /b2b/v1/campagnes/:id/questions': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/questions', QUESTION),
      {
        path: `${CAMPAGNES}/${own.campagne}/questions`,
        body: { ...QUESTION, Id: asked.question, Options: [{ ...OPTION, Id: asked.option }] },
      },
    ],
    more: changing(
      [RANKED, QUESTION],
      (of) => `${of.voted}/questions`,
      (of) => `${of.full}/questions`,
    ),
  },
  'PUT /b2b/v1/campagnes/:id/questions/ordre': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/questions/ordre', { QuestionIds: [own.questionAutre, own.question] }),
      ...onCampagnes(asked, own, '/questions/ordre', { QuestionIds: [asked.questionAutre, asked.question] }),
    ],
    more: later((of) => `${of.voted}/questions/ordre`),
  },
  'GET /b2b/v1/campagnes/:id/questions/:questionId': {
    foreign: (asked, own) => [
      ...onQuestions(asked, own),
      ifNoneMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion),
    ],
    more: later((of) => `${of.voted}/questions/${of.question}`),
  },
  'PUT /b2b/v1/campagnes/:id/questions/:questionId': {
    foreign: (asked, own) => [
      ...onQuestions(asked, own, '', QUESTION),
      ifMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion, QUESTION),
      {
        path: `${CAMPAGNES}/${own.campagne}/questions/${own.question}`,
        body: { ...QUESTION, Type: 'ChoixLibre', Options: [{ ...OPTION, Id: asked.option }] },
      },
    ],
    more: changing([RANKED], (of) => `${of.voted}/questions/${of.question}`, {
      at: (of) => `${of.heavy}/questions/${of.heavyQuestion}`,
      body: { Titre: 'Plus long', Type: 'ChoixLibre' },
    }),
  },
  'DELETE /b2b/v1/campagnes/:id/questions/:questionId': {
    foreign: (asked, own) => [
      ...onQuestions(asked, own),
      ifMatch(`${CAMPAGNES}/${asked.campagne}/questions/${asked.question}`, asked.etagQuestion),
    ],
    more: later((of) => `${of.voted}/questions/${of.question}`),
  },
  'GET /b2b/v1/campagnes/:id/questions/:questionId/options': {
    foreign: (asked, own) => [
      ...onQuestions(asked, own, '/options'),
      ...each(
        `${CAMPAGNES}/${own.campagne}/questions/${own.question}/options`,
        `?curseur=${asked.curseurOptions}`,
        `?limite=1&curseur=${asked.curseurOptions}`,
      ),
    ],
  },
  'POST /b2b/v1/campagnes/:id/questions/:questionId/options': {
    foreign: (asked, own) => onQuestions(asked, own, '/options', { ...OPTION, Id: asked.option }),
    more: changing(
      [{ Description: null }],
      (of) => `${of.voted}/questions/${of.question}/options`,
      (of) => `${of.without}/questions/${of.fullQuestion}/options`,
      (of) => `${of.heavy}/questions/${of.heavyQuestion}/options`,
    ),
  },
  'PUT /b2b/v1/campagnes/:id/questions/:questionId/options/ordre': {
    foreign: (asked, own) => [
      ...onQuestions(asked, own, '/options/ordre', { OptionIds: [own.optionAutre, own.option] }),
      ...onQuestions(asked, own, '/options/ordre', { OptionIds: [asked.optionAutre, asked.option] }),
    ],
    more: later((of) => `${of.voted}/questions/${of.question}/options/ordre`),
  },
  'GET /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': {
    foreign: (asked, own) => [
      ...onOptions(asked, own),
      ifNoneMatch(
        `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
        asked.etagOption,
      ),
    ],
  },
  'PUT /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': {
    foreign: (asked, own) => [
      ...onOptions(asked, own, OPTION),
      ifMatch(
        `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
        asked.etagOption,
        OPTION,
      ),
    ],
    more: later((of) => `${of.voted}/questions/${of.question}/options/${of.option}`, {
      at: (of) => `${of.heavy}/questions/${of.heavyQuestion}/options/${of.heavyOption}`,
      body: { Libelle: 'Plus long' },
    }),
  },
  'DELETE /b2b/v1/campagnes/:id/questions/:questionId/options/:optionId': {
    foreign: (asked, own) => [
      ...onOptions(asked, own),
      ifMatch(
        `${CAMPAGNES}/${asked.campagne}/questions/${asked.question}/options/${asked.option}`,
        asked.etagOption,
      ),
    ],
    more: later((of) => `${of.voted}/questions/${of.question}/options/${of.option}`),
  },
  'GET /b2b/v1/campagnes/:id/votants': {
    csv: true,
    foreign: (asked, own) => [
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
    // Its voters got an email.
    more: { path: `${CAMPAGNES}/${VOTING_EXAMPLE_IDS.ouverte}/votants` },
  },
  'GET /b2b/v1/campagnes/:id/votants/:votantId': {
    foreign: (asked, own) => [
      ...onParts('votants', 'votant', asked, own),
      ifNoneMatch(`${CAMPAGNES}/${asked.campagne}/votants/${asked.votant}`, asked.etagVotant),
    ],
    more: later((of) => `${of.ended}/votants/${of.endedVoter}`),
  },
  'POST /b2b/v1/campagnes/:id/votants/upsert': {
    foreign: (asked, own) => {
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
    more: later(
      (of) => `${of.ended}/votants/upsert`,
      { at: (of) => `${of.weighted}/votants/upsert`, body: { Prenom: 'Alex', Nom: 'Roy', Poids: 3 } },
      ...[
        { Prenom: 'Alex', Nom: 'Tremblay' },
        { VotantId: NOTHING },
        { Prenom: 'Alex', Nom: 'Tremblay', Identifiant: 'ELECTEUR-1' },
        { EmployeIdExterne: 'E-9001' },
      ].map((body) => ({ at: (of: typeof held) => `${of.voted}/votants/upsert`, body })),
      // A getter, because the id is known only when the request is sent.
      {
        at: (of) => `${of.voted}/votants/upsert`,
        get body() {
          return { VotantId: held.voter, ADroitDeVote: false };
        },
      },
    ),
  },
  'PUT /b2b/v1/campagnes/:id/votants/droit-de-vote': {
    foreign: (asked, own) => {
      const taken = (...VotantIds: string[]) => ({ VotantIds, ADroitDeVote: false });
      return [
        ...onCampagnes(asked, own, '/votants/droit-de-vote', taken(own.votant)),
        ...onCampagnes(asked, own, '/votants/droit-de-vote', taken(asked.votant, own.votantAutre)),
      ];
    },
    more: later(
      (of) => `${of.ended}/votants/droit-de-vote`,
      {
        at: (of) => `${of.voted}/votants/droit-de-vote`,
        get body() {
          return { VotantIds: [held.voter], ADroitDeVote: false };
        },
      },
      {
        at: (of) => `${of.weighted}/votants/droit-de-vote`,
        get body() {
          return { VotantIds: [held.weightedVoter], ADroitDeVote: false };
        },
      },
    ),
  },
  'DELETE /b2b/v1/campagnes/:id/votants/:votantId': {
    foreign: (asked, own) => [
      ...onParts('votants', 'votant', asked, own),
      ifMatch(`${CAMPAGNES}/${asked.campagne}/votants/${asked.votant}`, asked.etagVotant),
    ],
    more: later(
      (of) => `${of.voted}/votants/${of.voter}`,
      (of) => `${of.ended}/votants/${of.endedVoter}`,
      (of) => `${of.weighted}/votants/${of.weightedVoter}`,
    ),
  },
  'GET /b2b/v1/campagnes/:id/liste-electorale': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/liste-electorale'),
      ...each(
        `${CAMPAGNES}/${own.campagne}/liste-electorale`,
        `?curseur=${asked.curseurListes}`,
        `?limite=1&curseur=${asked.curseurListes}`,
      ),
    ],
  },
  'POST /b2b/v1/campagnes/:id/liste-electorale': {
    foreign: (asked, own) => {
      const path = `${CAMPAGNES}/${own.campagneSemblable}/liste-electorale`;
      return [
        ...onCampagnes(asked, own, '/liste-electorale', { EmployesIdExternes: [own.employeV2] }),
        { path, body: { SyndicatsIdExternes: [asked.syndicat] } },
        { path, body: { EmployeursIdentifiantsExternes: [asked.employeur] } },
        { path, body: { EmployesIdExternes: [asked.employeV2] } },
      ];
    },
    more: changing(
      [
        { SyndicatsIdExternes: null, EmployesIdExternes: ['E-1001'] },
        { EmployeursIdentifiantsExternes: null },
      ],
      (of) => `${of.ended}/liste-electorale`,
      (of) => `${of.ended}/liste-electorale?simulation=true`,
      { at: (of) => `${of.weighted}/liste-electorale`, body: { EmployesIdExternes: ['E-1001'] } },
    ),
  },
  'GET /b2b/v1/campagnes/:id/liste-electorale/explication': {
    foreign: (asked, own) =>
      [own.employeV2, asked.employeV2].flatMap((employe) =>
        onCampagnes(asked, own, `/liste-electorale/explication?idExterneEmploye=${employe}`),
      ),
    more: {
      changes: [],
      get calls() {
        return [
          [held.ended, 'E-1001'],
          [held.ended, 'E-0'],
          [NOTHING, 'E-1001'],
          // Lists of the documented examples leave the first out. The last is not on the roll any more.
          [VOTING_EXAMPLE_IDS.campagne, 'E-1008'],
          [held.divergent, 'E-1001'],
          [held.divergent, 'E-9002'],
        ].map(([id, employe]) => ({
          path: `${CAMPAGNES}/${id}/liste-electorale/explication?idExterneEmploye=${employe}`,
        }));
      },
    },
  },
  'GET /plateforme/v1/campagnes/:id/eligibilite': {
    foreign: (asked, own) =>
      [own.campagne, asked.campagne].flatMap((campagne) =>
        [own.employeV2, asked.employeV2].map((employe) => ({
          path: `/plateforme/v1/campagnes/${campagne}/eligibilite?idExterneEmploye=${employe}`,
        })),
      ),
    more: {
      changes: [],
      get calls() {
        return [
          [held.ended, 'E-0'],
          [NOTHING, 'E-1001'],
          [held.divergent, 'E-9002'],
        ].map(([id, employe]) => ({
          path: `/plateforme/v1/campagnes/${id}/eligibilite?idExterneEmploye=${employe}`,
        }));
      },
    },
  },
  'GET /b2b/v1/campagnes/:id/liste-electorale/ecarts': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/liste-electorale/ecarts'),
      ...onCampagnes(asked, own, '/liste-electorale/ecarts?nature=AModifier'),
    ],
    more: later((of) => `${of.divergent}/liste-electorale/ecarts`),
  },
  'POST /b2b/v1/campagnes/:id/liste-electorale/ecarts/appliquer': {
    foreign: (asked, own) => {
      const body = (empreinte: string) => ({ empreinte, natures: ['AAjouter', 'ARetirer', 'AModifier'] });
      return [
        ...onCampagnes(asked, own, '/liste-electorale/ecarts/appliquer', body('0'.repeat(64))),
        ...onCampagnes(asked, own, '/liste-electorale/ecarts/appliquer', body(asked.empreinteEcarts)),
      ];
    },
    more: later(
      (of) => `${of.ended}/liste-electorale/ecarts/appliquer`,
      (of) => `${of.divergent}/liste-electorale/ecarts/appliquer`,
      {
        at: (of) => `${of.weighted}/liste-electorale/ecarts/appliquer`,
        get body() {
          return { empreinte: held.weightedEcarts, natures: ['AAjouter'] };
        },
      },
    ),
  },
  'GET /b2b/v1/campagnes/:id/engagements': {
    hasOnePage: true,
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/engagements'),
      ...each(`${CAMPAGNES}/${own.campagneOuverte}/engagements`, '', '?limite=1'),
      { path: `${CAMPAGNES}/${asked.campagneOuverte}/engagements` },
    ],
    more: later((of) => `${of.ended}/engagements`),
  },
  'GET /b2b/v1/campagnes/:id/engagements/coherence': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/engagements/coherence?de=1&a=1'),
      ...each(`${CAMPAGNES}/${own.campagneOuverte}/engagements/coherence`, '?de=1&a=1', '?de=1&a=2'),
      { path: `${CAMPAGNES}/${asked.campagneOuverte}/engagements/coherence?de=1&a=1` },
    ],
    more: later(
      (of) => `${of.empty}/engagements/coherence?de=1&a=1`,
      () => `${NOTHING}/engagements/coherence?de=1&a=1`,
    ),
  },
  'GET /plateforme/v1/campagnes/:id/votants/:votantId/preuve': {
    foreign: (asked, own) =>
      [own.campagneComptee, asked.campagneComptee].flatMap((id) =>
        [own.votantCompte, asked.votantCompte].map((votant) => ({
          path: `/plateforme/v1/campagnes/${id}/votants/${votant}/preuve`,
        })),
      ),
    more: {
      get calls() {
        return [held.empty, VOTING_EXAMPLE_IDS.comptee].map((campagne) => ({
          path: `/plateforme/v1/campagnes/${campagne}/votants/${NOTHING}/preuve`,
        }));
      },
    },
  },
  'GET /b2b/v1/campagnes/:id/stats': {
    csv: true,
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/stats'),
      ...each(
        `${CAMPAGNES}/${own.campagneOuverte}/stats`,
        `?syndicatIdExterne=${asked.syndicat}`,
        `?employeurIdentifiantExterne=${asked.employeur}`,
        `?syndicatIdExterne=${asked.syndicat}&employeurIdentifiantExterne=${own.employeur}`,
      ),
    ],
    more: later(
      (of) => `${of.ranked}/stats`,
      (of) => `${of.empty}/stats`,
      (of) => `${of.ended}/stats`,
      (of) => `${of.undecrypted}/stats`,
    ),
  },
  'POST /plateforme/v1/campagnes/:id/bulletins': {
    isUnrecorded: true,
    foreign: (asked, own) => {
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
        [asked.campagneChiffree, { VotantId: asked.votantChiffre, BulletinChiffre: 'AAAA' }],
        [own.campagneChiffree, { VotantId: asked.votantChiffre, BulletinChiffre: 'AAAA' }],
      ].map(([id, body]) => ({
        path: `/plateforme/v1/campagnes/${id as string}/bulletins`,
        body: body as object,
      }));
    },
    more: {
      changes: [
        { EmpreinteRecu: VOTING_EXAMPLE_IDS.empreinteRecu },
        { VotantId: NOTHING },
        { VotantId: VOTING_EXAMPLE_IDS.electriceAyantVote },
      ],
      get calls() {
        const plain = [
          [held.ended, held.endedVoter],
          [held.voted, held.unentitled],
          [held.voted, held.undecided],
          [held.voted, held.withDevice, held.waiting],
          [held.voted, held.withDevice, createHash('sha256').update('made by a device').digest('base64url')],
        ].map(([campagne, VotantId, EmpreinteRecu]) => ({
          path: `/plateforme/v1/campagnes/${campagne}/bulletins`,
          body:
            EmpreinteRecu !== undefined
              ? {
                  VotantId,
                  Reponses: [{ QuestionId: held.question, Options: [held.option] }],
                  EmpreinteRecu,
                }
              : { VotantId, Reponses: [] },
        }));
        const [sealed] = ENCRYPTED_EXAMPLES.bulletins;
        const { aDechiffrer, chiffreeOuverte, electeurChiffre } = VOTING_EXAMPLE_IDS;
        return [
          ...plain,
          { path: `/plateforme/v1/campagnes/${aDechiffrer}/bulletins`, body: sealed },
          {
            path: `/plateforme/v1/campagnes/${chiffreeOuverte}/bulletins`,
            body: { ...sealed, VotantId: electeurChiffre },
          },
        ];
      },
    },
  },
  'PUT /b2b/v1/campagnes/:id/chiffrement': {
    foreign: (asked, own) => [
      ...onCampagnes(asked, own, '/chiffrement', GUARDIANS),
      { path: `${CAMPAGNES}/${asked.campagneChiffree}/chiffrement`, body: GUARDIANS },
    ],
    more: later(
      (of) => `${of.voted}/chiffrement`,
      (of) => `${of.encryptedRanked}/chiffrement`,
      () => `${NOTHING}/chiffrement`,
    ),
  },
  'GET /b2b/v1/campagnes/:id/chiffrement/ceremonie': {
    foreign: (asked, own) => onEncrypted(asked, own, 'ceremonie'),
    more: later(
      (of) => `${of.empty}/chiffrement/ceremonie`,
      (of) => `${of.cheated}/chiffrement/ceremonie`,
      () => `${NOTHING}/chiffrement/ceremonie`,
      () => `${VOTING_EXAMPLE_IDS.chiffreeOuverte}/chiffrement/ceremonie`,
    ),
  },
  'POST /b2b/v1/campagnes/:id/chiffrement/ceremonie': {
    isUnrecorded: true,
    foreign: (asked, own) => onEncrypted(asked, own, 'ceremonie', { ...FILE, tour: 1 }),
    more: changing(
      [{ tour: 3 }, { signature: FILE.signature }],
      (of) => `${of.empty}/chiffrement/ceremonie`,
      () => `${NOTHING}/chiffrement/ceremonie`,
      { at: () => `${VOTING_EXAMPLE_IDS.chiffree}/chiffrement/ceremonie`, body: { ...FILE, tour: 2 } },
      {
        at: () => `${VOTING_EXAMPLE_IDS.chiffreeOuverte}/chiffrement/ceremonie`,
        body: { ...FILE, gardien: 2, tour: 1 },
      },
    ),
  },
  'GET /b2b/v1/campagnes/:id/chiffrement/depouillement': {
    foreign: (asked, own) => onEncrypted(asked, own, 'depouillement'),
    more: later(
      (of) => `${of.empty}/chiffrement/depouillement`,
      () => `${NOTHING}/chiffrement/depouillement`,
      () => `${VOTING_EXAMPLE_IDS.chiffreeOuverte}/chiffrement/depouillement`,
    ),
  },
  'GET /b2b/v1/campagnes/:id/chiffrement/bulletins': {
    foreign: (asked, own) => onEncrypted(asked, own, 'bulletins'),
    file: 'application/x-ndjson',
    more: later(
      (of) => `${of.empty}/chiffrement/bulletins`,
      () => `${NOTHING}/chiffrement/bulletins`,
      () => `${VOTING_EXAMPLE_IDS.chiffreeOuverte}/chiffrement/bulletins`,
    ),
  },
  'POST /b2b/v1/campagnes/:id/chiffrement/depouillement': {
    isUnrecorded: true,
    foreign: (asked, own) => onEncrypted(asked, own, 'depouillement', { ...FILE, tour: 4 }),
    more: changing(
      [{ tour: 1 }, { signature: FILE.signature }],
      (of) => `${of.empty}/chiffrement/depouillement`,
      () => `${NOTHING}/chiffrement/depouillement`,
      () => `${VOTING_EXAMPLE_IDS.chiffreeOuverte}/chiffrement/depouillement`,
    ),
  },
  'GET /plateforme/v1/campagnes/:id/scrutin': {
    foreign: (asked, own) =>
      [own.campagneChiffree, asked.campagneChiffree, asked.campagne].map((id) => ({
        path: `/plateforme/v1/campagnes/${id}/scrutin`,
      })),
    more: {
      get calls() {
        return [held.empty, NOTHING].map((id) => ({ path: `/plateforme/v1/campagnes/${id}/scrutin` }));
      },
    },
  },
  'GET /plateforme/v1/campagnes/:id/recus/:recu': {
    foreign: (asked, own) =>
      [
        [own.campagneOuverte, own.recu],
        [own.campagneOuverte, asked.recu],
        [asked.campagneOuverte, asked.recu],
        [asked.campagneOuverte, own.recu],
      ].map(([id, recu]) => ({ path: `/plateforme/v1/campagnes/${id}/recus/${recu}` })),
  },
  'GET /plateforme/v1/campagnes/:id/recus/:empreinte/preuve': {
    foreign: (asked, own) =>
      [
        [own.campagneOuverte, own.empreinteRecu],
        [own.campagneOuverte, asked.empreinteRecu],
        [asked.campagneOuverte, asked.empreinteRecu],
        [asked.campagneOuverte, own.empreinteRecu],
      ].map(([id, empreinte]) => ({ path: `/plateforme/v1/campagnes/${id}/recus/${empreinte}/preuve` })),
    more: {
      changes: [],
      get calls() {
        return [{ path: `/plateforme/v1/campagnes/${held.voted}/recus/${held.waiting}/preuve` }];
      },
    },
  },
  'PUT /admin/v1/clients/:clientId/environnements/:environnement/campagnes/:id/seuil-anonymat': {
    foreign: (asked, own) => [
      {
        path: `${CLIENTS}/${own.clientId}/environnements/staging/campagnes/${asked.campagne}/seuil-anonymat`,
        body: { seuilAnonymat: 2, raison: 'Essai' },
      },
    ],
    more: {
      get calls() {
        return [{ path: `${OF_ADMINISTRATION_PATH}/${held.voted}/seuil-anonymat` }];
      },
    },
  },
  'POST /admin/v1/clients/:clientId/environnements/:environnement/campagnes/:id/urne/constater': {
    isUnrecorded: true,
    foreign: (asked, own) => [
      {
        path: `${CLIENTS}/${own.clientId}/environnements/staging/campagnes/${asked.campagne}/urne/constater`,
        body: { raison: 'Essai' },
      },
    ],
  },
  'GET /b2b/v1/campagnes/:id/dossier': {
    foreign: (asked, own) => onDossiers(asked, own, 'dossier'),
    more: later((of) => `${of.empty}/dossier`),
  },
  'GET /b2b/v1/campagnes/:id/dossier/archive': {
    foreign: (asked, own) => onDossiers(asked, own, 'dossier/archive'),
    file: 'application/x-tar',
    more: later((of) => `${of.empty}/dossier/archive`),
  },
  'GET /b2b/v1/campagnes/:id/emargement': {
    foreign: (asked, own) => onDossiers(asked, own, 'emargement'),
    file: 'application/x-ndjson',
    more: later((of) => `${of.empty}/emargement`),
  },
};
