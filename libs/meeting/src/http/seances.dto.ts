import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import {
  PRESENCES_FIELDS,
  type PresencesRecord,
  SEANCE_FIELDS,
  type SeanceRecord,
} from '../domain/seance.fields';
import { PointItem } from './points.dto';

/** Body of POST. */
export class SeanceInput implements SeanceRecord {
  @Input(SEANCE_FIELDS.titre)
  titre: string;

  @Input(SEANCE_FIELDS.date)
  date: Date;

  @Input(SEANCE_FIELDS.syndicatIdExterne)
  syndicatIdExterne?: string | null;

  @Input(SEANCE_FIELDS.quorum)
  quorum?: number | null;

  @Input(SEANCE_FIELDS.seanceId)
  seanceId?: unknown;

  @Input(SEANCE_FIELDS.points)
  points?: unknown;
}

/** A meeting with its agenda. */
export class SeanceItem {
  @Shown(SEANCE_FIELDS.seanceId, { always: true, format: 'uuid' })
  seanceId: string;

  @Shown(SEANCE_FIELDS.titre)
  titre: string;

  @Shown({ ...SEANCE_FIELDS.date, description: 'When the meeting is held (UTC).' })
  date: string;

  @Shown({
    ...SEANCE_FIELDS.syndicatIdExterne,
    description: 'External identifier of the union that meets; null of a meeting of no single union.',
  })
  syndicatIdExterne: string | null;

  @ApiProperty({ type: [PointItem], description: 'Points of the agenda, in their order.' })
  points: PointItem[];
}

/** Query of the list of meetings. */
export class SeanceList extends PagingQuery {
  @Input({
    ...SEANCE_FIELDS.syndicatIdExterne,
    description: 'Meetings of this union. An unknown one has none.',
  })
  syndicatIdExterne?: string;

  @Input({
    kind: 'date',
    description: 'Meetings of this date or later (`date`, inclusive).',
    example: '2026-01-01T00:00:00Z',
  })
  apres?: Date;

  @Input({
    kind: 'date',
    description: 'Meetings of this date or earlier (`date`, inclusive).',
    example: '2026-12-31T23:59:59Z',
  })
  avant?: Date;
}

/** Body of PUT, which replaces all numbers. */
export class PresencesInput implements PresencesRecord {
  @Input({ ...PRESENCES_FIELDS.inscrits, description: 'Persons who may take part.' })
  inscrits: number;

  @Input({
    ...PRESENCES_FIELDS.presents,
    description: 'Of them, those who are present; at most `inscrits`.',
  })
  presents: number;

  @Input({
    ...PRESENCES_FIELDS.votants,
    description:
      'Of those present, those who have voted; at most `presents`. Absent: nobody has counted them.',
  })
  votants?: number | null;

  @Input(PRESENCES_FIELDS.tauxParticipation)
  tauxParticipation?: unknown;

  @Input(PRESENCES_FIELDS.quorum)
  quorum?: unknown;

  @Input(PRESENCES_FIELDS.quorumAtteint)
  quorumAtteint?: unknown;
}

/** Participation in a meeting: numbers, and nothing of persons. */
export class ParticipationItem {
  @Shown(PRESENCES_FIELDS.inscrits)
  inscrits: number;

  @Shown(PRESENCES_FIELDS.presents)
  presents: number;

  @Shown(PRESENCES_FIELDS.votants)
  votants: number | null;

  @Shown(PRESENCES_FIELDS.tauxParticipation)
  tauxParticipation: number | null;

  @Shown(PRESENCES_FIELDS.quorum)
  quorum: number | null;

  @Shown(PRESENCES_FIELDS.quorumAtteint)
  quorumAtteint: boolean | null;
}
