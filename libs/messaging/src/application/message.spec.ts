import { simpleParser } from 'mailparser';
import { Message, sendable } from './message';

const LETTER = {
  id: 'x',
  sujet: 'Été',
  corpsHtml: '<p>Oui</p>',
  dateCreation: new Date('2026-03-02T14:05:09Z'),
};
const FROM = { name: 'Mandat', address: 'a@mandat.test' };

describe('Message', () => {
  it('is the same bytes for the same recipient, and one Message-ID and To in each', async () => {
    const message = await Message.compose(LETTER, FROM);
    const one = message.to('zoe@example.org', '11');
    expect(message.to('zoe@example.org', '11')).toEqual(one);
    const head = one.toString('latin1').split('\r\n\r\n')[0]!;
    expect(head.match(/^Message-ID: .*$/gim)).toEqual(['Message-ID: <11@mandat.test>']);
    expect(head.match(/^To: .*$/gim)).toEqual(['To: zoe@example.org']);
    expect(head).not.toMatch(/^\r?\n/);
    const { text, html, date } = await simpleParser(one);
    expect({ text: text!.trim(), html, date }).toEqual({
      ...{ text: 'Oui', html: '<p>Oui</p>' },
      date: LETTER.dateCreation,
    });
  });

  it('has one Message-ID where the sender’s domain is so long that the header is folded', async () => {
    const address = 'ne-pas-repondre@communications.syndicat-exemple.example.org';
    const message = await Message.compose(LETTER, { name: 'Mandat', address });
    const head = message.to('zoe@example.org', '11').toString('latin1').split('\r\n\r\n')[0]!;
    const domain = address.split('@')[1]!;
    expect(head.match(/Message-ID[^>]*>/gi)).toEqual([`Message-ID: <11@${domain}>`]);
    expect(head.match(/@communications/g)).toHaveLength(2);
  });

  it('lets no subject make a header', async () => {
    const message = await Message.compose({ ...LETTER, sujet: 'A\r\nBcc: x@example.org' }, FROM);
    const { headers } = await simpleParser(message.to('zoe@example.org', '11'));
    expect(headers.has('bcc')).toBe(false);
  });
});

describe('sendable', () => {
  it.each([
    ['a@exemple.org', 'a@exemple.org'],
    ['a@été.example', 'a@xn--t-9fab.example'],
    ['a@exa mple', undefined],
  ])('%s is %s', (address, expected) => {
    expect(sendable(address)).toBe(expected);
  });
});
