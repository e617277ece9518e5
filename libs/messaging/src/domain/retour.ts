import type { EtatDestinataire } from './courriel.types';
import type { Action } from './retour.types';

/** A status code of a failure (RFC 3463, section 2). */
const STATUT = '[45]\\.\\d{1,3}\\.\\d{1,3}';

/** Status code of a failure whose notification has none: other or undefined. */
const STATUT_INCONNU = '5.0.0';

/** A notification about one message, without address and without the relay's text. */
export interface Retour {
  /** Id of the recipient; undefined if the notification names no message of this service. */
  readonly id: string | undefined;
  readonly action: Action;
  readonly statut: string;
  /** Reply code of SMTP; null if unknown. */
  readonly codeSmtp: number | null;
}

/** Returns whether the text is a status code of a failure. */
export function isStatut(text: string): boolean {
  return new RegExp(`^${STATUT}$`).test(text);
}

/** Returns the notification that these texts of a relay make. @param id of the recipient */
export function retourOf(
  id: string | undefined,
  action: Action,
  statut: string | null | undefined,
  raison: string | null | undefined,
): Retour {
  const code = /^\s*(?:smtp\s*;\s*)?([45]\d\d)\b/i.exec(raison ?? '')?.[1];
  return {
    id,
    action,
    statut: statutIn(statut ?? '') ?? statutIn(raison ?? '') ?? STATUT_INCONNU,
    codeSmtp: code === undefined ? null : Number(code),
  };
}

function statutIn(text: string): string | undefined {
  return new RegExp(`(?<![\\d.])${STATUT}(?![\\d.])`).exec(text)?.[0];
}

/** Returns the id in the first Message-ID or envelope id of this service. */
export function idIn(texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const id = /^\s*<?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:@[^\s<>@]*)?>?\s*$/i.exec(text ?? '')?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return undefined;
}

/**
 * Returns the notification of a report about one message. It has several if an alias spreads the message to several mailboxes:
 * the message has failed only if it reached none of them.
 */
export function ofOneMessage(retours: readonly Retour[]): Retour | undefined {
  const of = (...actions: Action[]): Retour | undefined =>
    retours.find(({ action }) => actions.includes(action));
  return of('delivered', 'relayed', 'expanded') ?? of('failed') ?? of('delayed');
}

/** A recipient, as far as notifications concern it. */
export interface Joignable {
  etat: EtatDestinataire;
  /** Whether an attempt has passed the pre-send check, so the mail server may have accepted the message. */
  readonly estPasse: boolean;
  statut: string | null;
}

/** Effect of a notification, with the member of the answer that counts it. */
export type Effet = 'nombreRejetes' | 'nombreRetardes' | 'nombreDejaConnus' | 'nombreIgnores';

/** Changes the recipient as the notification says. @returns its effect */
export function apply({ action, statut }: Retour, destinataire: Joignable): Effet {
  if (action !== 'failed' && action !== 'delayed') return 'nombreIgnores';
  const { etat, estPasse } = destinataire;
  if (etat === 'Rejete' || etat === 'Refuse') return 'nombreDejaConnus';
  if (!estPasse) return 'nombreIgnores';
  if (action === 'delayed' && destinataire.statut === statut) return 'nombreDejaConnus';
  destinataire.statut = statut;
  if (action === 'delayed') return 'nombreRetardes';
  destinataire.etat = 'Rejete';
  return 'nombreRejetes';
}
