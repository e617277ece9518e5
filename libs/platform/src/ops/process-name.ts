/** Processes that read a configuration. Each reads only the secrets that it needs. */
export type Reader = 'api' | 'worker' | 'cli';

/** Injection token of the name of this process, a `Reader`. */
export const PROCESS_NAME = Symbol('process name');
