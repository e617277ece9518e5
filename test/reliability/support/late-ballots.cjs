'use strict';
// Loaded before a built process (node --require) to break it deliberately: it writes ballots 100 ms after the confirmation.
const { join } = require('node:path');
const { BulletinRepository } = require(
  join(__dirname, '../../../dist/libs/voting/src/ballot/persistence/bulletin.repository.js'),
);

const { cast } = BulletinRepository.prototype;
BulletinRepository.prototype.cast = function castLate(...ballot) {
  setTimeout(() => cast.apply(this, ballot).catch(() => undefined), 100);
  return Promise.resolve(true);
};
