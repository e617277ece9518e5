import { isWithinHtmlLimits } from './html-limits';

const list = (item: string, many: number): string => `<ul>${item.repeat(many)}</ul>`;

describe('isWithinHtmlLimits', () => {
  it.each([
    ['text', 'a < b > c'],
    ['20,000 tags', '<b>a</b>'.repeat(10_000)],
    ['100 levels', '<b>'.repeat(100)],
    ['100 levels again and again', `${'<b>'.repeat(100)}${'</b>'.repeat(100)}`.repeat(100)],
    ['elements without an end', '<br><img src="a"><hr>'.repeat(500)],
    ['paragraphs without end tags', '<p>a'.repeat(5_000)],
    ['lists without end tags', `<ul>${`<li>a${list('<li><p>b', 50)}`.repeat(100)}</ul>`],
    ['tables without end tags', `<table>${'<tbody><tr><td>a<td><p>b<tr><th>c'.repeat(1_000)}</table>`],
    ['definitions without end tags', '<dl><dt>a<dd><p>b<dd>c'.replace('<dl>', '').repeat(1_000)],
    ['capital letters', '<P>A</P><DIV>B</DIV>'.repeat(2_000)],
    ['end tags without a start', '</b>'.repeat(20_000)],
    ['signs that begin no tag', '< '.repeat(50_000)],
  ])('accepts %s', (_what, html) => {
    expect(isWithinHtmlLimits(html)).toBe(true);
  });

  it.each([
    ['20,001 tags', `${'<b>a</b>'.repeat(10_000)}<br>`],
    ['20,001 signs that begin a comment or an instruction', '<!'.repeat(20_001)],
    ['101 levels', '<b>'.repeat(101)],
    ['101 levels that end', `${'<div>'.repeat(101)}${'</div>'.repeat(101)}`],
    ['101 lists within lists', '<ul><li>'.repeat(51)],
    ['101 levels of an unknown element', '<x-y z="1">'.repeat(101)],
  ])('refuses %s', (_what, html) => {
    expect(isWithinHtmlLimits(html)).toBe(false);
  });

  it.each(['<', '<b>', '</b>', '<p>', '<b></b>', '</', 'a', '<a/', '<td>', `${'<b>'.repeat(100)}</x>`])(
    'reads 1,000,000 characters of %s in linear time',
    (piece) => {
      const html = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const began = performance.now();
      isWithinHtmlLimits(html);
      expect(performance.now() - began).toBeLessThan(500);
    },
  );
});
