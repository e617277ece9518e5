declare const AUDITED: unique symbol;

/** Name of an action in the audit trail: the noun of the wire and a verb. */
export type AuditedAction = string & { readonly [AUDITED]: true };

/** Defines the audited actions on one noun. Each context lists its own in `<context>.actions.ts`. */
export function actionsOf<V extends string>(
  noun: string,
  ...verbs: readonly V[]
): { readonly [verb in V]: AuditedAction } {
  return Object.fromEntries(verbs.map((verb) => [verb, `${noun}.${verb}`])) as {
    [verb in V]: AuditedAction;
  };
}

const JOURNAL_ACTIONS = actionsOf('journal', 'attester', 'rompre', 'restaurer');

/** Records that the end of the chain was found broken. Entries before it are doubtful. */
export const BREAK = JOURNAL_ACTIONS.rompre;

/** Records that the database was restored to an earlier moment. Later entries than that moment are lost. */
export const RESTORE = JOURNAL_ACTIONS.restaurer;

/** Proves all entries before it with a newer key of SECRETS_KEY (docs/adr/0037). */
export const ATTEST = JOURNAL_ACTIONS.attester;
