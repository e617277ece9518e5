'use strict';
// Loaded before a built process (node --require), to break it on purpose: nobody watches over its connections.
const { join } = require('node:path');
const { DatabaseWatch } = require(
  join(__dirname, '../../../dist/libs/shared/src/database/database-watch.js'),
);

DatabaseWatch.prototype.look = () => undefined;
