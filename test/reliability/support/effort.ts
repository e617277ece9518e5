/** `npm run test:reliability` makes the whole trials; with `RELIABILITY=short`, as CI runs it, fewer of each kind. */
export const WHOLE = process.env.RELIABILITY === 'whole';
