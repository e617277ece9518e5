/** The role under which all requests run: it owns nothing, bypasses nothing and sees one tenant at a time. */
export const APP_ROLE = 'mandat_app';

/** The role that reads clients and keys and sees no tenant's data. */
export const ACCESS_ROLE = 'mandat_access';

/** The role of the queue, which reaches jobs and no data of tenants. */
export const QUEUE_ROLE = 'mandat_queue';

/** The role of erasures: the application's, with rights to remove what nothing else removes. */
export const ERASURE_ROLE = 'mandat_effacement';

/** The role whose functions count ballots; no process acts as it. */
export const BALLOT_BOX_ROLE = 'mandat_urne';
