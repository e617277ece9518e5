import { Module } from '@nestjs/common';
import { BodyInterceptor } from './body.interceptor';
import { CompressionInterceptor } from './compression.interceptor';
import { ComparisonInterceptor } from './comparison.interceptor';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { InputPipe } from '../input/input.pipe';
import { PathPartPipe } from '../input/path-part.pipe';
import { ListSender } from './list-sender';
import { StreamedInterceptor } from './streamed.interceptor';
import { UndeclaredPartsInterceptor } from './undeclared-parts.interceptor';

const OF_EVERY_REQUEST = [
  CompressionInterceptor,
  StreamedInterceptor,
  UndeclaredPartsInterceptor,
  BodyInterceptor,
  ComparisonInterceptor,
  IdempotencyInterceptor,
  PathPartPipe,
  InputPipe,
];

/** What reads the parts of each API request and sends its answer. The process that serves them registers it. */
@Module({ providers: [...OF_EVERY_REQUEST, ListSender], exports: OF_EVERY_REQUEST })
export class HttpModule {}
