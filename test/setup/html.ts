import fc from 'fast-check';
import { words } from './words';

const TAGS = words(`
  h1 h2 h3 h4 h5 h6 p br hr div span blockquote pre code b strong i em u s small sub sup mark abbr cite q
  ul ol li dl dt dd a img figure figcaption table caption thead tbody tfoot tr th td
`);

/** Attributes that a cleaned text may have, with a rule for the values of some. */
export interface Harmless {
  readonly attributes: readonly string[];
  readonly values: Readonly<Record<string, (value: string) => boolean>>;
}

/**
 * Returns the parts of a cleaned text that could act, load or hide. The grammar is stricter than that of the library:
 * listed tags with quoted, listed attributes, and text without `<` and `>`.
 */
export function dangersOf(html: string, { attributes: allowed, values }: Harmless): string[] {
  const dangers: string[] = [];
  const rest = html.replaceAll(
    /<\/?([a-z][a-z0-9]*)((?: [a-z]+(?:="[^"<>]*")?)*)(?: ?\/)?>/g,
    (_tag, name: string, attributes: string) => {
      if (!TAGS.includes(name)) dangers.push(name);
      for (const [, attribute, value = ''] of attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
        if (!allowed.includes(attribute!)) dangers.push(attribute!);
        if (values[attribute!]?.(decoded(value)) === false) dangers.push(`${attribute}=${value}`);
      }
      return '';
    },
  );
  return /[<>]/.test(rest) ? [...dangers, rest] : dangers;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
const decoded = (value: string): string =>
  value.replaceAll(/&(lt|gt|quot|amp);/g, (_entity, name: string) => ENTITIES[name]!);

/** Random HTML made of these pieces and of short texts. */
export const htmlOf = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...pieces) }, fc.string({ maxLength: 5 })), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''));
