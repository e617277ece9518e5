/** Limits of one request (docs/contract.md, "Limits"); `GET /b2b/v1/moi` returns them to partners. */

/** The most that an ordinary body may hold, in bytes, as sent and unpacked. */
export const BODY_BYTES = 1_048_576;

/** The most that the body of a sync may hold, in bytes, as sent and unpacked. */
export const SYNC_BODY_BYTES = 64 * BODY_BYTES;

/** Maximum records of one sync over all its lists. So many end within the statement timeout. */
export const SYNC_RECORDS = 250_000;

/** Records nested in those of one sync (employers of unions, employments, memberships, custom values). */
export const SYNC_NESTED_RECORDS = 400_000;

/** Maximum nested records that one sync may refuse. Each error in the response is many times larger than its record. */
export const SYNC_NESTED_REFUSALS = 100_000;

/** Maximum memory of a sync's nested records, in bytes. */
export const SYNC_KEPT_BYTES = 128 * BODY_BYTES;

/** The most that one record of a sync may hold, in bytes: it is read in one go, and others wait meanwhile. */
export const SYNC_RECORD_BYTES = 2 * BODY_BYTES;
