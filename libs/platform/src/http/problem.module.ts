import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FloodDelay } from './flood-delay';
import { ProblemFilter } from './problem.filter';

/** Turns errors into responses. */
@Global()
@Module({
  providers: [FloodDelay, ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
  exports: [FloodDelay, ProblemFilter],
})
export class ProblemModule {}
