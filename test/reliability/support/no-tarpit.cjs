'use strict';
// Loaded before a built process (node --require), to break it on purpose: refusals are answered at full speed.
const { join } = require('node:path');
const { TarpitService } = require(
  join(__dirname, '../../../dist/libs/clients/src/application/tarpit.service.js'),
);

TarpitService.prototype.hold = () => Promise.resolve();
