'use strict';
// Loaded before a built process (node --require) to break it deliberately: refusals are not delayed.
const { join } = require('node:path');
const { FloodDelay } = require(join(__dirname, '../../../dist/libs/platform/src/limits/flood-delay.js'));

FloodDelay.prototype.afterRefusal = () => Promise.resolve();
