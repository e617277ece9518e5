import { must, refusal } from './checks';
import type { Client } from './client';
import type { EmployeV2 } from './employments';
import { runKey } from './run-key';
import { count, say, title } from './screen';

// A voting campaign up to its opening: a draft, what it lacks, its questions, its roll, and its publication.

const CAMPAGNES = '/b2b/v1/campagnes';
const DAY_MS = 86_400_000;

interface Campagne {
  readonly etat: string;
  readonly nombreVotants: number;
  readonly nombreQuestions: number;
}

/** @returns a line for the summary */
export async function storyVote(client: Client, member: EmployeV2): Promise<string> {
  const path = await draft(client);
  const question = await ask(client, path);
  const voters = await enrol(client, path, member.Adhesions[0]!.SyndicatIdExterne);
  await publish(client, path, question);
  await clear(client, path, member);
  return `A vote: ${count(voters)} members of one union on its roll, published, opened; deleted again, since nobody had voted.`;
}

async function draft(client: Client): Promise<string> {
  title('A vote is prepared', `POST ${CAMPAGNES}`);
  const campagne = {
    titre: 'Vote de la démonstration',
    ouvertureDuVoteUtc: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    fermetureDuVoteUtc: new Date(Date.now() + 37 * DAY_MS).toISOString(),
    textePageAccueil: '<p>Bienvenue !<script>alert(1)</script></p>',
  };
  const { status, body: id } = await client.post<string>(CAMPAGNES, campagne, runKey('campaign'));
  const path = `${CAMPAGNES}/${id}`;
  const { body } = await client.get<{ textePageAccueil: string }>(path);
  must(body.textePageAccueil === '<p>Bienvenue !</p>', 'a welcome page without its script');
  const again = await refusal(client.post(CAMPAGNES, { ...campagne, titre: 'vote de la DÉMONSTRATION' }));
  say(
    `${status}: a draft, its welcome page cleaned; the same title in capitals: ${again.status} ${again.code}`,
  );
  return path;
}

async function ask(client: Client, path: string): Promise<string> {
  title('It asks who is elected, in order of preference', `POST ${CAMPAGNES}/{id}/questions`);
  const { body } = await client.get<{ erreurs: { code: string }[] }>(`${path}/validation`);
  say(`What it lacks: ${body.erreurs.map(({ code }) => code).join(', ')}`);
  const election = { Titre: 'Qui voulez-vous à la présidence ?', Type: 'Election', EstPreferentiel: true };
  const Options = ['Ariane Lapointe', 'Omar Haddad', 'Léa Gagnon'].map((Libelle) => ({ Libelle }));
  const ranked = await refusal(client.post(`${path}/questions`, { ...election, Type: 'Proposition' }));
  say(`A Proposition cannot be ranked: ${ranked.status} ${ranked.code}`);
  const made = await client.post<{ Id: string; Options: object[] }>(
    `${path}/questions`,
    { ...election, Options },
    runKey('question'),
  );
  say(`${made.status}: an election with ${count(made.body.Options.length)} candidates`);
  return made.body.Id;
}

async function enrol(client: Client, path: string, syndicat: string): Promise<number> {
  title('The members of a union are its voters', `POST ${CAMPAGNES}/{id}/liste-electorale`);
  const everyone = await refusal(client.post(`${path}/liste-electorale`, {}));
  say(`No criterion never means everyone: ${everyone.status} ${everyone.code}`);
  interface Liste {
    readonly NombreVotants: number;
    readonly NombreAjoutes: number;
    readonly NombreDejaPresents: number;
  }
  const criteria = { SyndicatsIdExternes: [syndicat] };
  const first = await client.post<Liste>(`${path}/liste-electorale`, criteria, runKey('roll'));
  const second = await client.post<Liste>(`${path}/liste-electorale`, criteria);
  must(second.body.NombreAjoutes === 0, 'nobody twice on the roll');
  say(
    `${first.status}: ${count(first.body.NombreAjoutes)} voters in ${Math.round(first.milliseconds)} ms; ` +
      `sent again: ${count(second.body.NombreAjoutes)} more, ${count(second.body.NombreDejaPresents)} known`,
  );
  return first.body.NombreVotants;
}

async function publish(client: Client, path: string, question: string): Promise<void> {
  title('It is published, and opened before its time', `POST ${CAMPAGNES}/{id}/publier`);
  const { body } = await client.post<Campagne>(`${path}/publier`, {});
  say(`${body.etat}: ${count(body.nombreQuestions)} question, ${count(body.nombreVotants)} voters`);
  const frozen = await refusal(client.delete(`${path}/questions/${question}`));
  say(`Its questions are frozen: ${frozen.status} ${frozen.code}`);
  const opened = await client.post<Campagne>(`${path}/ouvrir`, {});
  must(opened.body.etat === 'VoteOuvert', 'an open vote');
  say(`${opened.body.etat}; without this it would open by itself at its date`);
}

async function clear(client: Client, path: string, member: EmployeV2): Promise<void> {
  title('Deleting it again', `DELETE ${CAMPAGNES}/{id}`);
  const held = await refusal(client.delete(`/b2b/v1/employe/${member.IdExterne}`));
  say(`A voter cannot go before: ${held.status} ${held.code}`);
  await client.delete(path);
  say('Deleted with its roll; had anybody voted, it could not be.');
}
