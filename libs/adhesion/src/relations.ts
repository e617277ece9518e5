export { ADHESION_PERSONAL_DATA } from './persistence/personal-data.sql';
