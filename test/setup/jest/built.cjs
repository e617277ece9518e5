const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

/** Returns the file built by `npm run build:test` to Jest, instead of compiling the source in each run. */
const builtOf = (file, rootDir) => join(rootDir, 'dist', relative(rootDir, file)).replace(/\.ts$/, '.js');

module.exports = {
  getCacheKey: (_source, file, { config: { rootDir } }) =>
    createHash('sha256')
      .update(readFileSync(__filename))
      .update(file)
      .update(readFileSync(builtOf(file, rootDir)))
      .digest('hex'),

  process(_source, file, { config: { rootDir } }) {
    const path = builtOf(file, rootDir);
    const code = readFileSync(path, 'utf8');
    const where = JSON.stringify({ file, path });
    // Global setup runs without a test environment, in Node's main context already.
    const run = `if (globalThis.runBuilt) return runBuilt(${where}, { module, jestRequire: require, jest });`;
    const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
    return { code: `${run} ${code}`, map: { ...map, sources: [file] } };
  },
};
