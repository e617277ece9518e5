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
    'written to twice': having((count) => count > 1),
    'said to have it, and has not': having((count, etat) => etat === 'Envoye' && count === 0),
    'has it, and is said to have none': having(
      (count, etat) => count > 0 && !['Envoye', 'Incertain'].includes(etat),
    ),
    'left over': having((_count, etat) => ['EnAttente', 'EnCours'].includes(etat)),
    'written to and nobody’s recipient': [...taken.keys()].filter((address) => !etats.has(address)),
  };
  return Object.fromEntries(Object.entries(faults).filter(([, found]) => found.length > 0));
}
