/**
 * Rules of the contract for records, for the reference: names, presence, texts, dates (docs/contract.md, "HTTP
 * conventions").
 */

/** A property of a record. Its name begins with a small letter; requests may use either case. */
export type Rule =
  | {
      readonly kind: 'text';
      readonly max: number;
      readonly required?: boolean;
      readonly isEmail?: boolean;
    }
  | { readonly kind: 'date'; readonly required?: boolean }
  | { readonly kind: 'boolean' | 'list' | 'readOnly'; readonly required?: false };

export type Shape = Readonly<Record<string, Rule>>;

/** Values of a valid record: texts trimmed, dates in UTC, `undefined` for absent properties. */
export type Values = Record<string, unknown>;

const WRONG = Symbol('a value that its property cannot have');

/** Returns the values of a record, or undefined if any of them is invalid. */
export function read(sent: unknown, shape: Shape): Values | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return undefined;
  const values: Values = {};
  for (const [key, value] of Object.entries(sent)) {
    const name = lowerFirst(key);
    const rule = Object.hasOwn(shape, name) ? shape[name] : undefined;
    // Unknown and duplicate properties are errors.
    if (!rule || Object.hasOwn(values, name)) return undefined;
    values[name] = rule.kind === 'readOnly' ? undefined : readValue(value, rule);
    if (values[name] === WRONG) return undefined;
  }
  const isMissing = Object.entries(shape).some(([name, { required }]) => required && values[name] == null);
  return isMissing ? undefined : values;
}

function readValue(value: unknown, rule: Rule): unknown {
  // An empty text is null in every property.
  if (value === null || (typeof value === 'string' && value.trim() === '')) return null;
  if (rule.kind === 'boolean') return typeof value === 'boolean' ? value : WRONG;
  if (rule.kind === 'list') return Array.isArray(value) ? value : WRONG;
  if (typeof value !== 'string' || value.includes('\u0000') || !value.isWellFormed()) return WRONG;
  const text = value.trim();
  if (rule.kind === 'date') return readDate(text) ?? WRONG;
  if (rule.kind !== 'text' || [...text].length > rule.max) return WRONG;
  return rule.isEmail && !/^[^\s@]+@[^\s@]+\.[a-z]{2,}$/.test(text) ? WRONG : text;
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-]\d\d:\d\d))?$/;

/** Returns a date-time with `Z` or an offset, or a date (00:00 UTC), in UTC; undefined for anything else. */
export function readDate(text: string): string | undefined {
  const [, day] = DATE.exec(text) ?? [];
  if (!day) return undefined;
  const begin = new Date(`${day}T00:00:00Z`);
  // JavaScript reads the 30th of February as a day in March.
  if (Number.isNaN(begin.getTime()) || !begin.toISOString().startsWith(day)) return undefined;
  return new Date(text).toISOString();
}

/** Records of one kind in a request: a second record with the same identifier is an error, the first one counts. */
export class CheckedList {
  /** Identifiers of the rejected records, as sent; "" for a record without one. */
  readonly errors: string[] = [];

  /** @param identifier the property that identifies a record */
  constructor(
    private readonly shape: Shape,
    private readonly identifier: string,
  ) {}

  /** Yields the valid records of a list; absent, null and empty lists have none. */
  *each(sent: unknown): Iterable<{ id: string; values: Values }> {
    const seen = new Set<string>();
    for (const record of (sent ?? []) as unknown[]) {
      const [asSent] = this.identifiersOf(record);
      const isText = typeof asSent === 'string';
      const id = isText || typeof asSent === 'number' ? String(asSent).toWellFormed().trim() : '';
      const values = read(record, this.shape);
      if (values && !seen.has(id)) yield { id, values };
      else this.errors.push(id);
      if (isText) seen.add(id);
    }
  }

  /** Returns the identifiers that are sent once and can be stored, even if their record is otherwise invalid. */
  identifiers(sent: unknown): string[] {
    return ((sent ?? []) as unknown[]).flatMap((record) => {
      const [id, ...others] = this.identifiersOf(record);
      const isReadable =
        others.length === 0 && typeof id === 'string' && !id.includes('\u0000') && id.isWellFormed();
      const trimmed = isReadable ? id.trim() : '';
      return trimmed !== '' && [...trimmed].length <= 255 ? [trimmed] : [];
    });
  }

  private identifiersOf(record: unknown): unknown[] {
    if (typeof record !== 'object' || record === null) return [];
    return Object.entries(record).flatMap(([key, value]) =>
      lowerFirst(key) === this.identifier ? [value as unknown] : [],
    );
  }
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
