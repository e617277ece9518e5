import { randomBytes, randomUUID } from 'node:crypto';
import type { JournalEntry } from '../../../libs/platform/src/audit/chain';
import { KeyRing } from '../../../libs/platform/src/ops/key-ring';
import type { Trail } from './trail';

/** Returns a random number below a limit; the same seed gives the same alterations. */
export type Chance = (below: number) => number;

/** An alteration of the trail by an attacker who may write anything to the database and has no key. */
export type Alteration = (trail: Trail, chance: Chance) => Promise<unknown>;

/** Lowers the numbers after one, to hide a removal. Negative numbers in between avoid duplicates. */
async function closeGap(trail: Trail, after: number, by: number): Promise<void> {
  const space = trail.tenant.tenantId;
  await trail.sql('UPDATE journal SET numero = -numero WHERE tenant_id = $1 AND numero > $2', space, after);
  await trail.sql('UPDATE journal SET numero = -numero - $2 WHERE tenant_id = $1 AND numero < 0', space, by);
}

/** Makes the last entry the end. An attacker cannot make its seal. */
const END_IS_LAST = `UPDATE journal_tete t SET numero = j.numero, empreinte = j.empreinte FROM journal j
  WHERE t.tenant_id = $1 AND j.tenant_id = $1 AND j.numero = (SELECT max(numero) FROM journal WHERE tenant_id = $1)`;

function pick<T>(items: readonly T[], chance: Chance): T {
  return items[chance(items.length)]!;
}

function changing(
  column: string,
  value: (before: JournalEntry, others: JournalEntry[], chance: Chance) => unknown,
): Alteration {
  return async (trail, chance) => {
    const rows = await trail.rows();
    const row = pick(rows, chance);
    return trail.sql(
      `UPDATE journal SET ${column} = $3 WHERE tenant_id = $1 AND numero = $2`,
      trail.tenant.tenantId,
      row.numero,
      value(row, rows, chance),
    );
  };
}

function swapping(columns: readonly string[]): Alteration {
  return async (trail, chance) => {
    const rows = await trail.rows();
    const one = chance(rows.length - 1);
    const other = one + 1 + chance(rows.length - one - 1);
    const set = columns.map((column) => `${column} = o.${column}`).join(', ');
    return trail.sql(
      `UPDATE journal j SET ${set} FROM journal o WHERE j.tenant_id = $1 AND o.tenant_id = $1
         AND (j.numero, o.numero) IN (($2, $3), ($3, $2))`,
      trail.tenant.tenantId,
      rows[one]!.numero,
      rows[other]!.numero,
    );
  };
}

const CONTENT = ['date_creation', 'cle_id', 'action', 'objet_id', 'requete_id', 'detail'];

