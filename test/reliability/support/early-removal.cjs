'use strict';
// Loaded before the mover (node --require): old rows are removed 8 s after the switch, not 3 minutes, because a trial moves often.
const { join } = require('node:path');
const { MoveConnections } = require(
  join(__dirname, '../../../dist/libs/topology/src/moves/move-connections.js'),
);

const { keptFor } = MoveConnections.prototype;
MoveConnections.prototype.keptFor = function () {
  return keptFor.call(this, 8_000);
};
