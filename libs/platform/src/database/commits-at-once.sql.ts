/**
 * A condition that always holds. The commit of its transaction does not wait for the disk, so a crash of the database can undo it: for
 * notes whose loss does no harm.
 */
export const COMMITS_AT_ONCE = `set_config('synchronous_commit', 'off', true) IS NOT NULL`;
