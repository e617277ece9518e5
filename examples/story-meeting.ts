import type { Partenaire, Plateforme } from '@mandat/client';
import { must } from './checks';
import { count, say, title } from './screen';

// A meeting: the platform records presences and decisions, and the partner reads them.

/** @returns a line for the summary */
export async function storyMeeting(partner: Partenaire, platform: Plateforme): Promise<string> {
  title('A meeting is held', 'POST /plateforme/v1/seances');
  const { data: seance } = await platform.seancesPlateforme.create({
    body: { titre: 'Assemblée générale', date: new Date().toISOString(), quorum: 50 },
  });
  const path = { seanceId: seance.seanceId };
  await platform.seancesPlateforme.recordPresences({
    path,
    body: { inscrits: 120, presents: 64, votants: 60 },
  });
  const agenda = [
    { titre: 'Budget 2030', majorite: 'simple', pour: 41, contre: 17 },
    { titre: 'Nouveaux statuts', majorite: 'deuxTiers', pour: 38, contre: 20 },
  ] as const;
  for (const [at, { titre, majorite, pour, contre }] of agenda.entries()) {
    const { data: point } = await platform.seancesPlateforme.addPoint({
      path,
      body: { titre, ordre: at + 1, votable: true, majorite },
    });
    await platform.seancesPlateforme.recordResultat({
      path: { ...path, pointId: point.pointId },
      body: { pour, contre, abstentions: 60 - pour - contre },
    });
  }
  const { data: participation } = await partner.seances.participation({ path });
  const { presents, inscrits, quorumAtteint } = participation;
  say(`${count(presents)} of ${count(inscrits)} present; quorum ${quorumAtteint ? 'reached' : 'missed'}`);
  const { data: points } = await partner.seances.resultats({ path });
  for (const { titre, pour, contre, majorite, adopte } of points)
    say(`${titre}: ${pour} for, ${contre} against, ${majorite}: ${adopte ? 'adopted' : 'rejected'}`);
  must(
    points[0]?.adopte === true && points[1]?.adopte === false,
    'the stored decisions differ from those of the meeting',
  );
  return `A meeting: quorum reached; ${points.length} points decided, one adopted.`;
}
