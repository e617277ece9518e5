import type { QueryConfig } from 'pg';

/** Reads the body in PostgreSQL's binary format, because its text format would turn 64 MB into 128 MB. */
export function rawCorps(
  table: 'tache' | 'plan',
  tenantId: string,
  id: string,
): QueryConfig & { binary: true } {
  return {
    text: `SELECT corps FROM ${table} WHERE tenant_id = $1 AND id_unique = $2`,
    values: [tenantId, id],
    types: { getTypeParser: () => (value: unknown) => value },
    binary: true,
  };
}

/** The forms in which a JSON text may contain a string. The body is stored as sent, even if it is not JSON. */
export function formsOf(text: string): Buffer[] {
  return [text, text.normalize('NFD')].flatMap(writtenForms);
}

function writtenForms(text: string): Buffer[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const escaped = plain.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const upperCase = escaped.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const forms = [plain, escaped, upperCase].flatMap((form) => [form, form.replaceAll('/', '\\/')]);
  return [...new Set(forms)].map((form) => Buffer.from(form));
}
