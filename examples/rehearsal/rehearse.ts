import { type Partenaire, type SyncV2ResultItem, taskResult } from '@mandat/client';
import { createHash } from 'node:crypto';
import { asTyped, must, Stop } from '../checks';
import { Receiver } from '../receiving';
import { count, say, seconds, title } from '../screen';
import { adviceOn, connect, type Service } from '../service';
import { download, verify } from '../story-count';
import { changeRoll, dispute, type Electorate, explainMissing, makeRoll, remind } from './roll';

// A whole election as one job of a continuous integration: README.md in this folder.

/** Numbers of the electorate: about 5,800 of its members are voters. */
const ELECTORAT = { employes: 6_700, employeurs: 16, defauts: 60 };
/** The sync rejects a record for eight of the twelve kinds of faults. */
const REFUSED = 40;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Participation after each day of the vote, in percent. */
const DAYS = [15, 28, 41, 55, 66, 78, 90];
const LEAST_BALLOTS = 5_000;
const EVENTS = [
  'sync.terminee',
  'listeElectorale.creee',
  'campagne.publiee',
  'campagne.ouverte',
  'campagne.terminee',
  'campagne.scellee',
];
const CANDIDATES = ['Liste bleue', 'Liste verte', 'Liste rouge'];

/** Facts that are the same for the same seed. */
type Facts = Record<string, unknown>;

async function main([graine = 'repetition', expected, ...more]: string[]): Promise<void> {
  if (more.length > 0) throw new Stop('Usage: rehearse [seed [digest]]');
  // The data space is erased, so its keys must be given.
  if (!process.env.MANDAT_KEY || !process.env.MANDAT_PLATFORM_KEY)
    throw new Stop(
      'Set MANDAT_KEY and MANDAT_PLATFORM_KEY to staging keys of a data space that may be erased.',
    );
  const began = performance.now();
  const service = connect(process.env);
  const { partner } = service;
  title('An empty data space', 'DELETE /b2b/v2/essai/donnees');
  await partner.donneesEssai.erase();
  const receiver = await Receiver.register(partner, EVENTS);
  try {
    const facts: Facts = {};
    const known = await electorate(partner, graine, facts);
    const id = await campaign(partner, known, facts);
    facts.explained = await explainMissing(partner, id, known);
    await partner.campagnes.publish({ path: { id } });
    await vote(service, id, known, graine, facts);
    await counted(service, id, facts);
    if (receiver) facts.events = await events(receiver);
    const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
    title('Summary');
    say(`${count(service.sent())} requests in ${seconds(performance.now() - began)}.`);
    say(`Digest of the rehearsal: ${digest}`);
    must(!expected || expected === digest, `another digest than ${expected}`);
  } finally {
    await receiver?.close();
  }
}

/** Plans the export of the seed and applies the plan. @returns the records that were accepted */
async function electorate(partner: Partenaire, graine: string, facts: Facts): Promise<Electorate> {
  title('An export with faults becomes a plan', 'GET /b2b/v2/essai/electorat, POST /b2b/v2/plan');
  const { data, response } = await partner.electorat.read({ query: { graine, ...ELECTORAT } });
  facts.export = response.headers.get('mandat-empreinte');
  const { data: plan } = await partner.plans.create({ body: data as object });
  say(
    `${count(plan.resume.crees)} records to create, ${plan.resume.refuses} with faults that the sync rejects`,
  );
  must(plan.resume.refuses === REFUSED, `${REFUSED} rejected records`);
  const { data: applied } = await partner.plans.apply({ path: { id: plan.id } });
  const { Employes, Emplois } = applied as SyncV2ResultItem;
  const rejected = new Set([...Employes.Erreurs, ...Emplois.Erreurs].map(({ IdUnique }) => IdUnique));
  const sent = asTyped<{ Syndicats: Electorate['syndicats']; Employes: Electorate['employes'] }>(data);
  const employes = sent.Employes.filter(({ IdExterne, Emplois: own }) =>
    [IdExterne, ...own!.map(({ IdentifiantExterne }) => IdentifiantExterne)].every((id) => !rejected.has(id)),
  );
  return { syndicats: sent.Syndicats, employes };
}

