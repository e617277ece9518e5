export { PannesGuard } from './http/pannes.guard';
export { ESSAI_AUDITED_ACTIONS } from './domain/essai.actions';
export * from './domain/panne.errors';
