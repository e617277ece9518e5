import { partenaire, type Partenaire, type Wait } from '@mandat/client';
import { report } from '../output.js';
import type { Profile } from '../profile.js';

/** Input of every command. */
export interface Context {
  readonly profile: Profile;
  readonly mandat: Partenaire;
  /** Whether one JSON document is written instead of text. */
  readonly isJson: boolean;
  /** Whether everything is printed. */
  readonly isWhole: boolean;
  /** Arguments that further commands need to find the same profile. */
  readonly again: string;
}

/** Connects to the service, and reports waits. */
export function connect({ url, cle }: Profile): Partenaire {
  const onWait = ({ seconds, status }: Wait): void => {
    const reason = status === undefined ? 'the connection broke' : `the service responded ${status}`;
    report(`Waiting ${seconds} s, because ${reason}`);
  };
  return partenaire({ address: url, key: cle, onWait });
}
