import { Module } from '@nestjs/common';
import { BodyInterceptor } from './body.interceptor';
import { AnswerInterceptor } from './answer.interceptor';
import { Compression } from './compression';
import { ComparisonInterceptor } from './comparison.interceptor';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { InputPipe } from '../input/input.pipe';
import { PathPartPipe } from '../input/path-part.pipe';
import { ListSender } from './list-sender';
import { UndeclaredPartsGuard } from './undeclared-parts.guard';

const OF_EVERY_REQUEST = [
  UndeclaredPartsGuard,
  AnswerInterceptor,
  BodyInterceptor,
  ComparisonInterceptor,
  IdempotencyInterceptor,
  PathPartPipe,
  InputPipe,
];

/** Reads the parts of each API request and sends its answer. The process that serves them registers it. */
@Module({ providers: [...OF_EVERY_REQUEST, ListSender, Compression], exports: OF_EVERY_REQUEST })
export class HttpModule {}
