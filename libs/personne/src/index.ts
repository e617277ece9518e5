export { PersonnesService } from './application/personnes.service';
export { PERSONNE_AUDITED_ACTIONS } from './domain/personne.actions';
