export { ESSAI_AUDITED_ACTIONS } from './domain/essai.actions';
