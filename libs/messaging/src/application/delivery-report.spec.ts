import { readReport } from './delivery-report';

/** Longest time of a report of one megabyte, in ms. It stops all requests of the process. */
const MOST_MS = 2_000;
const BYTES = 1_000_000;

const filled = (part: string): Buffer => Buffer.from(part.repeat(Math.floor(BYTES / part.length)));

describe('readReport', () => {
  it.each([
    ['recipients', 'Action: failed\r\nStatus: 5.1.1\r\n\r\n'],
    ['recipients that name messages', 'Action: failed\r\nX-Original-Message-ID: <a@b>\r\n\r\n'],
  ])('reads a megabyte of %s in time that grows with its length', async (_name, part) => {
    const start = performance.now();
    expect(await readReport('message/delivery-status', filled(part))).toMatchObject({ action: 'failed' });
    expect(performance.now() - start).toBeLessThan(MOST_MS);
  });
});
