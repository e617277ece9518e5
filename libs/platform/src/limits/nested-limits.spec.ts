import { SYNC_KEPT_BYTES, SYNC_NESTED_RECORDS, SYNC_NESTED_REFUSALS } from './request-sizes';
import { NestedLimits } from './nested-limits';

const TOO_MUCH = expect.objectContaining({ code: 'Requete.TropVolumineuse' });

describe('NestedLimits', () => {
  it('adds up what is read, over all lists of a sync', () => {
    const limits = new NestedLimits();
    limits.read(SYNC_NESTED_RECORDS - 1);
    limits.read(1);
    expect(() => limits.read(1)).toThrow(TOO_MUCH);
  });

  it.each([
    ['refused', SYNC_NESTED_REFUSALS],
    ['kept', SYNC_KEPT_BYTES],
  ] as const)('takes as much %s as allowed and no more', (what, most) => {
    const limits = new NestedLimits();
    limits[what](most);
    expect(() => limits[what](most + 1)).toThrow(TOO_MUCH);
  });

  it('makes a message only for a refusal, because a sync counts after each record', () => {
    const limits = new NestedLimits();
    const set = jest.spyOn(Number.prototype, 'toLocaleString');
    limits.read(1);
    limits.refused(1);
    limits.kept(1);
    expect(set).not.toHaveBeenCalled();
    expect(() => limits.read(SYNC_NESTED_RECORDS)).toThrow(TOO_MUCH);
    set.mockRestore();
  });
});
