'use strict';
// Loaded before a built process (node --require) to break it on purpose: the sync and its undo data are stored half a
// second after the commit.
const { AsyncLocalStorage } = require('node:async_hooks');
const { join } = require('node:path');
const { SyncRepository } = require(
  join(__dirname, '../../../dist/libs/sync/src/persistence/sync.repository.js'),
);

const LATER_MS = 500;

/** Outside any transaction. */
const outside = AsyncLocalStorage.snapshot();
const { insert } = SyncRepository.prototype;

SyncRepository.prototype.insert = async function insertLater(tenantId, ...sync) {
  const write = () =>
    this.transactions
      .run({ tenantId }, () => insert.call(this, tenantId, ...sync))
      .catch((error) => process.stderr.write(`${error}\n`));
  outside(() => setTimeout(write, LATER_MS));
};
