import type { IOptions, Transformer } from 'sanitize-html';
import { cleanHtml, HARMLESS } from '#platform/input/clean-html';
import { directionFault, hasVisible } from '#platform/input/characters';
import { hasAtMost } from '#platform/input/faults';
import { MOST_LEVELS } from '#platform/input/html-limits';
import { COURRIEL_FIELDS } from '../domain/courriel.fields';
import { fr, type Text } from '#platform/errors/text';

/** Maximum characters of one `style`, because the time to parse it grows with the square of its length. */
const LONGEST_STYLE = 2_000;

/** CSS properties that emails may set. Not `position` and `z-index`, because they lay one part over another. */
const PROPERTIES = [
  ...[
    'color',
    'background',
    'background-color',
    'font',
    'font-family',
    'font-size',
    'font-style',
    'font-weight',
  ],
  ...['line-height', 'letter-spacing', 'word-spacing', 'text-align', 'text-decoration', 'text-indent'],
  ...['text-transform', 'vertical-align', 'white-space', 'word-break', 'overflow-wrap', 'list-style-type'],
  ...['width', 'min-width', 'max-width', 'height', 'min-height', 'max-height', 'display', 'table-layout'],
  ...['border-color', 'border-style', 'border-width', 'border-radius', 'border-collapse', 'border-spacing'],
  ...['margin', 'padding', 'border'].flatMap((of) => [
    ...[of, `${of}-top`, `${of}-right`, `${of}-bottom`, `${of}-left`],
  ]),
];

/** Words, numbers, quoted names and colours. No other function is allowed, because some of them load files. */
const VALUE = /^(?:[\w\s#%.,'"!*/+-]|(?:rgb|hsl)a?\([\w\s.,%/-]*\))+$/i;

const CELL = ['width', 'height', 'align', 'valign', 'bgcolor'];

const ALLOWED: IOptions = {
  ...HARMLESS,
  allowedAttributes: {
    ...HARMLESS.allowedAttributes,
    '*': [...HARMLESS.allowedAttributes['*'], 'style'],
    p: ['align'],
    div: ['align'],
    img: [...HARMLESS.allowedAttributes.img, 'border'],
    table: ['width', 'align', 'bgcolor', 'border', 'cellpadding', 'cellspacing', 'role'],
    tr: ['align', 'valign', 'bgcolor'],
    td: [...HARMLESS.allowedAttributes.td, ...CELL],
    th: [...HARMLESS.allowedAttributes.th, ...CELL],
  },
  allowedStyles: { '*': Object.fromEntries(PROPERTIES.map((property) => [property, [VALUE]])) },
  allowedSchemes: ['https', 'mailto'],
  allowedSchemesByTag: { img: ['https'] },
  // The library allows relative addresses, but an email has no base address.
  transformTags: {
    a: keepOnly('href', /^\s*(?:https:\/\/|mailto:)/i),
    img: keepOnly('src', /^\s*https:\/\//i),
    '*': keepOnly('style', new RegExp(`^[^]{0,${LONGEST_STYLE}}$`)),
  },
  // The library's own list, and the title of a whole document.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'xmp', 'title'],
  nestingLimit: MOST_LEVELS,
};

/** Removes an attribute whose value does not match. */
function keepOnly(attribute: string, pattern: RegExp): Transformer {
  return (tagName, attribs) => {
    const { [attribute]: value, ...others } = attribs;
    return { tagName, attribs: value === undefined || pattern.test(value) ? attribs : others };
  };
}

/** The body as it is stored and sent, or the reason for its refusal. */
export type CleanedEmail =
  | { readonly html: string; readonly fault?: undefined }
  | { readonly html?: undefined; readonly fault: { readonly code: string; readonly detail: Text } };

/** Removes elements that an email may not contain (docs/adr/0016). @param body within the limits of HTML */
export function cleanEmail(body: string): CleanedEmail {
  const html = cleanHtml(body, ALLOWED);
  if (html === null || isBlank(html))
    return refused('empty', {
      en: 'has neither text nor images after the removal of scripts, forms and other forbidden elements',
      fr: fr(
        "n'a ni texte ni image après le retrait des scripts, des formulaires et des autres éléments interdits",
      ),
    });
  // Cleaning writes entities as their characters.
  const turned = directionFault(html);
  if (turned) return refused('characters', turned);
  const { max } = COURRIEL_FIELDS.corpsHtml;
  if (!hasAtMost(html, max))
    return refused('length', {
      en: `must have at most ${max} characters after cleaning, which writes & as &amp;`,
      fr: fr`doit avoir au plus ${max} caractères après le nettoyage, qui écrit & sous la forme &amp;`,
    });
  return { html };
}

/** Returns whether cleaned HTML shows nothing. Its only `<` and `>` are those of tags. */
function isBlank(html: string): boolean {
  return !/<img [^>]*\bsrc="/.test(html) && !hasVisible(html.replaceAll(/<[^>]*>/g, ''));
}

function refused(code: string, detail: Text): CleanedEmail {
  return { fault: { code, detail } };
}
