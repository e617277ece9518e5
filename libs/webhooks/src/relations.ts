export { WEBHOOKS_PERSONAL_DATA } from './persistence/personal-data.sql';
