import { partenaire, type Partenaire, type Wait } from '@mandat/client';
import type { Profile } from '../profile.js';

/** What a command gets. */
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

/** The options of a connection, whose waits `update` shows. */
export function connection({ url, cle }: Profile, update?: (text: string) => void) {
  const onWait = ({ seconds, status }: Wait): void =>
    update?.(
      `Waiting ${seconds} s, because ${status === undefined ? 'the connection broke' : `the service responded ${status}`}`,
    );
  return { address: url, key: cle, onWait };
}

export const connect = (profile: Profile): Partenaire => partenaire(connection(profile));
