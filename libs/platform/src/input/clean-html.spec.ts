import fc from 'fast-check';
import { dangersOf, type Harmless, htmlOf } from '../../../../test/setup/html';
import { rows, words } from '../../../../test/setup/words';
import { cleanHtml } from './clean-html';

/** A browser must follow an address to a permitted scheme, or nowhere. */
const isHarmless = (address: string): boolean => {
  const base = 'https://page.test/';
  if (!URL.canParse(address, base)) return true;
  return ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(address, base).protocol);
};
const HARMLESS: Harmless = {
  attributes: words('lang dir title href src alt width height start colspan rowspan scope'),
  values: { href: isHarmless, src: isHarmless },
};
const dangers = (html: string): string[] => dangersOf(html, HARMLESS);

describe('The danger check', () => {
  it.each([
    ...['<script>', '<p onclick="x">', '<p style="x">', '<a href="javascript:x">x</a>', '<p', 'a < b'],
    ...['<a href="data:text/html,x">x</a>', '<p title=x>', '<!-- x -->', '<svg>', '<P>'],
  ])('reports %s', (html) => {
    expect(dangers(html)).not.toEqual([]);
  });
});

describe('cleanHtml', () => {
  it.each(
    rows(`
    Bienvenue au vote, à bientôt 🎉
    <h1>Titre</h1><p>Un <strong>vote</strong>, <em>deux</em> <u>trois</u><br />quatre</p><hr />
    <ul><li>un</li><li>deux</li></ul><ol start="3"><li>trois</li></ol>
    <table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td colspan="2">B</td></tr></tbody></table>
    <a href="https://syndicat.example/vote?a=1&amp;b=2#c">ici</a>
    <a href="mailto:vote@syndicat.example">courriel</a> <a href="tel:+15145550123">appel</a>
    <a href="/reglement.pdf">règlement</a> <a href="#bas">bas</a>
    <img src="https://syndicat.example/logo.png" alt="Logo" width="120" height="40" />
    <p lang="en" dir="ltr" title="Hello">Hello</p>
    a &lt; b &amp;&amp; c &gt; d
    &lt;script&gt;alert(1)&lt;/script&gt;
  `),
  )('keeps %s', (html) => {
    expect(cleanHtml(html)).toBe(html);
  });

  it.each([
    ...rows(`
    scripts with their text → <p>a</p><script>alert(1)</script><p>b</p> → <p>a</p><p>b</p>
    scripts in capitals → <SCRIPT SRC=https://evil.example/x.js></SCRIPT>a → a
    unclosed scripts → a<script>alert(1) → a
    nested pieces of a script → <scr<script></script>ipt>alert(1)</script> → ipt&gt;alert(1)
    event handlers → <p onclick="x()" ONMOUSEOVER='x()' onfocus=x()>a</p> → <p>a</p>
    event handlers after a slash → <img/src="https://a.example/x.png"/onerror=x()> → <img src="https://a.example/x.png" />
    javascript: addresses → <a href="javascript:alert(1)">a</a> → <a>a</a>
    javascript: in other letters → <a href=" JaVaScRiPt:alert(1)">a</a> → <a>a</a>
    javascript: with a tab → <a href="java\tscript:alert(1)">a</a> → <a>a</a>
    javascript: after a control character → <a href="\u0001javascript:alert(1)">a</a> → <a>a</a>
    javascript: in numbers → <a href="&#106;&#x61;vascript&#58;alert(1)">a</a> → <a>a</a>
    javascript: in names → <a href="javascript&colon;alert(1)">a</a> → <a>a</a>
    javascript: with an escaped tab → <a href="jav&Tab;ascript:alert(1)">a</a> → <a>a</a>
    vbscript: addresses → <a href="vbscript:x">a</a> → <a>a</a>
    data: addresses of links → <a href="data:text/html,<script>x</script>">a</a> → <a>a</a>
    data: addresses of images → <img src="data:image/svg+xml;base64,AAAA"> → <img />
    mailto: addresses of images → <img src="mailto:a@b.example"> → <img />
    other schemes → <a href="ftp://a.example">a</a><a href="file:///etc/passwd">b</a> → <a>a</a><a>b</a>
    style attributes → <p style="position:fixed;top:0">a</p> → <p>a</p>
    style elements → <style>p{display:none}</style>a → a
    classes, ids and names → <p class="x" id="y">a<a name="z">b</a></p> → <p>a<a>b</a></p>
    targets → <a href="https://a.example" target="_blank">a</a> → <a href="https://a.example">a</a>
    data attributes → <p data-x="1" aria-label="y" slot="z">a</p> → <p>a</p>
    iframes → <iframe src="https://evil.example"></iframe>a → a
    iframes with a document → <iframe srcdoc="<script>x</script>"></iframe>a → a
    objects and embeds → <object data="x.swf"></object><embed src="x.swf">a → a
    drawings → <svg onload=alert(1)><script>alert(1)</script></svg>a → a
    drawings that animate a link → <svg><a><animate attributeName=href values=javascript:x /></a></svg> → <a></a>
    formulas → <math><mtext><img src=x onerror=x></mtext></math> → <img src="x" />
    forms with their fields → <form action="https://evil.example"><input name=a>a</form> → a
    sounds and films → <video src=x onerror=x></video><audio autoplay></audio>a → a
    comments → a<!-- b --><!--[if IE]><script>x</script><![endif]-->c → ac
    unclosed comments → a<!-- <p>b</p> → a
    declarations and instructions → <!DOCTYPE html><?php x ?><![CDATA[x]]>a → a
    elements of a head → <base href="https://evil.example"><link rel=stylesheet href=x><meta http-equiv=refresh>a → a
    templates → <template><p onclick=x>a</p></template> → <p>a</p>
    scripts in a noscript → <noscript><p title="</noscript><script>x</script>">a</p></noscript> → <p title="&lt;/noscript&gt;&lt;script&gt;x&lt;/script&gt;">a</p>
    scripts in an attribute → <p title='"><script>x</script>'>a</p> → <p title="&quot;&gt;&lt;script&gt;x&lt;/script&gt;">a</p>
  `),
    ['javascript: with a line break', '<a href="java\nscript:alert(1)">a</a>', '<a>a</a>'],
    ['U+0000 as a number', 'a&#0;<scr&#0;ipt>b', 'a\ufffdb'],
  ])('removes %s', (_what, html, cleaned) => {
    expect(cleanHtml(html)).toBe(cleaned);
    expect(dangers(cleaned)).toEqual([]);
  });

  it.each([
    ...rows(`
    unclosed tags → <p>a<b>b → <p>a<b>b</b></p>
    unopened tags → a</b></div> → a
    crossing tags → <b>a<i>b</b>c</i> → <b>a<i>b</i></b>c
    a tag cut off → a<p title="x → a
    signs that are no tags → a < b > c → a &lt; b &gt; c
    entities → &eacute;&#233;&#xe9;&copy; → ééé©
    entities of entities → &amp;lt;script&amp;gt; → &amp;lt;script&amp;gt;
    unknown entities → &rien; & → &amp;rien; &amp;
  `),
    ['surrounding white space', ' \n<p>a</p>\t ', '<p>a</p>'],
  ])('corrects %s', (_what, html, cleaned) => {
    expect(cleanHtml(html)).toBe(cleaned);
  });

  it.each([
    ...[undefined, null, '', ' \n\t ', '&nbsp;\u00a0'],
    '<script>alert(1)</script><!-- x --><style>p{}</style><svg></svg>',
  ])('returns null for %j', (html) => {
    expect(cleanHtml(html)).toBeNull();
  });

  it.each(['<div>', '<b>', '<blockquote><ul><li>', '<table><tr><td>', '<svg>', '<a href="', '<!--', '<'])(
    'repeated %s becomes at most fifty closed levels',
    (piece) => {
      const cleaned = cleanHtml(piece.repeat(Math.floor(99_000 / piece.length)) + 'fin') ?? '';
      expect(dangers(cleaned)).toEqual([]);
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

describe('cleanHtml of random text', () => {
  const html = htmlOf([
    ...words(`
    <p> </p> <b> </b> > < </ /> <br> <ul><li> <table><tr><td> </table> <script> </script> <style> </style> <svg>
    </svg> <svg/onload=x> <math> </iframe> <textarea> </textarea> <title> </title> <noscript> </noscript> <xmp>
    <plaintext> <template> <select> <option> <!-- --> --!> <! <? ]]> <![CDATA[ " ' title=" href= src= srcdoc="
    xlink:href=" javascript:alert(1) &#106;avascript:x javascript&colon;x data:text/html,x vbscript:x
    https://a.example/ //a.example mailto:a@b.example # ?a=1&b=2 &lt; &gt; &quot; &amp; &#60;script&#62; &#x3c
    & ; = \` 🎉 é texte
  `),
    ...['<div ', '<SCRIPT ', '<iframe src=x>', '<form action=x>', '<input ', '<base href=x>', '<img src=x '],
    ...['<a href="', "<a href='", '<a href=', 'onerror=alert(1) ', 'onclick="x" ', 'style="x" '],
    ...['JAVA\tSCRIPT:x', '/\\a.example', ' ', '\n', '\t', '\f', '\u00a0', '\u2028'],
  ]);

  it('active parts are removed', () => {
    fc.assert(
      fc.property(html, (text) => {
        expect(dangers(cleanHtml(text) ?? '')).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a second cleaning changes nothing', () => {
    fc.assert(
      fc.property(html, (text) => {
        const cleaned = cleanHtml(text);
        expect(cleanHtml(cleaned)).toBe(cleaned);
      }),
      // The removal of a tag brings the texts on both sides of it together.
      { numRuns: 3_000, examples: [['<p><font><div>a'], ['<ul><li>a<form><li>b'], ['<h1><svg><h1>']] },
    );
  });

  it('a valid text stays unchanged', () => {
    const TEXTS = ['texte', 'é 🎉', 'a &amp; b &lt; c', '<br />', '<code>&lt;p&gt;</code>'];
    const IMAGE = '<img src="https://a.example/b.png" alt="c" />';
    const { blocks } = fc.letrec<Record<'inline' | 'inlines' | 'block' | 'blocks', string>>((tie) => {
      const within = (tags: string[], content: 'inlines' | 'blocks'): fc.Arbitrary<string> =>
        fc.tuple(fc.constantFrom(...tags), tie(content)).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`);
      return {
        inline: fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom(...TEXTS, IMAGE),
          within(['b', 'em', 'span', 'u', 'sup', 'mark'], 'inlines'),
          fc.constantFrom(...TEXTS).map((inner) => `<a href="https://a.example/?b=1&amp;c=2">${inner}</a>`),
        ),
        inlines: fc.array(tie('inline'), { maxLength: 3 }).map((parts) => parts.join('')),
        block: fc.oneof(
          { maxDepth: 3 },
          within(['p', 'h1', 'h6'], 'inlines'),
          within(['div', 'blockquote', 'figure'], 'blocks'),
          tie('blocks').map((inner) => `<ul><li>${inner}</li><li>b</li></ul>`),
          tie('blocks').map((inner) => `<table><tbody><tr><td>${inner}</td></tr></tbody></table>`),
        ),
        blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      };
    });
    fc.assert(
      fc.property(blocks, (text) => {
        expect(cleanHtml(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
