/** The entry of servers, guardians and other verifiers, which choose the group; and of rehearsals, which seal many ballots. */
export { type AuditFailure, checkAudit } from './audit.js';
export { checker, type Checker, type CheckName, type Failure } from './checks.js';
export { type Group, randomScalar } from './group.js';
export { type Choix, type OpenedBallot, sealWith } from './seal.js';
export type { Question, Scrutin } from './structure.js';
