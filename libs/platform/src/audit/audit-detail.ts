import { createHash } from 'node:crypto';
import type { TouchedIds } from '../database/touched-ids';

/** Maximum ids in an entry. For more ids the entry has their number and a digest. */
export const MOST_IDS = 1_000;

/** Kinds of changes of a bulk write. */
export const CHANGES = ['ajout', 'modification', 'retrait'] as const;

/** Which objects a bulk write added, changed and removed, and the names of the fields that it changed. */
export interface AuditDetail {
  readonly ajoutes?: TouchedIds;
  readonly modifies?: TouchedIds;
  readonly retires?: TouchedIds;
  readonly champs?: readonly string[];
}

/** The detail as an entry keeps it, a list of `JournalChangement` in JSON; null where nothing was changed. */
export function textOfDetail({ ajoutes, modifies, retires, champs = [] }: AuditDetail): string | null {
  const told = [ajoutes, modifies, retires].flatMap((ids, index) => {
    if (!ids || ids.count === 0) return [];
    const type = CHANGES[index]!;
    return [{ type, ...named(ids), champs: type === 'modification' ? champs : [] }];
  });
  return told.length === 0 ? null : JSON.stringify(told);
}

function named({ count, lines }: TouchedIds): {
  nombre: number;
  ids: string[] | null;
  empreinte: string | null;
} {
  if (count <= MOST_IDS) return { nombre: count, ids: lines.split('\n'), empreinte: null };
  return { nombre: count, ids: null, empreinte: createHash('sha256').update(lines).digest('hex') };
}
