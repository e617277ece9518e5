/** `npm run test:reliability` runs the whole trials; `RELIABILITY=short`, as in CI, runs fewer of each kind. */
export const WHOLE = process.env.RELIABILITY === 'whole';
