import fc from 'fast-check';
import { cleanHtml } from './clean-html';

const TAGS = new Set(
  [
    'h1 h2 h3 h4 h5 h6 p br hr div span blockquote pre code b strong i em u s small sub sup mark abbr cite q',
    'ul ol li dl dt dd a img figure figcaption table caption thead tbody tfoot tr th td',
  ]
    .join(' ')
    .split(' '),
);
const ATTRIBUTES = new Set('lang dir title href src alt width height start colspan rowspan scope'.split(' '));

/**
 * What could act, look like the page or hide in a cleaned text. It is read by the strictest grammar there is, and not by
 * the library's own parser: tags of the list with quoted attributes of the list, and text without any `<` or `>`.
 */
function dangersOf(html: string): string[] {
  const dangers: string[] = [];
  const rest = html.replaceAll(
    /<(\/?)([a-z][a-z0-9]*)((?: [a-z]+(?:="[^"<>]*")?)*)( ?\/)?>/g,
    (_tag, _end, name: string, attributes: string) => {
      if (!TAGS.has(name)) dangers.push(name);
      for (const [, attribute, value = ''] of attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
        if (!ATTRIBUTES.has(attribute!)) dangers.push(attribute!);
        const isAddress = attribute === 'href' || attribute === 'src';
        if (isAddress && !isHarmless(decoded(value))) dangers.push(`${attribute}=${value}`);
      }
      return '';
    },
  );
  return /[<>]/.test(rest) ? [...dangers, rest] : dangers;
}

/** Whether a browser that follows an address goes where addresses may lead, or nowhere. */
function isHarmless(address: string): boolean {
  const base = 'https://page.test/';
  return (
    !URL.canParse(address, base) ||
    ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(address, base).protocol)
  );
}

function decoded(value: string): string {
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

describe('what the danger check itself finds', () => {
  it.each([
    '<script>',
    '<p onclick="x">',
    '<p style="x">',
    '<a href="javascript:x">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<p',
    'a < b',
    '<p title=x>',
    '<!-- x -->',
    '<svg>',
    '<P>',
  ])('%s', (html) => {
    expect(dangersOf(html)).not.toEqual([]);
  });
});

describe('cleanHtml keeps', () => {
  it.each([
    'Bienvenue au vote, à bientôt 🎉',
    '<h1>Titre</h1><p>Un <strong>vote</strong>, <em>deux</em> <u>trois</u><br />quatre</p><hr />',
    '<ul><li>un</li><li>deux</li></ul><ol start="3"><li>trois</li></ol>',
    '<table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td colspan="2">B</td></tr></tbody></table>',
    '<a href="https://syndicat.example/vote?a=1&amp;b=2#c">ici</a>',
    '<a href="mailto:vote@syndicat.example">courriel</a> <a href="tel:+15145550123">appel</a>',
    '<a href="/reglement.pdf">règlement</a> <a href="#bas">bas</a>',
    '<img src="https://syndicat.example/logo.png" alt="Logo" width="120" height="40" />',
    '<p lang="en" dir="ltr" title="Hello">Hello</p>',
    'a &lt; b &amp;&amp; c &gt; d',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ])('%s', (html) => {
    expect(cleanHtml(html)).toBe(html);
  });
});

describe('cleanHtml takes out', () => {
  it.each([
    ['scripts with what they say', '<p>a</p><script>alert(1)</script><p>b</p>', '<p>a</p><p>b</p>'],
    ['scripts in capitals', '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>a', 'a'],
    ['scripts that were never closed', 'a<script>alert(1)', 'a'],
    ['a script put together from its ruins', '<scr<script></script>ipt>alert(1)</script>', 'ipt&gt;alert(1)'],
    ['event handlers', '<p onclick="x()" ONMOUSEOVER=\'x()\' onfocus=x()>a</p>', '<p>a</p>'],
    [
      'event handlers behind a slash',
      '<img/src="https://a.example/x.png"/onerror=x()>',
      '<img src="https://a.example/x.png" />',
    ],
    ['javascript: addresses', '<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['javascript: in other letters', '<a href=" JaVaScRiPt:alert(1)">a</a>', '<a>a</a>'],
    ['javascript: with a tab in it', '<a href="java\tscript:alert(1)">a</a>', '<a>a</a>'],
    ['javascript: with a line break in it', '<a href="java\nscript:alert(1)">a</a>', '<a>a</a>'],
    ['javascript: behind a control character', '<a href="\u0001javascript:alert(1)">a</a>', '<a>a</a>'],
    ['javascript: in numbers', '<a href="&#106;&#x61;vascript&#58;alert(1)">a</a>', '<a>a</a>'],
    ['javascript: in names', '<a href="javascript&colon;alert(1)">a</a>', '<a>a</a>'],
    ['javascript: with an escaped tab in it', '<a href="jav&Tab;ascript:alert(1)">a</a>', '<a>a</a>'],
    ['vbscript: addresses', '<a href="vbscript:x">a</a>', '<a>a</a>'],
    ['data: addresses of links', '<a href="data:text/html,<script>x</script>">a</a>', '<a>a</a>'],
    ['data: addresses of images', '<img src="data:image/svg+xml;base64,AAAA">', '<img />'],
    ['addresses of mail of images', '<img src="mailto:a@b.example">', '<img />'],
    [
      'other schemes',
      '<a href="ftp://a.example">a</a><a href="file:///etc/passwd">b</a>',
      '<a>a</a><a>b</a>',
    ],
    ['style attributes', '<p style="position:fixed;top:0">a</p>', '<p>a</p>'],
    ['style elements', '<style>p{display:none}</style>a', 'a'],
    ['classes, ids and names', '<p class="x" id="y">a<a name="z">b</a></p>', '<p>a<a>b</a></p>'],
    ['targets', '<a href="https://a.example" target="_blank">a</a>', '<a href="https://a.example">a</a>'],
    ['data attributes', '<p data-x="1" aria-label="y" slot="z">a</p>', '<p>a</p>'],
    ['iframes', '<iframe src="https://evil.example"></iframe>a', 'a'],
    ['iframes with a document', '<iframe srcdoc="<script>x</script>"></iframe>a', 'a'],
    ['objects and embeds', '<object data="x.swf"></object><embed src="x.swf">a', 'a'],
    ['drawings', '<svg onload=alert(1)><script>alert(1)</script></svg>a', 'a'],
    [
      'drawings that animate a link',
      '<svg><a><animate attributeName=href values=javascript:x /></a></svg>',
      '<a></a>',
    ],
    ['formulas', '<math><mtext><img src=x onerror=x></mtext></math>', '<img src="x" />'],
    ['forms and what they hold', '<form action="https://evil.example"><input name=a>a</form>', 'a'],
    ['sounds and films', '<video src=x onerror=x></video><audio autoplay></audio>a', 'a'],
    ['comments', 'a<!-- b --><!--[if IE]><script>x</script><![endif]-->c', 'ac'],
    ['comments that were never closed', 'a<!-- <p>b</p>', 'a'],
    ['declarations and instructions', '<!DOCTYPE html><?php x ?><![CDATA[x]]>a', 'a'],
    [
      'what belongs into a head',
      '<base href="https://evil.example"><link rel=stylesheet href=x><meta http-equiv=refresh>a',
      'a',
    ],
    ['templates', '<template><p onclick=x>a</p></template>', '<p>a</p>'],
    [
      'what hides in a noscript',
      '<noscript><p title="</noscript><script>x</script>">a</p></noscript>',
      '<p title="&lt;/noscript&gt;&lt;script&gt;x&lt;/script&gt;">a</p>',
    ],
    [
      'what hides in an attribute',
      "<p title='\"><script>x</script>'>a</p>",
      '<p title="&quot;&gt;&lt;script&gt;x&lt;/script&gt;">a</p>',
    ],
    ['U+0000 written as a number', 'a&#0;<scr&#0;ipt>b', 'a\ufffdb'],
  ])('%s', (_what, html, cleaned) => {
    expect(cleanHtml(html)).toBe(cleaned);
    expect(dangersOf(cleaned)).toEqual([]);
  });
});

describe('cleanHtml puts in order', () => {
  it.each([
    ['tags that were never closed', '<p>a<b>b', '<p>a<b>b</b></p>'],
    ['tags that were never opened', 'a</b></div>', 'a'],
    ['tags that cross', '<b>a<i>b</b>c</i>', '<b>a<i>b</i></b>c'],
    ['a tag cut off', 'a<p title="x', 'a'],
    ['signs that are no tags', 'a < b > c', 'a &lt; b &gt; c'],
    ['space around it', ' \n<p>a</p>\t ', '<p>a</p>'],
    ['entities', '&eacute;&#233;&#xe9;&copy;', 'ééé©'],
    ['entities of entities', '&amp;lt;script&amp;gt;', '&amp;lt;script&amp;gt;'],
    ['entities that are none', '&rien; &', '&amp;rien; &amp;'],
  ])('%s', (_what, html, cleaned) => {
    expect(cleanHtml(html)).toBe(cleaned);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['no text', ''],
    ['space', ' \n\t '],
    ['space that does not break', '&nbsp;\u00a0'],
    ['nothing but what is taken out', '<script>alert(1)</script><!-- x --><style>p{}</style><svg></svg>'],
  ])('null of %s', (_what, html) => {
    expect(cleanHtml(html)).toBeNull();
  });

  it.each(['<div>', '<b>', '<blockquote><ul><li>', '<table><tr><td>', '<svg>', '<a href="', '<!--', '<'])(
    'a text of nothing but %s, into at most fifty levels that are all closed',
    (piece) => {
      const cleaned = cleanHtml(piece.repeat(Math.floor(99_000 / piece.length)) + 'fin') ?? '';
      expect(dangersOf(cleaned)).toEqual([]);
      let depth = 0;
      let deepest = 0;
      for (const [, end] of cleaned.matchAll(/<(\/?)[a-z]/g)) {
        depth += end ? -1 : 1;
        deepest = Math.max(deepest, depth);
      }
      expect(depth).toBe(0);
      expect(deepest).toBeLessThanOrEqual(50);
    },
  );
});

describe('cleanHtml of anything', () => {
  const PIECES = [
    ...[
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      '<div ',
      '>',
      '<',
      '</',
      '/>',
      '<br>',
      '<ul><li>',
      '<table><tr><td>',
      '</table>',
    ],
    ...[
      '<script>',
      '</script>',
      '<SCRIPT ',
      '<style>',
      '</style>',
      '<svg>',
      '</svg>',
      '<svg/onload=x>',
      '<math>',
    ],
    ...[
      '<iframe src=x>',
      '</iframe>',
      '<textarea>',
      '</textarea>',
      '<title>',
      '</title>',
      '<noscript>',
      '</noscript>',
    ],
    ...[
      '<xmp>',
      '<plaintext>',
      '<template>',
      '<select>',
      '<option>',
      '<form action=x>',
      '<input ',
      '<base href=x>',
    ],
    ...[
      '<!--',
      '-->',
      '--!>',
      '<!',
      '<?',
      ']]>',
      '<![CDATA[',
      '<img src=x ',
      '<a href="',
      "<a href='",
      '<a href=',
      '"',
      "'",
    ],
    ...[
      'onerror=alert(1) ',
      'onclick="x" ',
      'style="x" ',
      'title="',
      'href=',
      'src=',
      'srcdoc="',
      'xlink:href="',
    ],
    ...[
      'javascript:alert(1)',
      'JAVA\tSCRIPT:x',
      '&#106;avascript:x',
      'javascript&colon;x',
      'data:text/html,x',
      'vbscript:x',
    ],
    ...[
      'https://a.example/',
      '//a.example',
      '/\\a.example',
      'mailto:a@b.example',
      '#',
      '?a=1&b=2',
      '&lt;',
      '&gt;',
      '&quot;',
    ],
    ...[
      '&amp;',
      '&#60;script&#62;',
      '&#x3c',
      '&',
      ';',
      '=',
      '`',
      ' ',
      '\n',
      '\t',
      '\f',
      '\u00a0',
      '\u2028',
      '🎉',
      'é',
      'texte',
    ],
  ];
  const html = fc
    .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 5 })), {
      maxLength: 40,
    })
    .map((pieces) => pieces.join(''));

  it('leaves nothing that acts', () => {
    fc.assert(
      fc.property(html, (text) => {
        expect(dangersOf(cleanHtml(text) ?? '')).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is the same when it is cleaned again', () => {
    fc.assert(
      fc.property(html, (text) => {
        const cleaned = cleanHtml(text);
        expect(cleanHtml(cleaned)).toBe(cleaned);
      }),
      // What stands around a tag that is taken out comes to stand side by side.
      { numRuns: 3_000, examples: [['<p><font><div>a'], ['<ul><li>a<form><li>b'], ['<h1><svg><h1>']] },
    );
  });

  it('leaves a sound text as it is', () => {
    const TEXTS = ['texte', 'é 🎉', 'a &amp; b &lt; c', '<br />', '<code>&lt;p&gt;</code>'];
    const IMAGE = '<img src="https://a.example/b.png" alt="c" />';
    const { blocks } = fc.letrec<Record<'inline' | 'inlines' | 'block' | 'blocks', string>>((tie) => ({
      inline: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(...TEXTS, IMAGE),
        fc
          .tuple(fc.constantFrom('b', 'em', 'span', 'u', 'sup', 'mark'), tie('inlines'))
          .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
        fc.constantFrom(...TEXTS).map((inner) => `<a href="https://a.example/?b=1&amp;c=2">${inner}</a>`),
      ),
      inlines: fc.array(tie('inline'), { maxLength: 3 }).map((parts) => parts.join('')),
      block: fc.oneof(
        { maxDepth: 3 },
        fc
          .tuple(fc.constantFrom('p', 'h1', 'h6'), tie('inlines'))
          .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
        fc
          .tuple(fc.constantFrom('div', 'blockquote', 'figure'), tie('blocks'))
          .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
        tie('blocks').map((inner) => `<ul><li>${inner}</li><li>b</li></ul>`),
        tie('blocks').map((inner) => `<table><tbody><tr><td>${inner}</td></tr></tbody></table>`),
      ),
      blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    }));
    fc.assert(
      fc.property(blocks, (text) => {
        expect(cleanHtml(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
