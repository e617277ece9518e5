import { MEETING_EXAMPLE_IDS as IDS } from '#meeting';
import { type DemonstrationSpace, found } from './demonstration-space';

/** The agenda of the first meeting; the example of a new point has the place behind the last. */
const AGENDA = [
  [IDS.pointNonVotable, { titre: 'Lecture du procès-verbal', ordre: 1, votable: false }],
  [IDS.point, { titre: 'Adoption des états financiers', ordre: 2, votable: true }],
  [
    IDS.pointSansResultat,
    { titre: 'Révision des statuts', ordre: 3, votable: true, typeVote: 'nominal', majorite: 'deuxTiers' },
  ],
] as const;

/** A meeting with its agenda, presences and a result, and one that has nothing yet, each unless it is there. */
export async function conveneExamples({
  seances,
  points,
  tenantId,
  actor,
}: DemonstrationSpace): Promise<void> {
  if (!(await found(seances.get(tenantId, IDS.seanceAutre)))) {
    const congress = { titre: 'Congrès 2026', date: new Date('2026-11-20T14:00:00.000Z') };
    await seances.create(tenantId, actor, congress, IDS.seanceAutre);
  }
  if (await found(seances.get(tenantId, IDS.seance))) return;
  const assembly = {
    titre: 'Assemblée générale annuelle 2026',
    date: new Date('2026-05-14T23:00:00.000Z'),
    syndicatIdExterne: 'SYN-10',
    quorum: 25,
  };
  await seances.create(tenantId, actor, assembly, IDS.seance);
  for (const [id, point] of AGENDA) await points.create(tenantId, actor, IDS.seance, point, id);
  const presences = { inscrits: 120, presents: 87, votants: 84 };
  await seances.recordPresences(tenantId, actor, IDS.seance, presences);
  const resultat = { pour: 52, contre: 27, abstentions: 5, poidsPour: '61.5', poidsContre: '30.25' };
  await points.recordResultat(tenantId, actor, IDS.seance, IDS.point, resultat);
}
