export { HorlogeService } from './application/horloge.service';
export { HorlogeGuard } from './http/horloge.guard';
export { PannesGuard } from './http/pannes.guard';
export * from './domain/horloge.errors';
export * from './domain/panne.errors';
export { ESSAI_AUDITED_ACTIONS } from './domain/essai.actions';
export { HORLOGE_AUDITED_ACTIONS } from './domain/horloge.actions';
