import { eachItem, type Partenaire } from '@mandat/client';
import type { EmployeV2 } from './employments';
import { say } from './screen';

// A run that is interrupted leaves what the next one would trip over. It is known by its names, and nothing else is touched.

/** How the titles of the demonstration's votes begin. */
export const VOTE_TITLE = 'Présidence, démonstration du ';
/** What the demonstration's own endpoint hears of. */
export const HEARD = ['adhesion.signee', 'campagne.terminee'] as const;

/** Ends what an earlier run has left behind, and says so. */
export async function tidyUp(partner: Partenaire, member: EmployeV2): Promise<void> {
  const votes = await endVotes(partner);
  const cards = await deleteCards(partner, member.IdExterne);
  const endpoints = await deleteEndpoints(partner);
  if (votes + cards + endpoints === 0) return;
  say(`Tidied up after a run that was interrupted: votes ${votes}, cards ${cards}, endpoints ${endpoints}.`);
}

async function endVotes(partner: Partenaire): Promise<number> {
  const { campagnes } = partner;
  /** What ends a vote in each state, one after the other. */
  const ends: Record<string, ((options: { path: { id: string } }) => Promise<unknown>)[]> = {
    Brouillon: [(of) => campagnes.delete(of)],
    Planifie: [(of) => campagnes.unpublish(of), (of) => campagnes.delete(of)],
    VoteOuvert: [(of) => campagnes.close(of), (of) => campagnes.archive(of)],
    Termine: [(of) => campagnes.archive(of)],
  };
  let ended = 0;
  const { data } = await campagnes.list({ query: { titre: VOTE_TITLE.trim() } });
  for (const { id, titre, etat } of data) {
    const steps = titre.startsWith(VOTE_TITLE) ? ends[etat] : undefined;
    for (const step of steps ?? []) await step({ path: { id } });
    if (steps) ended++;
  }
  return ended;
}

async function deleteCards(partner: Partenaire, idExterne: string): Promise<number> {
  const { data } = await partner.adhesionsV2.list({ query: { idExterneEmploye: idExterne, limite: 1 } });
  if (data.length === 0) return 0;
  const deleted = await partner.adhesionsV2.deleteOfMember({ path: { idExterneMembre: idExterne } });
  return deleted.data.nombreSupprime;
}

async function deleteEndpoints(partner: Partenaire): Promise<number> {
  let deleted = 0;
  for await (const { id, url, types } of eachItem((page) => partner.webhooks.list({ query: page }))) {
    const isOwn = /^http:\/\/localhost:\d+\/$/.test(url) && [...types].sort().join() === HEARD.join();
    if (!isOwn) continue;
    await partner.webhooks.delete({ path: { id } });
    deleted++;
  }
  return deleted;
}
