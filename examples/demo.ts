import { Stop } from './checks';
import { Client, connectionOf, platformKeyOf, ProblemError, UnreachableError } from './client';
import { count, megabytes, say, seconds, title } from './screen';
import { storyCards } from './story-cards';
import { storyV1 } from './story-v1';
import { storyV2 } from './story-v2';
import { storyVote } from './story-vote';

// A partner's first day with the API. It can be run any number of times; the second time everything is an update.

interface Moi {
  readonly client: string;
  readonly environnement: string;
  readonly modules: readonly string[];
  readonly limites: { readonly requetesParMinute: number; readonly tailleMaximaleSync: number };
}

async function main(): Promise<void> {
  const began = performance.now();
  const onWait = (wait: number, status: number): void =>
    say(`${status}: waiting ${wait} s, as Retry-After asks`);
  const connection = connectionOf(process.env);
  const client = new Client({ ...connection, onWait });
  const key = platformKeyOf(process.env);
  const platform = key === undefined ? undefined : new Client({ ...connection, key, onWait });
  await introduce(client);
  const v1 = await storyV1(client);
  const v2 = await storyV2(client, v1.rows);

  const cards = await storyCards(client, platform, v2.member);

  const vote = await storyVote(client, v2.member);

  title('Summary');
  say(
    `${count(client.requests + (platform?.requests ?? 0))} requests in ${seconds(performance.now() - began)}.`,
  );
  say(v1.summary);
  say(v2.summary);
  say(cards);
  say(vote);
}

async function introduce(client: Client): Promise<void> {
  const { body: moi } = await client.get<Moi>('/b2b/v1/moi');
  console.log(`A partner's first day with Mandat`);
  title('Who am I?', 'GET /b2b/v1/moi');
  say(`${moi.client}, ${moi.environnement}; modules: ${moi.modules.join(', ') || 'none'}`);
  const { requetesParMinute, tailleMaximaleSync } = moi.limites;
  say(`${count(requetesParMinute)} requests a minute, sync bodies up to ${megabytes(tailleMaximaleSync)}`);
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  const expected =
    error instanceof Stop || error instanceof UnreachableError || error instanceof ProblemError;
  console.error(expected ? error.message : error);
});
