import { createHash } from 'node:crypto';
import type { Answer } from '../../setup/test-app';
import { Guardians } from './encrypted';

/** Identifiers, ETags and cursors of a tenant's campaigns. */
export interface VotingIdentifiers {
  /** A draft with questions, voters and an electoral list. */
  readonly campagne: string;
  readonly titre: string;
  /** A different title for each tenant that gives the same slug: each tenant has its own campaign with it. */
  readonly titreSemblable: string;
  readonly campagneSemblable: string;
  readonly question: string;
  readonly questionAutre: string;
  readonly option: string;
  readonly optionAutre: string;
  /** The employee of the tenant with employments. */
  readonly votant: string;
  readonly votantAutre: string;
  readonly identifiantVotant: string;
  /** An open campaign with two voters and the receipt of the one who has voted. */
  readonly campagneOuverte: string;
  readonly questionOuverte: string;
  readonly optionOuverte: string;
  readonly electeur: string;
  readonly recu: string;
  readonly empreinteRecu: string;
  /** A sealed campaign with its bundle, and its voter. */
  readonly campagneComptee: string;
  readonly votantCompte: string;
  /** An encrypted vote that has ended, with its sums and its voter. */
  readonly campagneChiffree: string;
  readonly votantChiffre: string;
  readonly etagCampagne: string;
  readonly etagQuestion: string;
  readonly etagOption: string;
  readonly etagVotant: string;
  readonly curseurCampagnes: string;
  readonly curseurQuestions: string;
  readonly curseurOptions: string;
  readonly curseurVotants: string;
  readonly curseurListes: string;
  readonly empreinteEcarts: string;
}

