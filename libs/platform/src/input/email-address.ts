import { domainToASCII } from 'node:url';

/** Returns an address with its domain in ASCII, as mail servers get it; undefined if the domain is invalid. */
export function sendable(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? undefined : `${address.slice(0, at)}@${domain}`;
}

/**
 * Returns the forms under which a list may name an address: itself, `@` with its domain, and its domain. Equal forms reach the same
 * mailbox or domain: the domain is in ASCII (IDNA), because `straße.de` and `strasse.de` are two domains, and only the case of
 * ASCII letters is ignored. An address that cannot be sent to has none.
 */
export function comparableForms(address: string): string[] {
  const sent = sendable(address.normalize());
  if (sent === undefined) return [];
  const form = sent.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const at = form.lastIndexOf('@');
  return [form, form.slice(at), form.slice(at + 1)];
}

/** Returns the form of an entry of such a list: an address, or a domain with or without `@` before it. */
export function comparableEntry(entry: string): string | undefined {
  return comparableForms(entry.includes('@') ? entry : `@${entry}`)[0];
}
