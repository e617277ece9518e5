export { PersonneHttpModule } from './personne-http.module';
