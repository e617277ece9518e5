import { hash } from 'node:crypto';

/** The key that signs checkpoints, Ed25519. */
export interface CheckpointKey {
  readonly publicKey: Uint8Array;
  sign(bytes: Uint8Array): Buffer;
}

/** A signed size of the log of receipts of a campaign. */
export interface Checkpoint {
  readonly taille: number;
  readonly racine: Buffer;
  readonly note: string;
}

/** Type of signature in the key id of a signed note: Ed25519. */
const ED25519 = Buffer.of(1);

/** Origin of the log and name of its key. */
const nameOf = (campagneId: string): string => `mandat/campagnes/${campagneId}`;

/** The signed lines of a checkpoint (C2SP tlog-checkpoint). */
function linesOf(campagneId: string, taille: number, racine: Buffer): string {
  return `${nameOf(campagneId)}\n${taille}\n${racine.toString('base64')}\n`;
}

/** Returns a checkpoint as a signed note (docs/verification.md, "recus.bin and engagements.ndjson"). */
export function signedCheckpoint(
  campagneId: string,
  taille: number,
  racine: Buffer,
  key: CheckpointKey,
): Checkpoint {
  const name = nameOf(campagneId);
  const lines = linesOf(campagneId, taille, racine);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ED25519, key.publicKey]), 'buffer');
  const signature = Buffer.concat([id.subarray(0, 4), key.sign(Buffer.from(lines))]).toString('base64');
  return { taille, racine, note: `${lines}\n— ${name} ${signature}\n` };
}

/** Whether a stored checkpoint has this root, in its column as well as in its note. The signature is not checked. */
export function states({ taille, racine, note }: Checkpoint, campagneId: string, root: Buffer): boolean {
  return racine.equals(root) && note.startsWith(`${linesOf(campagneId, taille, root)}\n`);
}
