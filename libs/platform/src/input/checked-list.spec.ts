import { CheckedList } from './checked-list';
import { identifier } from './field';
import { RecordValidator } from './record-validator';

const WRONG = Object.fromEntries([...'abcdefghij'].map((name) => [name, 1]));

describe('CheckedList', () => {
  it('reports the faults of each record whole at first, and briefly once they have 4 MiB', () => {
    const list = new CheckedList(
      new RecordValidator({ id: identifier({ required: true, description: 'Identifier.', example: 'E-1' }) }),
      'id',
    );
    for (let n = 0; n < 50_000; n++) list.check(WRONG, ' (employee E-1)');
    const messages = list.refusals.map(({ message }) => message);
    expect(messages).toHaveLength(50_000);
    expect(messages[0]!.length).toBeGreaterThan(300);
    expect(messages.at(-1)).toMatch(/^a is not a property of this record; b is .{30,70}… \(employee E-1\)$/);
    expect(messages.join('').length).toBeLessThan(4_194_304 + 50_000 * 120);
  });
});
