export { PersonneHttpModule } from './personne-http.module';
export { PERSONNE_AUDITED_ACTIONS } from './domain/personne.actions';
