import { Global, Module } from '@nestjs/common';
import { ConnectionShares } from './connection-shares';
import { DatabaseTime } from './database-time';
import { FloodDelay } from './flood-delay';
import { KeylessBudget } from './keyless-budget';
import { RequestsGuard } from './requests.guard';
import { SlowReaders } from './slow-readers';

const LIMITS = [ConnectionShares, DatabaseTime, FloodDelay, KeylessBudget, RequestsGuard, SlowReaders];

/** Limits of a client's use of a process (docs/operations.md, "Budgets"). */
@Global()
@Module({ providers: LIMITS, exports: LIMITS })
export class LimitsModule {}
