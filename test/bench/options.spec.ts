import { optionsOf, UsageError, usageOf } from '../../bench/options';

const WORKS = [
  { name: 'list-1000', isCompared: true as const },
  { name: 'list-10000', isCompared: true as const },
  { name: 'votes' },
];
const namesOf = (...args: string[]): string[] => optionsOf(args, WORKS).works.map(({ name }) => name);

describe('Options of the bench', () => {
  it('select all works by default, and works by the beginning of their names', () => {
    expect(namesOf()).toEqual(['list-1000', 'list-10000', 'votes']);
    expect(namesOf('--only', 'list')).toEqual(['list-1000', 'list-10000']);
    expect(namesOf('--only', 'v', '--only', 'list-10000')).toEqual(['list-10000', 'votes']);
  });

  it('shorten the rounds and ask for the usage', () => {
    expect(optionsOf([], WORKS)).toMatchObject({ help: false, quick: false });
    expect(optionsOf(['--quick', '--help'], WORKS)).toMatchObject({ help: true, quick: true });
    expect(usageOf(WORKS)).toContain(': list-1000, list-10000, votes\n');
  });

  it('with --against select the works that can be compared', () => {
    const { against, works } = optionsOf(['--against', 'HEAD~3', '--quick'], WORKS);
    expect([against, works.map(({ name }) => name)]).toEqual(['HEAD~3', ['list-1000', 'list-10000']]);
    expect(usageOf(WORKS)).toMatch(/cells or Directus:\n *votes\n/);
  });

  it.each([
    [['--slow'], "Unknown option '--slow'."],
    [['votes'], "Unexpected argument 'votes'."],
    [['--only'], "Option '--only <value>' argument missing."],
    [['--only', '--quick'], "Option '--only' argument is ambiguous."],
    [['--quick=3'], "Option '--quick' does not take an argument."],
    [['--only', 'votes', '--against', 'HEAD'], '--against can compare none of these works.'],
    [['--only', 'votes', '--only', 'ballots'], "No work has a name that begins with 'ballots'."],
  ])('%j is rejected with one sentence', (args, sentence) => {
    expect(() => optionsOf(args, WORKS)).toThrow(new UsageError(sentence));
  });
});
