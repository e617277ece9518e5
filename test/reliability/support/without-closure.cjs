'use strict';
// Loaded before a built process (node --require) to break it deliberately: writes do not ask whether their space is being moved.
const { join } = require('node:path');
const { ENTER } = require(join(__dirname, '../../../dist/libs/platform/src/database/entered-query.js'));

ENTER.text = ENTER.text.replace(/CASE WHEN \$4::text = ''[^]*$/, '$4::text IS NULL');
