import sanitizeHtml from 'sanitize-html';

/** Elements allowed in foreign HTML: text, links, lists, tables and images; nothing active or styled. */
export const HARMLESS = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'div', 'span', 'blockquote', 'pre', 'code'],
    ...['b', 'strong', 'i', 'em', 'u', 's', 'small', 'sub', 'sup', 'mark', 'abbr', 'cite', 'q'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'a', 'img', 'figure', 'figcaption'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  allowedAttributes: {
    '*': ['lang', 'dir', 'title'],
    a: ['href'],
    img: ['src', 'alt', 'width', 'height'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  nestingLimit: 50,
} satisfies sanitizeHtml.IOptions;

/** How often a text is cleaned at most: beyond that only ones made for the purpose still change. */
const MOST_ROUNDS = 10;

/**
 * Returns HTML without all that is not allowed, or null if nothing is left of it. Removing a tag can bring together what
 * stood around it, so the text is cleaned until nothing changes: a cleaned text can be cleaned again and stays as it is.
 */
export function cleanHtml(
  html: string | null | undefined,
  allowed: sanitizeHtml.IOptions = HARMLESS,
): string | null {
  if (html == null) return null;
  let cleaned = html;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = sanitizeHtml(cleaned, allowed).trim();
    if (next === cleaned) break;
    cleaned = next;
  }
  return cleaned || null;
}
