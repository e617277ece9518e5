/** The time by which schedules are kept; tests bring their own. */
export class Clock {
  now(): Date {
    return new Date();
  }
}
