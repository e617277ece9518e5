const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Starts the test files that take longest first, as the table of docs/testing.md lists them: one that starts last would keep
 * the run waiting. Jest itself knows durations of earlier runs only, and there are none on a clean clone.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const table = readFileSync(join(__dirname, '../../../docs/testing.md'), 'utf8');
    const longest = [...table.matchAll(/^\| `([^`]+-spec\.ts)` /gm)].map(([, file]) => file);
    const placeOf = ({ path }) => {
      const place = longest.findIndex((file) => path.endsWith(file));
      return place === -1 ? longest.length : place;
    };
    return super.sort(tests).sort((one, other) => placeOf(one) - placeOf(other));
  }
};
