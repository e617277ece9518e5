/** Languages of the service's messages. The first one is the default. */
export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

declare const typeset: unique symbol;

/** French as `fr` sets it. */
export type French = string & { readonly [typeset]: true };

/** A message of the service in each language. */
export interface Text {
  readonly en: string;
  readonly fr: French;
}

const NO_BREAK = '\u00a0';

function setIn(text: string): string {
  return text
    .replaceAll("'", '’')
    .replaceAll(/ (?=[:»])|(?<=\d) (?=\d{3}(?!\d))/g, NO_BREAK)
    .replaceAll('« ', `«${NO_BREAK}`);
}

/** The parts of each template, set once. */
const templates = new WeakMap<TemplateStringsArray, readonly string[]>();

function partsOf(template: TemplateStringsArray): readonly string[] {
  let parts = templates.get(template);
  if (!parts) templates.set(template, (parts = template.map(setIn)));
  return parts;
}

/**
 * Sets a French message: typographic apostrophes, and spaces that do not break before `:`, inside of quotes and in numbers. There is none
 * before `;`, `!` and `?`, as the Office québécois de la langue française recommends.
 * Values of a template stay as they are, because callers sent them; numbers get separators of thousands.
 *
 * @param text a string without values, or the template
 */
export function fr(text: string | TemplateStringsArray, ...values: readonly (string | number)[]): French {
  if (typeof text === 'string') return setIn(text) as French;
  const [first = '', ...parts] = partsOf(text);
  let written = first;
  for (const [place, part] of parts.entries()) {
    const value = values[place]!;
    written += (typeof value === 'number' ? value.toLocaleString('fr-CA') : value) + part;
  }
  return written as French;
}

/** A text that is the same in each language: a name, or words of a caller. */
export function verbatim(text: string): Text {
  return { en: text, fr: text as French };
}
