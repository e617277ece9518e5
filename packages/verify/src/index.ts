export { readKeys } from './keys.js';
export { bltOf, rankedOf, recordsOf } from './exports.js';
export { Findings, Unreadable, type Difference } from './findings.js';
export { canonical, parsedCanonical } from './json.js';
export { Frontier, isConsistent, leafHash, rootOfInclusion, rootsOf } from './merkle.js';
export { countRanked, type Count, type Ranking, type Round } from './ranked.js';
export { reportOf } from './report.js';
export { TEXTS, type Language } from './texts.js';
export { verifyBundle, verifyPlain, type Input, type Outcome } from './verify.js';
