import { simpleParser } from 'mailparser';
import { idIn, ofOneMessage, type Retour, retourOf } from '../domain/retour';
import { type Action, ACTIONS } from '../domain/retour.types';

/** Media types of a notification: its fields alone, or a whole message with them. */
export const REPORT_TYPES = ['message/delivery-status', 'message/rfc822', 'multipart/report'];

/** Limits of the parser, and work that it is spared. `maxHeadSize` is in bytes of one part's header. */
const OPTIONS = {
  maxHeadSize: 65_536,
  maxChildNodes: 50,
  keepDeliveryStatus: true,
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};

/** Parts that quote the message: whole, or its header. */
const QUOTED = ['message/rfc822', 'text/rfc822-headers'];

/** Fields by which a notification may name the message itself: its envelope id, and what Gmail adds. */
const NAMES = ['original-envelope-id', 'x-original-message-id'];

type Fields = ReadonlyMap<string, string>;

/**
 * Reads a delivery status notification (RFC 3464), which concerns one message.
 *
 * @param contentType of the body, one of `REPORT_TYPES` with its parameters
 * @returns undefined if it has no delivery status
 */
export async function readReport(contentType: string, content: Buffer): Promise<Retour | undefined> {
  const media = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (media === 'message/delivery-status') return retourIn(content.toString('latin1'), []);
  // The body of a multipart does not contain its own header.
  const head = media === 'multipart/report' ? `Content-Type: ${contentType}\r\n\r\n` : '';
  const { attachments, inReplyTo } = await simpleParser(Buffer.concat([Buffer.from(head), content]), OPTIONS);
  const textsOf = (types: readonly string[]): string[] =>
    attachments
      .filter((part) => types.includes(part.contentType))
      .map((part) => part.content.toString('latin1'));
  const [status] = textsOf(['message/delivery-status']);
  if (status === undefined) return undefined;
  const quoted = textsOf(QUOTED).map((text) => blocksOf(text).next().value?.get('message-id'));
  return retourIn(status, [...quoted, inReplyTo]);
}

/** @param messageIds that the notification has outside its fields */
function retourIn(text: string, messageIds: readonly (string | undefined)[]): Retour | undefined {
  const names = [...messageIds];
  const recipients: Fields[] = [];
  for (const block of blocksOf(text)) {
    names.push(...NAMES.map((name) => block.get(name)));
    if (block.has('action')) recipients.push(block);
  }
  // Once for all recipients: a megabyte may have tens of thousands of both.
  const id = idIn(names);
  return ofOneMessage(
    recipients.flatMap((block) => {
      const action = block.get('action')!.trim().toLowerCase() as Action;
      if (!ACTIONS.includes(action)) return [];
      const diagnostic = block.get('diagnostic-code');
      return [retourOf(id, action, block.get('status'), diagnostic)];
    }),
  );
}

/** Yields groups of header fields that empty lines divide, by lower-case name. The first field of a name counts. */
function* blocksOf(text: string): Generator<Fields, void> {
  let block = new Map<string, string>();
  let name: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const field = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line);
    if (line.trim() === '') {
      if (block.size > 0) yield block;
      block = new Map();
      name = undefined;
    } else if (/^[ \t]/.test(line)) {
      // A folded field.
      if (name !== undefined) block.set(name, `${block.get(name)} ${line.trim()}`);
    } else {
      name = field?.[1]!.toLowerCase();
      if (name !== undefined && block.has(name)) name = undefined;
      else if (name !== undefined) block.set(name, field![2]!.trim());
    }
  }
  if (block.size > 0) yield block;
}
