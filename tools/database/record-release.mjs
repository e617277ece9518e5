// Records the statements with which `migrate` of a release makes its schema. The release is a folder with its sources, its
// packages and its build:
//   node tools/database/record-release.mjs <folder> <URL of an empty database> > test/database/release-0.2.0.sql.gz
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, url] = process.argv.slice(2);
const require = createRequire(resolve(folder, 'package.json'));
const { Client } = require('pg');
const { migrateUp } = require(resolve(folder, 'dist/libs/platform/src/database/migrate.js'));

const { query } = Client.prototype;
const statements = [];
Client.prototype.query = function record(sent, values, ...rest) {
  const text = (sent.text ?? sent).trim();
  const given = sent.values ?? (Array.isArray(values) ? values : []);
  // Answers of other reads are in the statements that follow.
  if (
    !/^(SELECT (?!changement_mois|pg_clear|pg_restore)|SET lock_timeout|START TRANSACTION|COMMIT)/.test(text)
  )
    statements.push(
      text.replaceAll(/\$(\d+)/g, (place, index) =>
        given.length > 0 ? this.escapeLiteral(String(given[index - 1])) : place,
      ),
    );
  return Reflect.apply(query, this, [sent, values, ...rest]);
};
await migrateUp(url, () => Promise.resolve());
process.stdout.write(gzipSync(`${statements.join(';\n')};\n`, { level: 9 }));
