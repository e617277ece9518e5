export { HorlogeService } from './application/horloge.service';
export { HorlogeGuard } from './http/horloge.guard';
export * from './domain/horloge.errors';
export { HORLOGE_AUDITED_ACTIONS } from './domain/horloge.actions';
