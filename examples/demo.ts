import type { Partenaire } from '@mandat/client';
import { must, Stop } from './checks';
import { tidyUp } from './leftovers';
import { count, megabytes, say, seconds, title } from './screen';
import { adviceOn, connect } from './service';
import { storyCards } from './story-cards';
import { storyMeeting } from './story-meeting';
import { storyV1 } from './story-v1';
import { storyV2 } from './story-v2';
import { storyVote } from './story-vote';
import { Receiver } from './receiving';

// Shows the partner's use of the API from start to end. It can be run any number of times; later runs update all
// records.

/** The minimum number of employees, because the vote needs enough members of two unions. */
const LEAST = 2_000;

async function main([records = '10000', ...more]: string[]): Promise<void> {
  const began = performance.now();
  if (!/^\d+$/.test(records) || Number(records) < LEAST || more.length > 0)
    throw new Stop(`Usage: npm run demo [-- employees], ${count(LEAST)} at least; 10,000 by default.`);
  const service = connect(process.env);
  const { partner, platform } = service;
  await introduce(partner);
  const v1 = await storyV1(partner, Number(records));
  const v2 = await storyV2(partner, v1.rows);
  const lines = [v1.summary, v2.summary];
  if (platform) {
    await tidyUp(partner, v2.member);
    const receiver = await Receiver.register(partner, ['adhesion.signee', 'campagne.terminee']);
    try {
      lines.push(await storyCards(partner, platform, v2.member, receiver));
      lines.push(await storyVote(service, platform, v2.member, receiver));
      lines.push(await storyMeeting(partner, platform));
    } finally {
      await receiver?.close();
    }
  } else {
    title('Cards, votes and meetings');
    say('Not shown: set MANDAT_PLATFORM_KEY to a platform key.');
  }
  title('Summary');
  say(`${count(service.sent())} requests in ${seconds(performance.now() - began)}.`);
  for (const line of lines) say(line);
}

async function introduce(partner: Partenaire): Promise<void> {
  const { data: moi } = await partner.moi.get();
  console.log(`A partner's first days with Mandat`);
  title('Who am I?', 'GET /b2b/v1/moi');
  say(`${moi.client}, ${moi.environnement}; modules: ${moi.modules.join(', ') || 'none'}`);
  if (moi.environnement !== 'staging')
    throw new Stop(`The key belongs to ${moi.environnement}: the demonstration needs a staging key.`);
  const { requetesParMinute, tailleMaximaleSync } = moi.limites;
  must(requetesParMinute && tailleMaximaleSync, 'the limits of the key');
  say(`${count(requetesParMinute)} requests a minute, sync bodies up to ${megabytes(tailleMaximaleSync)}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = 1;
  console.error(adviceOn(error, process.env) ?? error);
});
