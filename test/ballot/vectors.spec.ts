import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVectors } from './support/vectors';
import { checkAudit, checker, type Choix, noble, type OpenedBallot, type Scrutin } from './support/package';

interface Vectors {
  readonly hash: { readonly H: string; readonly Hs: string };
  readonly votes: readonly {
    readonly scrutin: Scrutin;
    readonly secret: string;
    readonly bulletins: readonly {
      readonly VotantId: string;
      readonly choix: Choix;
      readonly V: string;
      readonly bulletin: string;
      readonly recu: string;
    }[];
  }[];
  readonly audit: { readonly recu: string; readonly opened: OpenedBallot };
}

const FILE = join(__dirname, 'vectors.json');
if (process.env.WRITE_VECTORS) writeFileSync(FILE, `${JSON.stringify(makeVectors(), null, 2)}\n`);
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64url');
const receiptOf = (bulletin: string): string =>
  createHash('sha256').update(bytesOf(bulletin)).digest('base64url');

describe('test vectors', () => {
  it('are those that WRITE_VECTORS=1 writes', () => {
    expect(makeVectors()).toEqual(vectors);
  });

  it('the hash vectors follow from the bytes of the specification', () => {
    const label = 'mandat/chiffre/1/exemple';
    const bytes = `00000018${Buffer.from(label).toString('hex')}00000000000000010000000006` + '6d616e646174';
    const digest = createHash('sha512').update(bytes, 'hex').digest();
    expect(vectors.hash.H).toBe(digest.toString('base64url'));
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(digest.toReversed()).toString('hex')}`) % order;
    expect(Buffer.from(bytesOf(vectors.hash.Hs).toReversed()).toString('hex')).toBe(
      scalar.toString(16).padStart(64, '0'),
    );
  });

  it('have ballots that count, with their receipts', () => {
    const ballots = vectors.votes.flatMap(({ scrutin, bulletins }) =>
      bulletins.map((one) => ({ ...one, ...checker(noble, scrutin) })),
    );
    expect(ballots).toHaveLength(6);
    for (const { check, VotantId, V, bulletin, recu } of ballots) {
      expect(check(VotantId, bytesOf(bulletin))).toBeUndefined();
      expect(check(bytesOf(V), bytesOf(bulletin))).toBeUndefined();
      expect(receiptOf(bulletin)).toBe(recu);
    }
  });

  it('have an opened ballot that is right', () => {
    const { recu, opened } = vectors.audit;
    expect(checkAudit(opened)).toBeUndefined();
    expect(receiptOf(opened.bulletin)).toBe(recu);
  });
});
