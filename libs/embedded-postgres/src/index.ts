export { baseBackup, REPLICATED, standbyOf } from './base-backup';
export {
  runningPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres';
export { freePort } from './host';
