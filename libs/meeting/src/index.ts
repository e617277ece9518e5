import { Point } from './domain/point.entity';

export { PointsService } from './application/points.service';
export { SeancesService } from './application/seances.service';
export { EXAMPLE_IDS as MEETING_EXAMPLE_IDS } from './http/examples';

export const MEETING_ENTITIES = [Point];
export * from './domain/meeting.errors';
export { MEETING_AUDITED_ACTIONS } from './domain/meeting.actions';
