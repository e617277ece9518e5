'use strict';
// Loaded before a built process (node --require), to break it on purpose: recipients are not marked before the end of a
// message, but only after the server has accepted it.
const { join } = require('node:path');
const { ExpeditionRepository } = require(
  join(__dirname, '../../../dist/libs/messaging/src/persistence/expedition.repository.js'),
);

const { conclude } = ExpeditionRepository.prototype;
ExpeditionRepository.prototype.letThrough = async () => true;
ExpeditionRepository.prototype.conclude = function afterwards(tenantId, conclusions) {
  return conclude.call(
    this,
    tenantId,
    conclusions.map((one) => ({ ...one, attemptId: null })),
  );
};
