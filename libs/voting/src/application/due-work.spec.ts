import { DueWork } from './due-work';

const MINUTE = 60_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Runs one round. @returns the campaigns that were passed over */
async function round(work: DueWork, job: () => Promise<unknown>): Promise<readonly string[]> {
  let passedOver: readonly string[] = [];
  const find = (except: readonly string[]) => {
    passedOver = except;
    return Promise.resolve(except.length > 0 ? [] : [{ tenantId: 'T', id: 'C' }]);
  };
  await work.each(find, () => false, job).catch(() => undefined);
  return passedOver;
}

/** Takes some minutes. */
const lasting = (minutes: number, end: () => void) => () => {
  jest.advanceTimersByTime(minutes * MINUTE);
  return Promise.resolve().then(end);
};
const fails = (): never => {
  throw new Error('refused');
};

describe('a campaign', () => {
  it('whose work failed is passed over for 5 minutes from the failure on', async () => {
    const work = new DueWork();
    await round(work, lasting(4, fails));
    jest.advanceTimersByTime(4 * MINUTE);
    expect(await round(work, fails)).toEqual(['C']);
    jest.advanceTimersByTime(MINUTE);
    expect(await round(work, fails)).toEqual([]);
  });

  it('whose work is done is passed over only if there is a pause, which counts from the beginning', async () => {
    const done = () => undefined;
    const work = new DueWork();
    await round(work, lasting(0, done));
    expect(await round(work, lasting(0, done))).toEqual([]);
    const pausing = new DueWork({ afterFailure: MINUTE, afterSuccess: 2 * MINUTE });
    await round(pausing, lasting(1, done));
    expect(await round(pausing, lasting(0, done))).toEqual(['C']);
    jest.advanceTimersByTime(MINUTE);
    expect(await round(pausing, lasting(0, done))).toEqual([]);
  });
});
