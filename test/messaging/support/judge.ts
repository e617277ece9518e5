/** Result of an email: how often the server accepted each recipient, and the state that the service shows. */
export interface Ledger {
  /** Number of accepted messages by address. */
  readonly taken: ReadonlyMap<string, number>;
  readonly etats: ReadonlyMap<string, string>;
}

/** Returns the recipients that got a message twice, got none, or have a wrong state. */
export function faultsOf({ taken, etats }: Ledger): Record<string, string[]> {
  const having = (isFault: (count: number, etat: string) => boolean): string[] =>
    [...etats]
      .filter(([address, etat]) => isFault(taken.get(address) ?? 0, etat))
      .map(([address]) => address);
  const faults = {
    'emailed twice': having((count) => count > 1),
    'reported sent, not accepted': having((count, etat) => etat === 'Envoye' && count === 0),
    'accepted, reported unsent': having(
      (count, etat) => count > 0 && !['Envoye', 'Incertain'].includes(etat),
    ),
    unfinished: having((_count, etat) => ['EnAttente', 'EnCours'].includes(etat)),
    'emailed, not a recipient': [...taken.keys()].filter((address) => !etats.has(address)),
  };
  return Object.fromEntries(Object.entries(faults).filter(([, found]) => found.length > 0));
}
