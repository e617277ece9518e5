import fc from 'fast-check';
import { dangersOf, type Harmless, htmlOf } from '../../../../test/setup/html';
import { rows, words } from '../../../../test/setup/words';
import { cleanEmail } from './email-html';

/** Returns the scheme of an address that a mail program opens, or that of a harmless one if it opens nothing. */
const schemeOf = (address: string): string => URL.parse(address)?.protocol ?? 'https:';
const HARMLESS: Harmless = {
  attributes: words(`
    lang dir title style href src alt width height start colspan rowspan scope align valign bgcolor border
    cellpadding cellspacing role
  `),
  values: {
    style: (value) =>
      /^[^(\\{}]*$/.test(value.replaceAll(/\b(?:rgb|hsl)a?\([^()]*\)/gi, '')) && !/position/i.test(value),
    src: (value) => schemeOf(value) === 'https:',
    href: (value) => ['https:', 'mailto:'].includes(schemeOf(value)),
  },
};
const dangers = (html: string): string[] => dangersOf(html, HARMLESS);

describe('The danger check', () => {
  it.each([
    ...['<form>', '<input>', '<p onclick="x">', '<p style="position:fixed">', '<p style="color:\\75rl">'],
    ...['<p style="background:url(https://a.example)">', '<a href="http://a.example">x</a>', 'a < b'],
    ...['<a href="javascript:x">x</a>', '<img src="data:image/png;base64,AA">'],
  ])('reports %s', (html) => {
    expect(dangers(html)).not.toEqual([]);
  });
});

describe('cleanEmail', () => {
  it.each(
    rows(`
    Bonjour à tous 🎉
    <table role="presentation" width="600" align="center" border="0" cellpadding="0" cellspacing="0" bgcolor="#ffffff"><tbody><tr><td align="left" valign="top" width="50%" style="padding:0 10px;font-family:'Segoe UI', Arial, sans-serif;color:#333">A</td></tr></tbody></table>
    <p align="center" style="margin:0 auto;font:bold 14px/1.5 Arial;color:rgb(10, 20, 30);background-color:hsla(120, 50%, 50%, .5) !important">A</p>
    <img src="https://syndicat.example/logo.png?a=1&amp;b=2" alt="Logo" width="120" height="40" border="0" style="display:block" />
    <a href="https://syndicat.example/vote?a=1&amp;b=2#c" style="border:1px solid #000;padding:4px;text-decoration:none">Voter</a>
    <a href="mailto:vote@syndicat.example?subject=Vote">Écrire</a>
    <h1>Titre</h1><ul><li>un</li></ul><blockquote>b</blockquote><hr />
    a &lt; b &amp;&amp; c &gt; d
  `),
  )('keeps %s', (html) => {
    expect(cleanEmail(html)).toEqual({ html });
    expect(dangers(html)).toEqual([]);
  });

  it.each([
    ...rows(`
    forms and inputs → <form action="https://e.example"><input name="a"><button>b</button></form> → b
    selects and text areas with their texts → a<select><option>b</option></select><textarea>c</textarea> → a
    scripts → a<script>alert(1)</script> → a
    event handlers → <p onclick="x()">a</p> → <p>a</p>
    frames and objects → <iframe src="https://e.example"></iframe><object data="x"></object><embed>a → a
    drawings, sounds and films → <svg onload=x></svg><video src=x></video><audio src=x></audio>a → a
    style elements → <style>p{display:none}</style>a → a
    elements of a head → <base href="https://e.example"><meta http-equiv=refresh><link href=x>a → a
    a document around its body → <!DOCTYPE html><html><head><meta charset="utf-8"><title>a</title></head><body bgcolor="red">b</body></html> → b
    comments, also conditional ones → a<!--[if mso]><p>b</p><![endif]--> → a
    javascript: links → <a href="java\tscript:alert(1)">a</a> → <a>a</a>
    data: links → <a href="data:text/html,x">a</a> → <a>a</a>
    http links → <a href="http://a.example">a</a> → <a>a</a>
    telephone links → <a href="tel:+15145550123">a</a> → <a>a</a>
    relative links → <a href="/a">a</a><a href="//b.example">b</a><a href="#c">c</a> → <a>a</a><a>b</a><a>c</a>
    links similar to https → <a href="https:\\\\e.example">a</a><a href="https:a">b</a> → <a>a</a><a>b</a>
    http and data: images → <img src="http://a.example/b.png" alt="b"><img src="data:image/png,x">a → <img alt="b" /><img />a
    images of attachments → <img src="cid:a">b → <img />b
    backgrounds from an address → <td background="https://a.example"></td><p style="background:url(https://a.example)">a</p> → <td></td><p>a</p>
    images in styles → <p style="background:image-set('a' 1x);list-style-type:url(a)">a</p> → <p>a</p>
    escapes in styles → <p style="background:\\75 rl(a)">a</p> → <p>a</p>
    expressions in styles → <p style="width:expression(alert(1))">a</p> → <p>a</p>
    positions in styles → <p style="position:absolute;top:0;z-index:9;color:red">a</p> → <p style="color:red">a</p>
    rules that leave a style → <p style="color:red}p{color:blue">a</p> → <p style="color:red">a</p>
    invalid styles → <p style="{{{">a</p><p style="/*">b</p> → <p>a</p><p>b</p>
    classes, ids and names → <p class="a" id="b"><a name="c">d</a></p> → <p><a>d</a></p>
  `),
    ['styles of more than 2,000 characters', `<p style="color:red;${' '.repeat(2_000)}">a</p>`, '<p>a</p>'],
    ['tags on levels beyond 100', `${'<b>'.repeat(101)}a`, `${'<b>'.repeat(100)}a${'</b>'.repeat(100)}`],
  ])('removes %s', (_what, html, cleaned) => {
    expect(cleanEmail(html)).toEqual({ html: cleaned });
    expect(dangers(cleaned)).toEqual([]);
  });

  it.each([
    ['scripts alone', '<script>alert(1)</script>', 'empty'],
    ['a form without text', '<div><form><input><br></form></div>', 'empty'],
    ['space', '<p>&nbsp; \n</p>', 'empty'],
    ['a removed image alone', '<img src="http://a.example/b.png" alt="b">', 'empty'],
    ['200,001 characters after cleaning', '&'.repeat(40_001), 'length'],
  ])('rejects %s', (_what, html, code) => {
    expect(cleanEmail(html)).toEqual({
      fault: { code, detail: { en: expect.any(String), fr: expect.any(String) } },
    });
  });

  it.each([
    ['an image alone', '<img src="https://a.example/b.png" />'],
    ['20,000 tags', '<b>a</b>'.repeat(10_000)],
    ['200,000 characters after cleaning', '&amp;'.repeat(40_000)],
  ])('accepts %s', (_what, html) => {
    expect(cleanEmail(html)).toEqual({ html });
  });

  const random = htmlOf([
    ...words(`
    <p> </p> <b> > < </ /> </table> <script> </script> <style> </style> <svg> </iframe> <textarea> <xmp> <noscript>
    </noscript> <!-- --> <![CDATA[ " ' = style=" style=' color: background: width: url( expression( rgb( )
    ; { } /* position:fixed red 1px #fff !important &quot; &lt; &amp; &#106; &colon; https://a.example/
    http://a.example //a.example javascript:x data:text/html,x mailto:a@b.example title=" 🎉 é texte
  `),
    ...['<div ', '<table><tr><td ', '<form action=x>', '<input ', '<iframe src=x>', '<img src=', '<a href="'],
    ...["<a href='", ' ', '\\', '\n', '\t', 'onclick="x" ', 'onerror=x ', '\u00a0', '\u2028'],
  ]);

  it('random text: active and loading parts are removed, and a second cleaning changes nothing', () => {
    fc.assert(
      fc.property(random, (body) => {
        const { html } = cleanEmail(body);
        if (html === undefined) return;
        expect(dangers(html)).toEqual([]);
        expect(cleanEmail(html)).toEqual({ html });
      }),
      { numRuns: 3_000 },
    );
  });
});