async function campaign(partner: Partenaire, known: Electorate, facts: Facts): Promise<string> {
  title('A campaign with the members of the unions', 'POST /b2b/v1/campagnes/{id}/liste-electorale');
  const now = await clock(partner);
  const { data: id } = await partner.campagnes.create({
    body: {
      titre: 'Élection du comité exécutif',
      ouvertureDuVoteUtc: new Date(now + DAY_MS).toISOString(),
      fermetureDuVoteUtc: new Date(now + (1 + DAYS.length) * DAY_MS).toISOString(),
    },
  });
  const path = { id };
  const Options = CANDIDATES.map((Libelle) => ({ Libelle }));
  await partner.questions.create({ path, body: { Titre: 'Qui ?', Type: 'Election', Options } });
  await partner.questions.create({ path, body: { Titre: 'Adopter les statuts ?', Type: 'Proposition' } });
  facts.reasons = await makeRoll(partner, id, known);
  return id;
}

async function vote(
  service: Service,
  id: string,
  known: Electorate,
  graine: string,
  facts: Facts,
): Promise<void> {
  title(`${DAYS.length} days of voting`, 'POST /b2b/v2/essai/horloge/avancer');
  const { partner, platform } = service;
  const path = { id };
  const now = await clock(partner);
  await advance(partner, now + DAY_MS + HOUR_MS);
  const { data: opened } = await partner.campagnes.get({ path });
  must(opened.etat === 'VoteOuvert', 'an open vote');
  /** Actions after the ballots of a day, by day. */
  const evenings: Readonly<Record<number, () => Promise<unknown>>> = {
    2: async () => changeRoll(partner, id, known, await clock(partner)),
    3: () => dispute(service, id, known),
    4: () => remind(partner, id),
    6: () => remind(partner, id),
  };
  let ballots = 0;
  for (const [at, participation] of DAYS.entries()) {
    const day = at + 1;
    const { data } = await platform!.bulletinsEssai.cast({ path, body: { graine, participation } });
    must(data.restants === 0, 'all ballots of the day');
    ballots = data.bulletins;
    facts.ballots = data.empreinte;
    say(`Day ${day}: ${count(data.deposes)} ballots, ${participation} %`);
    if (evenings[day]) facts[`day ${day}`] = await evenings[day]();
    await advance(partner, now + (1 + day) * DAY_MS + HOUR_MS);
  }
  must(ballots >= LEAST_BALLOTS, `${count(LEAST_BALLOTS)} ballots`);
}

/** Reads the result, and has the verifier count again. */
async function counted({ partner, address }: Service, id: string, facts: Facts): Promise<void> {
  title('The vote has ended by the clock', 'GET /b2b/v1/campagnes/{id}/stats');
  const path = { id };
  const { data } = await partner.statistics.read({ path });
  must(data.etat === 'Termine' && data.resultatsVisibles, 'a result');
  // Identifiers are others each time.
  facts.result = JSON.stringify(data.questions).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
  say(`${count(data.votantsAyantVote)} of ${count(data.totalVotantsAvecDroitDeVote)} have voted`);
  const bundle = await download(partner, id);
  must(bundle, 'a bundle of the count');
  const { verdict, controles } = await verify(bundle, address);
  say(`mandat-verify: ${verdict} in ${controles.length} controls`);
}

/** Waits for an event of each type. @returns the types */
async function events(receiver: Receiver): Promise<string[]> {
  title('The receiver has got each event', 'POST to the endpoint');
  for (const type of EVENTS) await receiver.next(type);
  must(receiver.refused === 0, 'valid signatures only');
  say(EVENTS.join(', '));
  return EVENTS;
}

/** Returns the time by the clock of the data space. */
async function clock(partner: Partenaire): Promise<number> {
  return Date.parse((await partner.horloge.get()).data.maintenant);
}

/** Advances the clock, and waits until all that became due is done. */
async function advance(partner: Partenaire, until: number): Promise<void> {
  const body = { jusqua: new Date(until).toISOString() };
  await taskResult(partner, await partner.horloge.advance({ body }), { intervalSeconds: 0.1 });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(adviceOn(error, process.env) ?? error);
  process.exitCode = 1;
});
