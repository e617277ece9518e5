import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { SlowReaders } from '#platform/http/slow-readers';
import { RequestsInterceptor } from './requests.interceptor';

/** The budget of requests that each caller may have served at once; it runs before every other interceptor. */
@Module({ providers: [SlowReaders, { provide: APP_INTERCEPTOR, useClass: RequestsInterceptor }] })
export class AccessModule {}
