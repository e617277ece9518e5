const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Starts the slowest test files of the table in docs/testing.md first, because the run would wait for one that starts last.
 * Jest knows only the durations of earlier runs, and a clean clone has none.
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
