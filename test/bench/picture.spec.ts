import { picture } from '../../bench/picture';

const ROWS = [
  { work: 'list <1>, requests a second', contestant: 'Mandat', figure: '9 (8 to 10)' },
  {
    work: 'list <1>, requests a second',
    contestant: 'bare pg, text',
    figure: '6 (5 to 7)',
    ratio: '1.50',
    goal: '≥ 1.4',
    met: true,
  },
  {
    work: 'sync, time',
    contestant: 'bare pg, COPY',
    figure: '6 ms (5 ms to 7 ms)',
    ratio: '2.00',
    goal: '≤ 1.6',
    met: false,
  },
  { work: 'growth', contestant: '10,000 employees', figure: '6 ms (5 ms to 7 ms)', ratio: '1.10' },
];

it('the picture has a bar for each comparison with a floor, and times count as speeds', () => {
  const svg = picture(ROWS, 'machine');
  expect(svg.match(/<rect x="600"/g)).toHaveLength(2);
  expect(svg).toContain('list &lt;1> <tspan fill="#767676">bare pg, text');
  const [faster, slower] = [...svg.matchAll(/width="([\d.]+)" height="14" fill="(#\w+)"/g)];
  expect([faster![1], slower![1]]).toEqual(['277.5', '92.5']);
  expect(faster![2]).not.toBe(slower![2]);
  expect(svg).toContain('>0.50<');
});

it('a bar beyond the scale ends at its end and shows its number', () => {
  const [row] = ROWS.slice(1);
  const svg = picture([{ ...row!, ratio: '3.00' }], 'machine');
  expect(svg).toContain('width="370" height="14"');
  expect(svg).toContain('>3.00<');
});
