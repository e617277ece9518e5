export { PersonnesService } from './application/personnes.service';
export { PersonneModule } from './personne.module';
export { PersonneHttpModule } from './personne-http.module';
export { PERSONNE_AUDITED_ACTIONS } from './domain/personne.actions';
