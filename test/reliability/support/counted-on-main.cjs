'use strict';
// Loaded before a built process (node --require) to break it deliberately: it counts results on its main thread.
const { join } = require('node:path');
const { CountingService } = require(
  join(__dirname, '../../../dist/libs/voting/src/count/application/counting.service.js'),
);

CountingService.prototype.items = function itemsHere(_tenantId, counting) {
  return this.countHere(counting);
};
