import { eachItem, type Partenaire, type Plateforme } from '@mandat/client';
import pLimit from 'p-limit';
import { must, refusal } from './checks';
import { type EmployeV2, type Syndicat, SYNDICATS } from './employments';
import { VOTE_TITLE } from './leftovers';
import type { Receiver } from './receiving';
import { runKey } from './run-key';
import { count, Progress, say, seconds, title } from './screen';
import type { Service } from './service';
import { type Held, storyCount } from './story-count';

// A voting campaign from its draft to the archive: its missing parts, question, roll, ballots and count.

const CAMPAGNES = '/b2b/v1/campagnes';
const DAY_MS = 86_400_000;
const BALLOTS = 500;
const AT_ONCE = 8;
const CANDIDATES = ['Ariane Lapointe', 'Omar Haddad', 'Léa Gagnon'];
/** The rankings of each ten ballots; the last one abstains. The leader of the first round loses the second. */
const RANKINGS: readonly (readonly number[])[] = [
  [0, 1, 2],
  [1, 0, 2],
  [0, 2],
  [2, 1],
  [1, 2, 0],
  [0],
  [2, 1, 0],
  [1],
  [0, 2, 1],
  [],
];
interface Ballot {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** @returns a line for the summary */
export async function storyVote(
  { partner, address }: Service,
  platform: Plateforme,
  member: EmployeV2,
  receiver: Receiver | undefined,
): Promise<string> {
  const id = await draft(partner);
  const ballot = await ask(partner, id);
  const unions = unionsOf(member);
  const voters = await enrol(partner, id, unions);
  await publish(partner, ballot, member);
  const held = await vote(partner, platform, ballot);
  const elected = await result(partner, ballot, receiver);
  await byUnion(partner, id, unions);
  await storyCount({ partner, platform, address }, id, held);
  await partner.campagnes.archive({ path: { id } });
  return `A vote: ${count(voters)} members of two unions on its roll, ${count(BALLOTS)} ballots, elected: ${elected}.`;
}

/** The member's own union and another one, because statistics are shown by union. */
function unionsOf({ Adhesions }: EmployeV2): Syndicat[] {
  const own = SYNDICATS.findIndex(({ IdentifiantExterne: id }) => id === Adhesions[0]!.SyndicatIdExterne);
  return [SYNDICATS[own]!, SYNDICATS[(own + 1) % SYNDICATS.length]!];
}

async function draft(partner: Partenaire): Promise<string> {
  title('A vote is prepared', `POST ${CAMPAGNES}`);
  const campagne = {
    titre: `${VOTE_TITLE}${new Date().toISOString()}`,
    ouvertureDuVoteUtc: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    fermetureDuVoteUtc: new Date(Date.now() + 37 * DAY_MS).toISOString(),
    textePageAccueil: '<p>Bienvenue !<script>alert(1)</script></p>',
  };
  const { data: id, response } = await partner.campagnes.create({
    body: campagne,
    headers: runKey('campaign'),
  });
  const { data } = await partner.campagnes.get({ path: { id } });
  must(data.textePageAccueil === '<p>Bienvenue !</p>', 'a welcome page without its script');
  const titre = campagne.titre.toUpperCase();
  const again = await refusal(partner.campagnes.create({ body: { ...campagne, titre } }));
  say(
    `${response.status}: a draft, its welcome page cleaned; the same title in capitals: ${again.status} ${again.code}`,
  );
  return id;
}

async function ask(partner: Partenaire, id: string): Promise<Ballot> {
  title('The question ranks three candidates', `POST ${CAMPAGNES}/{id}/questions`);
  const path = { id };
  const { data: lacking } = await partner.campagnes.validation({ path });
  say(`Missing parts: ${lacking.erreurs.map(({ code }) => code).join(', ')}`);
  const election = { Titre: 'Qui voulez-vous à la présidence ?', EstPreferentiel: true };
  const ranked = await refusal(
    partner.questions.create({ path, body: { ...election, Type: 'Proposition' } }),
  );
  say(`A Proposition cannot be ranked: ${ranked.status} ${ranked.code}`);
  const Options = CANDIDATES.map((Libelle) => ({ Libelle }));
  const { data, response } = await partner.questions.create({
    path,
    body: { ...election, Type: 'Election', Options },
    headers: runKey('question'),
  });
  say(`${response.status}: an election with ${count(data.Options.length)} candidates`);
  return { id, question: data.Id, options: data.Options.map(({ Id }) => Id) };
}

async function enrol(partner: Partenaire, id: string, unions: readonly Syndicat[]): Promise<number> {
  title('The members of two unions are its voters', `POST ${CAMPAGNES}/{id}/liste-electorale`);
  const path = { id };
  const everyone = await refusal(partner.listesElectorales.create({ path, body: {} }));
  say(`A list without criteria is rejected: ${everyone.status} ${everyone.code}`);
  const body = { SyndicatsIdExternes: unions.map(({ IdentifiantExterne }) => IdentifiantExterne) };
  const began = performance.now();
  const { data: first } = await partner.listesElectorales.create({ path, body, headers: runKey('roll') });
  const took = performance.now() - began;
  const { data: second } = await partner.listesElectorales.create({ path, body });
  must(second.NombreAjoutes === 0, 'no voter twice on the roll');
  say(
    `201: ${count(first.NombreAjoutes)} voters in ${Math.round(took)} ms; ` +
      `sent again: ${count(second.NombreAjoutes)} more, ${count(second.NombreDejaPresents)} known`,
  );
  return first.NombreVotants;
}

async function publish(partner: Partenaire, { id, question }: Ballot, member: EmployeV2): Promise<void> {
  title('It is published, and opened before its time', `POST ${CAMPAGNES}/{id}/publier`);
  const path = { id };
  const { data: published } = await partner.campagnes.publish({ path });
  const { etat, nombreQuestions, nombreVotants } = published;
  say(`${etat}: ${count(nombreQuestions)} question, ${count(nombreVotants)} voters`);
  const frozen = await refusal(partner.questions.delete({ path: { id, questionId: question } }));
  say(`Its questions are frozen: ${frozen.status} ${frozen.code}`);
  const { data: opened } = await partner.campagnes.open({ path });
  must(opened.etat === 'VoteOuvert', 'an open vote');
  say(`${opened.etat}; otherwise it would open at its date`);
  const held = await refusal(partner.employes.delete({ path: { idExterne: member.IdExterne } }));
  say(`Employees on the roll cannot be deleted now: ${held.status} ${held.code}`);
}

async function vote(
  partner: Partenaire,
  platform: Plateforme,
  { id, question, options }: Ballot,
): Promise<Held> {
  title(
    `${count(BALLOTS)} of them vote`,
    'POST /plateforme/v1/campagnes/{id}/bulletins   with the platform’s key',
  );
  const path = { id };
  const voters: string[] = [];
  for await (const { VotantId } of eachItem((page) => partner.votants.list({ path, query: page }), {
    limite: 500,
  })) {
    if (voters.push(VotantId) === BALLOTS) break;
  }
  const cast = (VotantId: string, ranking: readonly number[]) => {
    const choice = ranking.length > 0 ? { Options: ranking.map((at) => options[at]!) } : { Abstention: true };
    return platform.bulletins.cast({
      path,
      body: { VotantId, Reponses: [{ QuestionId: question, ...choice }] },
    });
  };
  const began = performance.now();
  const progress = new Progress(BALLOTS, true, 1 / 2, 'ballots');
  const inTurn = pLimit(AT_ONCE);
  const receipts = await Promise.all(
    voters.map((voter, at) =>
      inTurn(async () => {
        const { data } = await cast(voter, RANKINGS[at % RANKINGS.length]!);
        progress.advance(1);
        return data;
      }),
    ),
  );
  progress.end();
  say(`${count(receipts.length)} ballots in ${seconds(performance.now() - began)}, each with a receipt`);
  const twice = await refusal(cast(voters[0]!, RANKINGS[0]!));
  say(`The first voter again: ${twice.status} ${twice.code}`);
  const held = receipts[0]!;
  must(held.Recu, 'a receipt');
  await platform.bulletins.find({ path: { id, recu: held.Recu } });
  say('The receipt proves that its ballot is counted, without its voter and its choices.');
  const { data: open } = await partner.statistics.read({ path });
  must(!open.resultatsVisibles && open.votantsAyantVote === BALLOTS, 'participation and no result');
  say(`While it is open, statistics show participation only: ${open.tauxParticipation} %`);
  return held;
}

/** @returns the elected candidate */
async function result(
  partner: Partenaire,
  { id, options }: Ballot,
  receiver: Receiver | undefined,
): Promise<string> {
  title(
    'It is closed, and counted round by round',
    `POST ${CAMPAGNES}/{id}/fermer, GET ${CAMPAGNES}/{id}/stats`,
  );
  const path = { id };
  const { data: closed } = await partner.campagnes.close({ path });
  say(closed.etat);
  if (receiver) say(`${(await receiver.next('campagne.terminee')).type} received, verified`);
  const { data } = await partner.statistics.read({ path });
  const [election] = data.questions;
  const nameOf = (option: string): string => CANDIDATES[options.indexOf(option)]!;
  const names = (of: readonly string[]): string => of.map(nameOf).join(', ');
  must(election?.Tours && election.Exprimes !== null, 'a ranked result with its rounds');
  say(`${count(election.Exprimes)} chose, ${count(election.Abstentions ?? 0)} abstained`);
  for (const { Tour, Seuil, Decompte, Elus, Elimines, Epuises } of election.Tours) {
    const counts = Decompte.map(({ OptionId, Poids }) => `${nameOf(OptionId)} ${Poids}`).join(', ');
    const fate = Elus.length > 0 ? `elected: ${names(Elus)}` : `eliminated: ${names(Elimines)}`;
    say(`round ${Tour}, ${Seuil} elect: ${counts}${Epuises > 0 ? `, exhausted ${Epuises}` : ''}; ${fate}`);
  }
  const elected = election.Tours.flatMap(({ Elus }) => Elus);
  must(names(elected) === CANDIDATES[1], 'the elected candidate differs from the count of the ballots');
  return names(elected);
}

async function byUnion(partner: Partenaire, id: string, unions: readonly Syndicat[]): Promise<void> {
  title('The same by union', `GET ${CAMPAGNES}/{id}/stats?syndicatIdExterne=…`);
  let voted = 0;
  for (const { IdentifiantExterne: syndicatIdExterne, Nom } of unions) {
    const { data } = await partner.statistics.read({ path: { id }, query: { syndicatIdExterne } });
    const { votantsAyantVote, totalVotants, tauxParticipation, questions } = data;
    voted += votantsAyantVote;
    say(`${Nom}: ${count(votantsAyantVote)} of ${count(totalVotants)} voted, ${tauxParticipation} %`);
    const first = questions[0]!.Options.map(({ Libelle, Votes }) => `${Libelle} ${count(Votes)}`).join(', ');
    say(`   first choices: ${first || 'hidden, because too few have voted'}`);
  }
  must(voted === BALLOTS, `${voted} ballots by union, not ${BALLOTS}`);
}
