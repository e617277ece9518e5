import { Injectable } from '@nestjs/common';

/** The time by which schedules are kept; tests bring their own. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
