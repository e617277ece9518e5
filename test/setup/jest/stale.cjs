const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

/** Returns the sources that have changed since `dist` was built from them, by the digests that the compiler kept. */
function staleSources(rootDir) {
  const dist = join(rootDir, 'dist');
  const { fileNames, fileInfos } = JSON.parse(readFileSync(join(dist, '.tsbuildinfo'), 'utf8'));
  return fileNames.flatMap((name, index) => {
    const path = relative(rootDir, join(dist, name));
    if (/(^|\/)node_modules\/|^\.\./.test(path) || path.endsWith('.d.ts')) return [];
    const { version = fileInfos[index] } = fileInfos[index];
    return version === digestOf(join(rootDir, path)) ? [] : [path];
  });
}

/** Returns undefined for a file that is not there. */
function digestOf(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** @throws Error if tests would run code that is not what the sources say */
function assertBuilt(rootDir) {
  const advice = 'Run `npm run test:some -- <path>`, which builds first, or `npx tsc`.';
  let stale;
  try {
    stale = staleSources(rootDir);
  } catch (error) {
    throw new Error(`dist has no build of the tests. ${advice}`, { cause: error });
  }
  if (stale.length === 0) return;
  const others = stale.length > 1 ? ` and ${stale.length - 1} more` : '';
  throw new Error(`dist is stale: ${stale[0]}${others} changed since the build. ${advice}`);
}

module.exports = { assertBuilt, staleSources };
