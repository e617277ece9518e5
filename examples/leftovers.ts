import type { Partenaire } from '@mandat/client';
import type { EmployeV2 } from './employments';
import { say } from './screen';

// Deletes data that an interrupted run has left, because the next run would fail on it. Only data with the
// demonstration's own marks is deleted. Do not run two demonstrations at the same time: the data of the other one is
// deleted.

/** The beginning of the titles of the demonstration's votes. */
export const VOTE_TITLE = 'Présidence, démonstration du ';
/** Their end. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** The description of the demonstration's endpoint. */
export const ENDPOINT = 'npm run demo';
/** The signed email addresses of the demonstration's cards. */
export const SIGNERS = { member: 'signature@example.org', stranger: 'me@example.org' } as const;

/** Deletes the data of an interrupted run and prints the numbers. */
export async function tidyUp(partner: Partenaire, member: EmployeV2): Promise<void> {
  const votes = await endVotes(partner);
  const cards = await deleteCards(partner, member.IdExterne);
  const endpoints = await deleteEndpoints(partner);
  if (votes + cards + endpoints === 0) return;
  say(`Cleaned up after an interrupted run: votes ${votes}, cards ${cards}, endpoints ${endpoints}.`);
}

async function endVotes(partner: Partenaire): Promise<number> {
  const { campagnes } = partner;
  /** The steps that end a vote in each state. */
  const ends: Record<string, ((options: { path: { id: string } }) => Promise<unknown>)[]> = {
    Brouillon: [(of) => campagnes.delete(of)],
    Planifie: [(of) => campagnes.unpublish(of), (of) => campagnes.delete(of)],
    VoteOuvert: [(of) => campagnes.close(of), (of) => campagnes.archive(of)],
    Termine: [(of) => campagnes.archive(of)],
  };
  let ended = 0;
  const { data } = await campagnes.list({ query: { titre: VOTE_TITLE.trim() } });
  for (const { id, titre, etat } of data) {
    const isOwn = titre.startsWith(VOTE_TITLE) && MOMENT.test(titre.slice(VOTE_TITLE.length));
    const steps = isOwn ? ends[etat] : undefined;
    for (const step of steps ?? []) await step({ path: { id } });
    if (steps) ended++;
  }
  return ended;
}

async function deleteCards(partner: Partenaire, idExterneEmploye: string): Promise<number> {
  const { data } = await partner.adhesionsV2.list({ query: { idExterneEmploye } });
  const own = data.filter(({ courriel }) => Object.values<string>(SIGNERS).includes(courriel));
  for (const { idUniqueAdhesion: id } of own) await partner.adhesionsV2.delete({ path: { id } });
  return own.length;
}

async function deleteEndpoints(partner: Partenaire): Promise<number> {
  const { data } = await partner.webhooks.list();
  const own = data.filter(({ description }) => description === ENDPOINT);
  for (const { id } of own) await partner.webhooks.delete({ path: { id } });
  return own.length;
}
