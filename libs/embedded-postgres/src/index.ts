export { baseBackup, REPLICATED, standbyOf } from './base-backup';
export { restoredCopy } from './restored-copy';
export {
  runningPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres';
export { freePort } from './host';
