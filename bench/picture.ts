import type { Row } from './report';

const WIDTH = 1040;
const LEFT = 600;
const LINE = 26;
const TOP = 64;
/** Speeds relative to a floor up to which the scale goes. */
const MOST = 2;

const COLOURS: Readonly<Record<string, string>> = { true: '#2f7d4f', false: '#b3541e', undefined: '#7a8793' };

interface Bar {
  readonly work: string;
  readonly floor: string;
  /** Speed divided by that of the floor. */
  readonly speed: number;
  readonly goal: number | undefined;
  readonly isMet: boolean | undefined;
}

/**
 * Draws the rows that compare the product with a floor, as SVG: one bar a row, of the product's speed divided by the floor's, and a mark
 * at the goal. If a work is measured in time, the speed is the floor's time divided by the product's.
 */
export function picture(rows: readonly Row[], machine: string): string {
  const bars = rows.flatMap(barOf);
  const x = (speed: number): number => LEFT + (Math.min(speed, MOST) / MOST) * (WIDTH - LEFT - 70);
  const height = TOP + bars.length * LINE + 24;
  const scale = [0, 0.5, 1, 1.5, 2].map(
    (speed) =>
      `<line x1="${x(speed)}" x2="${x(speed)}" y1="${TOP - 8}" y2="${height - 24}" stroke="${speed === 1 ? '#555' : '#ddd'}"/>` +
      `<text x="${x(speed)}" y="${height - 8}" text-anchor="middle">${speed}</text>`,
  );
  const lines = bars.map(({ work, floor, speed, goal, isMet }, index) => {
    const y = TOP + index * LINE;
    const mark =
      goal === undefined
        ? ''
        : `<line x1="${x(goal)}" x2="${x(goal)}" y1="${y - 2}" y2="${y + 18}" stroke="#111" stroke-width="2"/>`;
    return (
      `<text x="${LEFT - 10}" y="${y + 13}" text-anchor="end">${escaped(work)} <tspan fill="#767676">${escaped(floor)}</tspan></text>` +
      `<rect x="${LEFT}" y="${y + 2}" width="${x(speed) - LEFT}" height="14" fill="${COLOURS[String(isMet)]}"/>` +
      `${mark}<text x="${x(Math.max(speed, goal ?? 0)) + 6}" y="${y + 13}">${speed.toFixed(2)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="16" y="22" font-size="15" font-weight="600">Speed relative to a minimal program on bare pg</text>
<text x="16" y="40" fill="#555">1 is as fast. The black marks are goals; green bars meet theirs, and orange ones miss them. ${escaped(machine)}</text>
${[...scale, ...lines].join('\n')}
</svg>
`;
}

function barOf({ work, contestant, figure, ratio, goal, met }: Row): Bar[] {
  if (ratio === undefined || !contestant.startsWith('bare ')) return [];
  const isTime = / m?s \(/.test(figure);
  const speedOf = (value: number): number => (isTime ? 1 / value : value);
  return [
    {
      work: work.replace(/, (requests a second|time|a second)$/, ''),
      floor: contestant,
      speed: speedOf(Number(ratio)),
      goal: goal === undefined ? undefined : speedOf(Number(goal.slice(2))),
      isMet: met === undefined ? undefined : met !== false,
    },
  ];
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
