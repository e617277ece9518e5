import type { Answer } from '../../setup/test-app';

/** Identifiers, ETags and cursors of a tenant's meetings. */
export interface MeetingIdentifiers {
  /** A meeting with presences, a union and an agenda. */
  readonly seance: string;
  /** A votable point with a result. */
  readonly point: string;
  /** A point of the same meeting without a vote. */
  readonly pointNonVotable: string;
  readonly etagSeance: string;
  readonly etagParticipation: string;
  readonly etagResultat: string;
  readonly curseurSeances: string;
  readonly curseurResultats: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const SEANCE = '/b2b/v2/seance';
const SEANCES = '/plateforme/v1/seances';

/**
 * Inserts at least one row in every table of meetings.
 *
 * @param secret put into texts that only this tenant may read
 */
export async function meetAll(
  send: Send,
  sendAsPlatform: Send,
  cursor: (path: string) => Promise<string>,
  { secret, syndicat }: { readonly secret: string; readonly syndicat: string },
): Promise<MeetingIdentifiers> {
  const convene = async (titre: string): Promise<string> => {
    const body = { titre: `${titre} ${secret}`, date: '2026-05-14', syndicatIdExterne: syndicat, quorum: 3 };
    return (await sendAsPlatform('POST', SEANCES, body)).json.seanceId;
  };
  const seance = await convene('Assemblée');
  await convene('Congrès');
  const own = `${SEANCES}/${seance}`;
  const add = async (ordre: number, votable: boolean): Promise<string> => {
    const body = { titre: `Point ${ordre} ${secret}`, ordre, votable };
    return (await sendAsPlatform('POST', `${own}/points`, body)).json.pointId;
  };
  const [point, pointNonVotable] = [await add(1, true), await add(2, false)];
  await add(3, true);
  await sendAsPlatform('PUT', `${own}/presences`, { inscrits: 9, presents: 7, votants: 5 });
  const votes = { pour: 3, contre: 1, abstentions: 1 };
  await sendAsPlatform('PUT', `${own}/points/${point}/resultats`, votes);
  const etag = async (rest: string): Promise<string> =>
    (await send('GET', `${SEANCE}/${seance}${rest}`)).headers.get('etag')!;
  return {
    ...{ seance, point, pointNonVotable },
    etagSeance: await etag(''),
    etagParticipation: await etag('/participation'),
    etagResultat: await etag(`/points/${point}/resultats`),
    curseurSeances: await cursor(SEANCE),
    curseurResultats: await cursor(`${SEANCE}/${seance}/resultats`),
  };
}
