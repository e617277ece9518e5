// The secret file's scrypt takes 128 MiB and up to a second in each process. Most tests need its result, not its cost.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scryptSync } = crypto;
crypto.scryptSync = (phrase, salt, bytes, options) =>
  scryptSync(phrase, salt, bytes, { ...options, N: 2 ** 10 });
syncBuiltinESMExports();
