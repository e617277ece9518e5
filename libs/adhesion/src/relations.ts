export { ADHESION_PERSONAL_DATA, WITH_IMAGE } from './persistence/personal-data.sql';
