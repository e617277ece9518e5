'use strict';
// Loaded before a built process (node --require), to break it on purpose: its events are written a moment later, in a
// transaction of their own, instead of in the one that they report.
const { AsyncLocalStorage } = require('node:async_hooks');
const { randomUUID } = require('node:crypto');
const { join } = require('node:path');
const { Outbox } = require(join(__dirname, '../../../dist/libs/platform/src/events/outbox.js'));

const LATER_MS = 20;

/** Outside any transaction. */
const outside = AsyncLocalStorage.snapshot();
const { add } = Outbox.prototype;

Outbox.prototype.add = async function addLater(tenantId, type, data) {
  const write = () =>
    this.transactions
      .run({ tenantId }, () => add.call(this, tenantId, type, data))
      .catch((error) => process.stderr.write(`${error}\n`));
  outside(() => setTimeout(write, LATER_MS));
  return randomUUID();
};
