'use strict';
// Loaded before a built process (node --require), to break it on purpose: refusals get their responses at full speed.
const { join } = require('node:path');
const { FloodDelay } = require(join(__dirname, '../../../dist/libs/shared/src/http/flood-delay.js'));

FloodDelay.prototype.afterRefusal = () => Promise.resolve();
