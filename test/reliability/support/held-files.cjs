'use strict';
// Loaded before a built process (node --require) to break it deliberately: it keeps the bytes of all bundles that it writes.
const { join } = require('node:path');
const { DossierWriter } = require(
  join(__dirname, '../../../dist/libs/voting/src/dossier/application/dossier-writer.js'),
);

const { write } = DossierWriter.prototype;
const held = [];

DossierWriter.prototype.write = function writeAndHold(data) {
  held.push(Buffer.from(data));
  return write.call(this, data);
};
