import { CheckedList, messageOf, TWICE } from './checked-list';
import { identifier } from './field';
import { RecordValidator } from './record-validator';
import { fr } from '../errors/text';

const WRONG = Object.fromEntries([...'abcdefghij'].map((name) => [name, 1]));

const OF_E1 = { en: ' (employee E-1)', fr: fr(' (employé E-1)') };
const OF_EMPLOYER = { en: 'employer: ', fr: fr('employeur : ') };

describe('CheckedList', () => {
  it('reports the faults of each record whole at first, and briefly once they have 4 MiB', () => {
    const list = new CheckedList(
      new RecordValidator({ id: identifier({ required: true, description: 'Identifier.', example: 'E-1' }) }),
      'id',
      'Employes',
    );
    for (let n = 0; n < 50_000; n++) list.check(WRONG, () => OF_E1);
    const messages = list.refusals.map(({ message }) => message.en);
    expect(messages).toHaveLength(50_000);
    expect(messages[0]!.length).toBeGreaterThan(300);
    expect(messages.at(-1)).toMatch(
      /^a is not a property of this record; known are id; b is .{15,55}… \(employee E-1\)$/,
    );
    expect(messages.join('').length).toBeLessThan(4_194_304 + 50_000 * 120);
  });

  it('a record without a usable identifier has its place in its list; a number is its identifier as sent', () => {
    const definition = { id: identifier({ required: true, description: 'Identifier.', example: 'E-1' }) };
    const list = new CheckedList(new RecordValidator(definition), 'id', 'Employes');
    for (const sent of [{ id: 'E-1' }, { id: 'E-1' }, {}, { id: 7 }, 3]) list.check(sent);
    list.restart('Employes[4].Emplois');
    for (const sent of [{ id: 7 }, { id: '7' }, { id: ' ' }]) list.check(sent, () => OF_E1);
    expect(
      list.refusals.map((refusal) => [refusal.idExterne, messageOf(refusal, 'en', OF_EMPLOYER)]),
    ).toEqual([
      ['E-1', `employer: ${TWICE.en}`],
      ['', 'Employes[2]: id is required'],
      ['7', 'Employes[3]: id must be text'],
      ['', 'Employes[4]: the record must be an object'],
      ['7', 'Employes[4].Emplois[0]: id must be text (employee E-1)'],
      ['', 'Employes[4].Emplois[2]: id is required (employee E-1)'],
    ]);
  });
});