/** Every kind of alteration. */
export const ALTERATIONS: Readonly<Record<string, Alteration>> = {
  'another action': changing('action', ({ action }) => `${action}r`),
  'another object': changing('objet_id', () => randomUUID()),
  'another key': changing('cle_id', () => randomUUID()),
  'another request': changing('requete_id', ({ requeteId }) => `${requeteId}0`),
  'a millisecond later': changing('date_creation', ({ date }) => new Date(Date.parse(date) + 1)),
  'another detail': changing('detail', ({ detail }) =>
    JSON.stringify({ ...(JSON.parse(detail ?? '{}') as object), champs: ['Poids'] }),
  ),
  'another id': changing('id_unique', () => randomUUID()),
  'another digest': changing('empreinte', () => randomBytes(32)),
  'a bit of a digest': changing('empreinte', (before) => {
    const { empreinte } = before as JournalEntry & { empreinte: Buffer };
    const changed = Buffer.from(empreinte);
    changed[7]! ^= 1;
    return changed;
  }),
  'the digest of another': changing('empreinte', (before, others, chance) => {
    const rest = others.filter(({ numero }) => numero !== before.numero);
    return (pick(rest, chance) as JournalEntry & { empreinte: Buffer }).empreinte;
  }),
  'another number': changing('numero', (_before, { length }, chance) => length + 1 + chance(5)),
  'an entry removed': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    return trail.sql(
      'DELETE FROM journal WHERE tenant_id = $1 AND numero = $2',
      trail.tenant.tenantId,
      numero,
    );
  },
  'an entry removed and the gap closed': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    const space = trail.tenant.tenantId;
    await trail.sql('DELETE FROM journal WHERE tenant_id = $1 AND numero = $2', space, numero);
    await closeGap(trail, numero, 1);
    await trail.sql(END_IS_LAST, space);
  },
  'some in a row removed': async (trail, chance) => {
    const rows = await trail.rows();
    const from = chance(rows.length);
    const to = from + 1 + chance(rows.length - from);
    const numbers = rows.slice(from, to).map(({ numero }) => numero);
    const text = 'DELETE FROM journal WHERE tenant_id = $1 AND numero = ANY ($2)';
    return trail.sql(text, trail.tenant.tenantId, numbers);
  },
  'the last ones removed, the end put back': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    const space = trail.tenant.tenantId;
    await trail.sql('DELETE FROM journal WHERE tenant_id = $1 AND numero >= $2', space, numero);
    await trail.sql(
      `UPDATE journal_tete SET numero = 0, empreinte = decode(repeat('00', 32), 'hex') WHERE tenant_id = $1`,
      space,
    );
    await trail.sql(END_IS_LAST, space);
  },
  'everything removed': async (trail) => {
    const space = trail.tenant.tenantId;
    await trail.sql('DELETE FROM journal WHERE tenant_id = $1', space);
    await trail.sql(
      `UPDATE journal_tete SET numero = 0, empreinte = decode(repeat('00', 32), 'hex') WHERE tenant_id = $1`,
      space,
    );
  },
  'everything removed, with the end': async (trail) => {
    await trail.sql('DELETE FROM journal WHERE tenant_id = $1', trail.tenant.tenantId);
    await trail.sql('DELETE FROM journal_tete WHERE tenant_id = $1', trail.tenant.tenantId);
  },
  'two entries swapped whole': swapping([...CONTENT, 'empreinte']),
  'the contents of two swapped': swapping(CONTENT),
  'the digests of two swapped': swapping(['empreinte']),
  'an entry made up behind the last': async (trail, chance) => {
    const rows = await trail.rows();
    const space = trail.tenant.tenantId;
    const { numero } = pick(rows, chance);
    await trail.sql(
      `INSERT INTO journal (tenant_id, numero, cle_id, action, objet_id, requete_id, empreinte)
       SELECT tenant_id, $3, cle_id, action, objet_id, requete_id, empreinte FROM journal WHERE tenant_id = $1 AND numero = $2`,
      ...[space, numero, rows.length + 1],
    );
    if (chance(2) === 0) await trail.sql(END_IS_LAST, space);
  },
  'an entry made up in between': async (trail, chance) => {
    const rows = await trail.rows();
    const space = trail.tenant.tenantId;
    const { numero } = pick(rows, chance);
    await closeGap(trail, numero, -1);
    await trail.sql(
      `INSERT INTO journal (tenant_id, numero, cle_id, action, objet_id, requete_id, empreinte)
       SELECT tenant_id, $3, cle_id, action, objet_id, requete_id, empreinte FROM journal WHERE tenant_id = $1 AND numero = $2`,
      ...[space, numero, numero + 1],
    );
    await trail.sql(END_IS_LAST, space);
  },
  'an entry moved to another trail': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    return trail.sql(
      'UPDATE journal SET tenant_id = $3, numero = 1000 WHERE tenant_id = $1 AND numero = $2',
      ...[trail.tenant.tenantId, numero, trail.tenant.clientId],
    );
  },
  'an entry of another trail put in the place of one': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    return trail.sql(
      `UPDATE journal j SET action = o.action, objet_id = o.objet_id, cle_id = o.cle_id, requete_id = o.requete_id,
         date_creation = o.date_creation, empreinte = o.empreinte
       FROM (SELECT * FROM journal WHERE tenant_id = $3 ORDER BY numero LIMIT 1) o
       WHERE j.tenant_id = $1 AND j.numero = $2`,
      ...[trail.tenant.tenantId, numero, trail.tenant.clientId],
    );
  },
  'the end of another trail': (trail) =>
    trail.sql(
      `UPDATE journal_tete t SET numero = o.numero, empreinte = o.empreinte, sceau = o.sceau FROM journal_tete o
       WHERE t.tenant_id = $1 AND o.tenant_id = $2`,
      ...[trail.tenant.tenantId, trail.tenant.clientId],
    ),
  'another seal': (trail) =>
    trail.sql(
      'UPDATE journal_tete SET sceau = $2 WHERE tenant_id = $1',
      trail.tenant.tenantId,
      randomBytes(32),
    ),
  'the end removed': (trail) =>
    trail.sql('DELETE FROM journal_tete WHERE tenant_id = $1', trail.tenant.tenantId),
  'an entry taken out of the chain': async (trail, chance) => {
    const { numero } = pick(await trail.rows(), chance);
    return trail.sql(
      `UPDATE journal SET numero = NULL, empreinte = NULL WHERE tenant_id = '${trail.tenant.tenantId}' AND numero = ${numero}`,
    );
  },
  'an entry made up outside the chain': (trail) =>
    trail.sql(
      `INSERT INTO journal (tenant_id, cle_id, action, objet_id, requete_id)
       VALUES ('${trail.tenant.tenantId}', '${randomUUID()}', 'employe.creer', '${randomUUID()}', 'x')`,
    ),
  'all rewritten with a wrong key': (trail, chance) =>
    trail.forge(KeyRing.of(randomBytes(32)), (entries) =>
      entries.filter((_entry, index) => index !== chance(entries.length)),
    ),
  'all rewritten with an empty key': (trail) =>
    trail.forge(KeyRing.of(Buffer.alloc(32)), ([first, ...rest]) => [
      { ...first!, action: 'employe.modifier' },
      ...rest,
    ]),
};
