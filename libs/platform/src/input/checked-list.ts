import { composed } from './characters';
import type { RecordDefinition, RecordOf } from './field';
import { UnfitRow } from './json-rows';
import { type RecordValidator } from './record-validator';
import { fr, type Language, type Text, verbatim } from '../errors/text';

/** A record that was not accepted: its place in the list sent, its identifier as sent, and why. */
export interface Refusal {
  readonly index: number;
  readonly idExterne: string;
  readonly message: Text;
  /** Place of a record without a usable identifier, such as `Employes[17].Emplois[0]`. */
  readonly place?: string;
}

/**
 * Returns the message of a refusal.
 *
 * @param kind precedes the message of a record that its identifier finds
 */
export function messageOf({ message, place }: Refusal, language: Language, kind?: Text): string {
  if (place === undefined) return (kind?.[language] ?? '') + message[language];
  return language === 'fr' ? fr`${place} : ${message.fr}` : `${place}: ${message.en}`;
}

/** An identifier inside a message: messages of many records must not be many times longer than the records. */
export function shortened(identifier: string): string {
  return identifier.length <= 100 ? identifier : `${identifier.slice(0, 99).toWellFormed()}…`;
}

/**
 * Characters of faults that one list reports whole. A record of 60 bytes can have faults of 400 characters: beyond, each
 * record has the beginning of its first one.
 */
const WHOLE_FAULTS = 4_194_304;

export const TWICE: Text = {
  en: 'appears twice in this request; the first one counts',
  fr: fr('figure deux fois dans cette requête; le premier compte'),
};

const NO_NOTE: Text = verbatim('');

/** A record of a list after its check. */
export interface CheckedItem<D> {
  /** Index among all checked records. */
  readonly index: number;
  /** Identifier as sent, also a number; "" if it has none. */
  readonly id: string;
  /** Place in the list; absent for a record with a usable identifier. */
  readonly place?: string;
  /** Checked values; absent for a refused record. */
  readonly values?: RecordOf<D>;
}

/**
 * Checks the records of one list, one after the other, each by itself and its identifier against those before; collects
 * why records were refused.
 */
export class CheckedList<D extends RecordDefinition> {
  readonly refusals: Refusal[] = [];
  private readonly seen = new Set<string>();
  private index = 0;
  /** Index of the first record of the list that is read. */
  private start = 0;
  private faults = 0;

  /**
   * @param identifier the property that identifies a record in its list
   * @param list the list's name in the request
   */
  constructor(
    private readonly validator: RecordValidator<D>,
    private readonly identifier: keyof D & string,
    private list: string,
  ) {}

  /** Records checked so far. */
  get length(): number {
    return this.index;
  }

  /** @param note returns the end of an error's detail, if the identifier alone does not identify the record */
  check(sent: unknown, note = () => NO_NOTE): CheckedItem<D> {
    const index = this.index++;
    const checked = this.validator.check(sent);
    const { values } = checked;
    const raw = values
      ? ((values as Record<string, unknown>)[this.identifier] as string)
      : identifierOf(sent, this.identifier);
    const usable = typeof raw === 'string' ? raw : '';
    // Compares identifiers as sent, because the displayed form of an invalid one may equal that of another record.
    const isRepeated = usable !== '' && this.seen.has(usable);
    if (usable !== '') this.seen.add(usable);
    const id = String(raw).toWellFormed();
    if (values && !isRepeated) return { index, id, values };
    const item = usable === '' ? { index, id, place: `${this.list}[${index - this.start}]` } : { index, id };
    return this.refuse(item, isRepeated ? TWICE : checked.fault!, note());
  }

  private brief(fault: Text): Text {
    this.faults += fault.en.length;
    if (this.faults <= WHOLE_FAULTS) return fault;
    // Copies, because a slice of a string keeps the whole of it in memory.
    const [english, french] = [fault.en, fault.fr].map((text) => Buffer.from(shortened(text)).toString());
    return { en: english!, fr: fr`${french!}` };
  }

  /** Refuses a record. @param note end of its message */
  refuse({ index, id, place }: Omit<CheckedItem<D>, 'values'>, fault: Text, note = NO_NOTE): CheckedItem<D> {
    const brief = this.brief(fault);
    const message = { en: brief.en + note.en, fr: fr`${brief.fr}${note.fr}` };
    this.refusals.push({ index, idExterne: id, message, ...(place === undefined ? {} : { place }) });
    return { index, id };
  }

  /** Begins another list whose identifiers may repeat those of the one before, such as that of another parent. */
  restart(list: string): void {
    this.seen.clear();
    this.list = list;
    this.start = this.index;
  }
}

/** Returns the identifier of a record that could not be read: text, or a number; "" otherwise (docs/contract.md, "V1 sync"). */
function identifierOf(element: unknown, name: string): string | number {
  const record = element instanceof UnfitRow ? element.record : element;
  if (typeof record !== 'object' || record === null) return '';
  const lower = name.charAt(0).toLowerCase() + name.slice(1);
  const upper = name.charAt(0).toUpperCase() + name.slice(1);
  const sent = (record as Record<string, unknown>)[lower] ?? (record as Record<string, unknown>)[upper];
  if (typeof sent === 'string') return composed(sent).trim();
  return typeof sent === 'number' ? sent : '';
}
