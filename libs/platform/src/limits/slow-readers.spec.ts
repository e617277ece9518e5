import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { BUDGETS } from './budgets';
import { SlowReaders } from './slow-readers';

/** Time between two looks, in ms. */
const LOOK_MS = 2_000;

describe('A reader that takes nothing', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([0, 10, 60])('is closed after the grace and the time of the bytes under way: %i s', (seconds) => {
    const bytes = Math.max(1, seconds * BUDGETS.bytesPerSecond);
    const destroy = jest.fn();
    const socket = { writableLength: bytes, bytesWritten: bytes, destroy };
    const readers = new SlowReaders();
    readers.watch(Object.assign(new EventEmitter(), { req: { socket } }) as unknown as Response);
    jest.advanceTimersByTime(BUDGETS.readerGraceMs + seconds * 1_000);
    expect(destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2 * LOOK_MS);
    expect(destroy).toHaveBeenCalled();
    readers.onModuleDestroy();
  });
});