/** Identifiers of the tenant that a roll uses. */
export interface Electors {
  readonly mark: string;
  /** Put into texts that only this tenant may read. */
  readonly secret: string;
  readonly employe: string;
  readonly employeV2: string;
  readonly syndicat: string;
  readonly employeur: string;
  /** Seals the ballot box of a campaign and builds its bundle, as a worker does. */
  readonly seal: (campagne: string) => Promise<void>;
  /** Signs the size of the log of receipts, as a worker does. */
  readonly engage: (campagne: string) => Promise<void>;
  /** Seals the ballot box of an encrypted vote and sums it up, as a worker does. */
  readonly sum: (campagne: string) => Promise<void>;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const CAMPAGNES = '/b2b/v1/campagnes';
const DATES = { ouvertureDuVoteUtc: '2098-01-01T00:00:00Z', fermetureDuVoteUtc: '2099-01-01T00:00:00Z' };

let dataSpaces = 0;

/** Inserts at least one row in every table of campaigns. */
export async function campaignAll(
  send: Send,
  sendAsPlatform: Send,
  cursor: (path: string) => Promise<string>,
  { mark, secret, employe, employeV2, syndicat, employeur, seal, engage, sum }: Electors,
): Promise<VotingIdentifiers> {
  const titre = `Vote ${mark}`;
  // Slugs leave out these signs. All texts have the same length, so none is a part of another.
  const signs = (++dataSpaces).toString(2).padStart(16, '0').replaceAll('0', '!').replaceAll('1', '?');
  const titreSemblable = `Assemblée ${signs}`;
  const textePageAccueil = `<p>Accueil ${secret}</p>`;
  const campagne = (
    await send('POST', CAMPAGNES, {
      titre,
      ...DATES,
      textePageAccueil,
      libelleAbstention: `Abstention ${secret}`,
    })
  ).json;
  const campagneSemblable = (await send('POST', CAMPAGNES, { titre: titreSemblable, ...DATES })).json;
  const path = `${CAMPAGNES}/${campagne}`;
  const ask = async (Titre: string): Promise<{ Id: string; Options: { Id: string }[] }> =>
    (
      await send('POST', `${path}/questions`, {
        Titre: `${Titre} ${secret}`,
        Description: `Description ${secret}`,
        Type: 'Election',
        Options: [{ Libelle: `Option ${secret}` }, { Libelle: `Autre option ${secret}` }],
      })
    ).json;
  const question = await ask('Qui');
  const questionAutre = await ask('Et qui');
  const identifiantVotant = `V-${mark}`;
  const enrol = async (record: object): Promise<string> =>
    (await send('POST', `${path}/votants/upsert`, record)).json.VotantId;
  const person = { Prenom: `Prenom électeur ${secret}`, Nom: `Nom électeur ${secret}` };
  const votant = await enrol({ ...person, EmployeIdExterne: employeV2, SyndicatIdExterne: syndicat });
  const votantAutre = await enrol({ ...person, Identifiant: identifiantVotant });
  for (const criteria of [
    { EmployesIdExternes: [employe], SyndicatsIdExternes: null },
    { SyndicatsIdExternes: [syndicat], EmployeursIdentifiantsExternes: [employeur] },
  ]) {
    await send('POST', `${path}/liste-electorale`, criteria);
  }
  /** A draft with one question, whose opening date is past. */
  const draftVote = async (title: string) => {
    const ouvertureDuVoteUtc = '2020-01-01T00:00:00Z';
    const id: string = (await send('POST', CAMPAGNES, { ...DATES, titre: title, ouvertureDuVoteUtc })).json;
    const Options = [{ Libelle: `Oui ${secret}` }, { Libelle: `Non ${secret}` }];
    const question = { Titre: `Accord ${secret}`, Type: 'ChoixLibre', Options };
    const asked = (await send('POST', `${CAMPAGNES}/${id}/questions`, question)).json;
    return { id, open: `${CAMPAGNES}/${id}`, asked };
  };
  /** A vote on one question: one voter has not voted, one has. */
  const openVote = async (title: string) => {
    const { id, open, asked } = await draftVote(title);
    const electeur: string = (await send('POST', `${open}/votants/upsert`, person)).json.VotantId;
    const voter = { ...person, SyndicatIdExterne: syndicat };
    const { VotantId } = (await send('POST', `${open}/votants/upsert`, voter)).json;
    const former = { ...person, EmployeIdExterne: employe };
    const excluded = (await send('POST', `${open}/votants/upsert`, former)).json.VotantId as string;
    await send('DELETE', `${open}/votants/${excluded}`);
    await send('POST', `${open}/publier`);
    const Reponses = [{ QuestionId: asked.Id, Options: [asked.Options[0].Id] }];
    const cast = `/plateforme/v1/campagnes/${id}/bulletins`;
    const { Recu } = (await sendAsPlatform('POST', cast, { VotantId, Reponses })).json;
    return { id, asked, electeur, VotantId: VotantId as string, Recu };
  };
  const vote = await openVote(`Vote ouvert ${mark}`);
  const ended = await openVote(`Vote terminé ${mark}`);
  await send('POST', `${CAMPAGNES}/${ended.id}/fermer`);
  await seal(ended.id);
  await engage(vote.id);
  const encrypted = await draftVote(`Vote chiffré ${mark}`);
  const votantChiffre: string = (await send('POST', `${encrypted.open}/votants/upsert`, person)).json
    .VotantId;
  const sendRest = (method: string, rest: string, body?: object) => send(method, CAMPAGNES + rest, body);
  const guardians = await Guardians.of(
    {
      campaigns: { sent: sendRest, send: sendRest },
      platformGet: (rest) => sendAsPlatform('GET', `/plateforme/v1/campagnes${rest}`),
    },
    ...([encrypted.id, 1, 1, () => `Gardien ${secret}`] as const),
  );
  await guardians.finish();
  await send('POST', `${encrypted.open}/publier`);
  const { body } = await guardians.sealed(votantChiffre, [[0]]);
  await sendAsPlatform('POST', `/plateforme/v1/campagnes/${encrypted.id}/bulletins`, body);
  await send('POST', `${encrypted.open}/fermer`);
  await sum(encrypted.id);
  const etag = async (rest: string): Promise<string> => (await send('GET', path + rest)).headers.get('etag')!;
  const [option, optionAutre] = question.Options.map(({ Id }) => Id) as [string, string];
  return {
    campagne,
    titre,
    titreSemblable,
    campagneSemblable,
    question: question.Id,
    questionAutre: questionAutre.Id,
    option,
    optionAutre,
    votant,
    votantAutre,
    identifiantVotant,
    campagneOuverte: vote.id,
    questionOuverte: vote.asked.Id,
    optionOuverte: vote.asked.Options[0].Id,
    electeur: vote.electeur,
    recu: vote.Recu,
    empreinteRecu: createHash('sha256').update(vote.Recu).digest('base64url'),
    campagneComptee: ended.id,
    votantCompte: ended.VotantId,
    campagneChiffree: encrypted.id,
    votantChiffre,
    etagCampagne: await etag(''),
    etagQuestion: await etag(`/questions/${question.Id}`),
    etagOption: await etag(`/questions/${question.Id}/options/${option}`),
    etagVotant: await etag(`/votants/${votant}`),
    curseurCampagnes: await cursor(CAMPAGNES),
    curseurQuestions: await cursor(`${path}/questions`),
    curseurOptions: await cursor(`${path}/questions/${question.Id}/options`),
    curseurVotants: await cursor(`${path}/votants`),
    curseurListes: await cursor(`${path}/liste-electorale`),
    empreinteEcarts: (await send('GET', `${path}/liste-electorale/ecarts`)).json.empreinte as string,
  };
}
