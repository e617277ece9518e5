'use strict';
// Loaded before a built process (node --require) to break it deliberately: role and tenant are set for the session
// instead of the transaction, and only once for each connection. Without a pooler such a service never mixes tenants.
const { join } = require('node:path');
const entered = require(join(__dirname, '../../../dist/libs/platform/src/database/entered-query.js'));

entered.ENTER.text = entered.ENTER.text.replaceAll(', true)', ', false)');

const { queryEntered } = entered;
const told = new WeakMap();

entered.queryEntered = async function queryOfSession(client, entry, statement, before = []) {
  const wanted = entry.join();
  if (before.length === 0 && told.get(client) === wanted) {
    return client.query({ ...statement, values: [...statement.values] });
  }
  told.set(client, wanted);
  return queryEntered(client, entry, statement, before);
};
