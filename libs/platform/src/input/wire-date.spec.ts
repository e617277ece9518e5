import { words } from '../../../../test/setup/words';
import { parseDate } from './wire-date';

describe('parseDate', () => {
  it.each([
    // The instant is the same however it is written.
    ['2026-01-31T13:00:00Z', '2026-01-31T13:00:00.000Z'],
    ['2026-01-31t13:00:00z', '2026-01-31T13:00:00.000Z'],
    ['2026-01-31T13:00Z', '2026-01-31T13:00:00.000Z'],
    ['2026-01-31T08:00:00-05:00', '2026-01-31T13:00:00.000Z'],
    ['2026-01-31T18:30:00+0530', '2026-01-31T13:00:00.000Z'],
    ['2026-01-31T13:00:00-00:00', '2026-01-31T13:00:00.000Z'],
    // A date alone is midnight in UTC.
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    // An offset may change the day, the month and the year.
    ['2025-12-31T23:30:00-01:00', '2026-01-01T00:30:00.000Z'],
    ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00.000Z'],
    // Parts of a millisecond are cut off, also before 1970; shorter fractions are tenths and hundredths.
    ['2026-01-31T13:00:00.1Z', '2026-01-31T13:00:00.100Z'],
    ['2026-01-31T13:00:00.05Z', '2026-01-31T13:00:00.050Z'],
    ['2026-01-31T13:00:00.123999999Z', '2026-01-31T13:00:00.123Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999Z'],
    // Leap days, and the whole span of years.
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-06-15T12:00:00Z', '0099-06-15T12:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-12-31T23:00:00-02:00', '0001-01-01T01:00:00.000Z'],
  ])('reads %s as %s', (text, instant) => {
    expect(parseDate(text)?.toISOString()).toBe(instant);
  });

  it.each([
    // The offset is missing, so the instant is unknown.
    ...words('2026-01-31T13:00:00 2026-01-31T13Z 2026-01-31Z 2026-01-31T13:00:00+05'),
    ...['2026-01-31 13:00:00Z', '2026-01-31T13:00:00 05:00'],
    // Days and hours that do not exist.
    ...words(`
      2026-02-29 1900-02-29 2026-04-31 2026-00-10 2026-13-10 2026-01-00 2026-01-31T24:00:00Z
      2026-01-31T13:60:00Z 2016-12-31T23:59:60Z 2026-01-31T13:00:00+24:00 2026-01-31T13:00:00+05:60
    `),
    // Years outside 1 to 9999, in UTC.
    ...words('0000-06-01 -0001-01-01 +010000-01-01 0001-01-01T00:00:00+00:01 9999-12-31T23:59:59-00:01'),
    // Other notations, and text around a date.
    ...words('31/01/2026 2026-1-31 20260131 2026-W05-6 1764000000000 2026-01-31T13:00:00.Z'),
    ...words('2026-01-31T13:00:00,5Z 2026-01-31T13:00:00.0000000001Z'),
    ...['', '2026-01-31T13:00:00Z\n', ' 2026-01-31', '２０２６-01-31'],
  ])('refuses %j', (text) => {
    expect(parseDate(text)).toBeUndefined();
  });

  it('reads back every instant as it is answered', () => {
    const [first, last] = [Date.parse('0001-01-01'), Date.parse('9999-12-31')];
    for (let instant = first; instant <= last; instant += 8_765_432_123_457) {
      expect(parseDate(new Date(instant).toISOString())?.getTime()).toBe(instant);
    }
  });
});
