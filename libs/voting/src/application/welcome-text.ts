import sanitizeHtml from 'sanitize-html';

/** What a welcome page may be made of: text, links, lists, tables and images; nothing that acts or looks like the page. */
const ALLOWED: sanitizeHtml.IOptions = {
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
};

/** The text of a welcome page, cleaned; null where nothing is left of it. */
export function cleanHtml(html: string | null | undefined): string | null {
  return html == null ? null : sanitizeHtml(html, ALLOWED).trim() || null;
}
