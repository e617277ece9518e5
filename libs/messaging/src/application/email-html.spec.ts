import fc from 'fast-check';
import { cleanEmail } from './email-html';

const words = (text: string): Set<string> => new Set(text.split(' '));
const TAGS = words(
  'h1 h2 h3 h4 h5 h6 p br hr div span blockquote pre code b strong i em u s small sub sup mark abbr cite q ' +
    'ul ol li dl dt dd a img figure figcaption table caption thead tbody tfoot tr th td',
);
const ATTRIBUTES = words(
  'lang dir title style href src alt width height start colspan rowspan scope align valign bgcolor border ' +
    'cellpadding cellspacing role',
);

/**
 * Returns what could act, load or hide in a cleaned email. The grammar is stricter than that of the library: listed tags
 * with quoted, listed attributes, and text without `<` and `>`.
 */
function dangersOf(html: string): string[] {
  const dangers: string[] = [];
  const rest = html.replaceAll(
    /<\/?([a-z][a-z0-9]*)((?: [a-z]+(?:="[^"<>]*")?)*)(?: ?\/)?>/g,
    (_tag, name: string, attributes: string) => {
      if (!TAGS.has(name)) dangers.push(name);
      for (const [, attribute, value = ''] of attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
        if (!ATTRIBUTES.has(attribute!)) dangers.push(attribute!);
        const plain = decoded(value);
        const isHarmless =
          attribute === 'style'
            ? /^[^(\\{}]*$/.test(plain.replaceAll(/\b(?:rgb|hsl)a?\([^()]*\)/gi, '')) &&
              !/position/i.test(plain)
            : attribute === 'src'
              ? protocolOf(plain) === 'https:'
              : attribute !== 'href' || ['https:', 'mailto:'].includes(protocolOf(plain)!);
        if (!isHarmless) dangers.push(`${attribute}=${value}`);
      }
      return '';
    },
  );
  return /[<>]/.test(rest) ? [...dangers, rest] : dangers;
}

/** Where an address leads that a mail program opens; undefined if nowhere. */
function protocolOf(address: string): string | undefined {
  return URL.parse(address)?.protocol ?? 'https:';
}

function decoded(value: string): string {
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

describe('dangersOf itself finds', () => {
  it.each([
    '<form>',
    '<input>',
    '<p onclick="x">',
    '<p style="position:fixed">',
    '<p style="background:url(https://a.example)">',
    '<p style="color:\\75rl">',
    '<a href="http://a.example">x</a>',
    '<a href="javascript:x">x</a>',
    '<img src="data:image/png;base64,AA">',
    'a < b',
  ])('%s', (html) => {
    expect(dangersOf(html)).not.toEqual([]);
  });
});

describe('cleanEmail keeps', () => {
  it.each([
    'Bonjour à tous 🎉',
    '<table role="presentation" width="600" align="center" border="0" cellpadding="0" cellspacing="0" bgcolor="#ffffff"><tbody><tr><td align="left" valign="top" width="50%" style="padding:0 10px;font-family:\'Segoe UI\', Arial, sans-serif;color:#333">A</td></tr></tbody></table>',
    '<p align="center" style="margin:0 auto;font:bold 14px/1.5 Arial;color:rgb(10, 20, 30);background-color:hsla(120, 50%, 50%, .5) !important">A</p>',
    '<img src="https://syndicat.example/logo.png?a=1&amp;b=2" alt="Logo" width="120" height="40" border="0" style="display:block" />',
    '<a href="https://syndicat.example/vote?a=1&amp;b=2#c" style="border:1px solid #000;padding:4px;text-decoration:none">Voter</a>',
    '<a href="mailto:vote@syndicat.example?subject=Vote">Écrire</a>',
    '<h1>Titre</h1><ul><li>un</li></ul><blockquote>b</blockquote><hr />',
    'a &lt; b &amp;&amp; c &gt; d',
  ])('%s', (html) => {
    expect(cleanEmail(html)).toEqual({ html });
    expect(dangersOf(html)).toEqual([]);
  });
});

describe('cleanEmail removes', () => {
  it.each([
    ['forms and inputs', '<form action="https://e.example"><input name="a"><button>b</button></form>', 'b'],
    ['choices with their texts', 'a<select><option>b</option></select><textarea>c</textarea>', 'a'],
    ['scripts', 'a<script>alert(1)</script>', 'a'],
    ['event handlers', '<p onclick="x()">a</p>', '<p>a</p>'],
    [
      'frames and objects',
      '<iframe src="https://e.example"></iframe><object data="x"></object><embed>a',
      'a',
    ],
    ['drawings, sounds and films', '<svg onload=x></svg><video src=x></video><audio src=x></audio>a', 'a'],
    ['style elements', '<style>p{display:none}</style>a', 'a'],
    [
      'what belongs into a head',
      '<base href="https://e.example"><meta http-equiv=refresh><link href=x>a',
      'a',
    ],
    [
      'what a document is besides its body',
      '<!DOCTYPE html><html><head><meta charset="utf-8"><title>a</title></head><body bgcolor="red">b</body></html>',
      'b',
    ],
    ['comments, conditional ones too', 'a<!--[if mso]><p>b</p><![endif]-->', 'a'],
    ['javascript: links', '<a href="java\tscript:alert(1)">a</a>', '<a>a</a>'],
    ['data: links', '<a href="data:text/html,x">a</a>', '<a>a</a>'],
    ['http links', '<a href="http://a.example">a</a>', '<a>a</a>'],
    ['telephone links', '<a href="tel:+15145550123">a</a>', '<a>a</a>'],
    [
      'relative links',
      '<a href="/a">a</a><a href="//b.example">b</a><a href="#c">c</a>',
      '<a>a</a><a>b</a><a>c</a>',
    ],
    [
      'links that only look like https',
      '<a href="https:\\\\e.example">a</a><a href="https:a">b</a>',
      '<a>a</a><a>b</a>',
    ],
    [
      'http and data: images',
      '<img src="http://a.example/b.png" alt="b"><img src="data:image/png,x">a',
      '<img alt="b" /><img />a',
    ],
    ['images of attachments', '<img src="cid:a">b', '<img />b'],
    [
      'backgrounds that are loaded',
      '<td background="https://a.example"></td><p style="background:url(https://a.example)">a</p>',
      '<td></td><p>a</p>',
    ],
    [
      'images in styles',
      '<p style="background:image-set(\'a\' 1x);list-style-type:url(a)">a</p>',
      '<p>a</p>',
    ],
    ['escapes in styles', '<p style="background:\\75 rl(a)">a</p>', '<p>a</p>'],
    ['expressions in styles', '<p style="width:expression(alert(1))">a</p>', '<p>a</p>'],
    [
      'places in styles',
      '<p style="position:absolute;top:0;z-index:9;color:red">a</p>',
      '<p style="color:red">a</p>',
    ],
    ['rules that leave a style', '<p style="color:red}p{color:blue">a</p>', '<p style="color:red">a</p>'],
    ['styles that are no styles', '<p style="{{{">a</p><p style="/*">b</p>', '<p>a</p><p>b</p>'],
    ['styles of more than 2,000 characters', `<p style="color:red;${' '.repeat(2_000)}">a</p>`, '<p>a</p>'],
    ['classes, ids and names', '<p class="a" id="b"><a name="c">d</a></p>', '<p><a>d</a></p>'],
    ['tags on levels beyond 100', `${'<b>'.repeat(101)}a`, `${'<b>'.repeat(100)}a${'</b>'.repeat(100)}`],
  ])('%s', (_what, html, cleaned) => {
    expect(cleanEmail(html)).toEqual({ html: cleaned });
    expect(dangersOf(cleaned)).toEqual([]);
  });
});

describe('cleanEmail refuses', () => {
  it.each([
    ['scripts alone', '<script>alert(1)</script>', 'empty'],
    ['a form without text', '<div><form><input><br></form></div>', 'empty'],
    ['space', '<p>&nbsp; \n</p>', 'empty'],
    ['an image that is not shown', '<img src="http://a.example/b.png" alt="b">', 'empty'],
    ['20,001 tags', '<b></b>'.repeat(10_000) + '<br>', 'length'],
    ['200,001 characters once cleaned', '&'.repeat(40_001), 'length'],
  ])('%s', (_what, html, code) => {
    expect(cleanEmail(html)).toEqual({ fault: { code, detail: expect.any(String) } });
  });

  it.each([
    ['an image alone', '<img src="https://a.example/b.png" />'],
    ['20,000 tags', '<b>a</b>'.repeat(10_000)],
    ['200,000 characters once cleaned', '&amp;'.repeat(40_000)],
  ])('but not %s', (_what, html) => {
    expect(cleanEmail(html)).toEqual({ html });
  });
});

describe('cleanEmail of anything', () => {
  const PIECES = [
    ...[
      '<p>',
      '</p>',
      '<b>',
      '<div ',
      '>',
      '<',
      '</',
      '/>',
      '<table><tr><td ',
      '</table>',
      '<form action=x>',
      '<input ',
    ],
    ...[
      '<script>',
      '</script>',
      '<style>',
      '</style>',
      '<svg>',
      '<iframe src=x>',
      '</iframe>',
      '<textarea>',
      '<xmp>',
    ],
    ...[
      '<noscript>',
      '</noscript>',
      '<!--',
      '-->',
      '<![CDATA[',
      '<img src=',
      '<a href="',
      "<a href='",
      '"',
      "'",
      '=',
      ' ',
    ],
    ...[
      'style="',
      "style='",
      'color:',
      'background:',
      'width:',
      'url(',
      'expression(',
      'rgb(',
      ')',
      ';',
      '{',
      '}',
      '\\',
      '/*',
    ],
    ...[
      'position:fixed',
      'red',
      '1px',
      '#fff',
      '!important',
      '&quot;',
      '&lt;',
      '&amp;',
      '&#106;',
      '&colon;',
      '\n',
      '\t',
    ],
    ...[
      'https://a.example/',
      'http://a.example',
      '//a.example',
      'javascript:x',
      'data:text/html,x',
      'mailto:a@b.example',
    ],
    ...['onclick="x" ', 'onerror=x ', 'title="', '🎉', 'é', 'texte', '\u00a0', '\u2028'],
  ];
  const html = fc
    .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 5 })), {
      maxLength: 40,
    })
    .map((pieces) => pieces.join(''));

  it('leaves nothing that acts or loads, and the same when it is cleaned again', () => {
    fc.assert(
      fc.property(html, (body) => {
        const { html: cleaned } = cleanEmail(body);
        if (cleaned === undefined) return;
        expect(dangersOf(cleaned)).toEqual([]);
        expect(cleanEmail(cleaned)).toEqual({ html: cleaned });
      }),
      { numRuns: 3_000 },
    );
  });
});
