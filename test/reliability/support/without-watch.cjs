'use strict';
// Loaded before a built process (node --require) to break it deliberately: its connections have no watch.
const { join } = require('node:path');
const { DatabaseWatch } = require(
  join(__dirname, '../../../dist/libs/platform/src/database/database-watch.js'),
);

DatabaseWatch.prototype.look = () => undefined;
