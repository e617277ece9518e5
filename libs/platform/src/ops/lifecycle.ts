import { Injectable } from '@nestjs/common';

/** Whether the process takes new work. */
@Injectable()
export class Lifecycle {
  private stopping = false;

  /** From now on readiness refuses and connections are closed after their answer. */
  stop(): void {
    this.stopping = true;
  }

  get isStopping(): boolean {
    return this.stopping;
  }
}
