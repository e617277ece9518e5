'use strict';
// Loaded before a built process (node --require), to break it on purpose: nobody is marked before the end of a message,
// only once the server has answered for it.
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
    conclusions.map((one) => ({ ...one, porteur: null })),
  );
};
