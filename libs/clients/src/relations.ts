export * from './persistence/published.sql';
