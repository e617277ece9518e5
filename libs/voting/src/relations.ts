export { VOTING_PERSONAL_DATA } from './persistence/personal-data.sql';
export * from './persistence/published.sql';
