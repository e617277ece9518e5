'use strict';
// Loaded before a built process (node --require) to break it deliberately: it counts a key's minute in memory and not
// in the row that all processes share.
const { join } = require('node:path');
const { RateWindowQuery } = require(
  join(__dirname, '../../../dist/libs/clients/src/persistence/rate-window.query.js'),
);

const used = new Set();

RateWindowQuery.prototype.lease = function leaseOfOwn(cleId, limit) {
  const minute = Math.floor(Date.now() / 60_000);
  const id = `${cleId} ${minute}`;
  const granted = used.has(id) ? 0 : limit;
  used.add(id);
  return Promise.resolve({ granted, unclaimed: 0, remainingMs: (minute + 1) * 60_000 - Date.now() });
};
