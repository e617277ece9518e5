import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FloodDelay } from './flood-delay';
import { ProblemFilter } from './problem.filter';

/** Turns errors into responses. */
@Global()
@Module({ providers: [FloodDelay, { provide: APP_FILTER, useClass: ProblemFilter }], exports: [FloodDelay] })
export class ProblemModule {}
