import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box';

const box = new SecretBox(randomBytes(32));
const CONTEXT = 'idempotency tenant key';

describe('SecretBox', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('mdt_stg_Zoé 😀')],
    ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['a megabyte', randomBytes(2 ** 20)],
  ])('opens what it sealed: %s', (_what, plain) => {
    const sealed = box.seal(plain, CONTEXT);
    expect(box.open(sealed, CONTEXT).equals(plain)).toBe(true);
    if (plain.length > 0) expect(sealed.includes(plain)).toBe(false);
  });

  it('never seals twice alike', () => {
    const plain = Buffer.from('the same');
    const sealed = Array.from({ length: 1_000 }, () => box.seal(plain, CONTEXT).toString('hex'));
    expect(new Set(sealed).size).toBe(1_000);
    // The nonce is what must not come again under one key.
    expect(new Set(sealed.map((hex) => hex.slice(0, 24))).size).toBe(1_000);
  });

  it('does not open in another place or with another key', () => {
    const sealed = box.seal(Buffer.from('secret'), CONTEXT);
    for (const other of ['', `${CONTEXT} `, CONTEXT.toUpperCase()])
      expect(() => box.open(sealed, other)).toThrow();
    expect(() => new SecretBox(randomBytes(32)).open(sealed, CONTEXT)).toThrow();
  });

  it('does not open when any bit differs, anything is missing or anything is added', () => {
    const sealed = box.seal(Buffer.from('secret'), CONTEXT);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => box.open(altered, CONTEXT)).toThrow();
    }
    // Where nothing was sealed, a cut reaches the tag itself.
    for (const whole of [sealed, box.seal(Buffer.alloc(0), CONTEXT)]) {
      for (let length = 0; length < whole.length; length++)
        expect(() => box.open(whole.subarray(0, length), CONTEXT)).toThrow();
    }
    expect(() => box.open(Buffer.concat([sealed, Buffer.alloc(1)]), CONTEXT)).toThrow();
    // Negative control: undamaged it opens.
    expect(box.open(sealed, CONTEXT).toString()).toBe('secret');
  });

  it('takes a key of 32 bytes and no other', () => {
    for (const length of [0, 16, 31, 33])
      expect(() => new SecretBox(randomBytes(length)).seal(Buffer.alloc(1), '')).toThrow();
  });
});
