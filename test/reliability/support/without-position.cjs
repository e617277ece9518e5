'use strict';
// Loaded before a built process (node --require) to break it deliberately: reads do not wait for the last write of their data space.
const { join } = require('node:path');
const { Standby } = require(join(__dirname, '../../../dist/libs/topology/src/routing/standbys.js'));

const { serves } = Standby.prototype;
Standby.prototype.serves = function () {
  return serves.call(this, -Infinity);
};
