import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { readFileSync } from 'node:fs';

// `npm run lint:openapi`: all rules that Spectral recommends for OpenAPI. A warning fails.

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [spectralRulesets.oas] });

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('Usage: node tools/openapi/lint.mjs <document> …');
let faults = 0;
for (const file of files) {
  for (const { code, message, path, range } of await spectral.run(readFileSync(file, 'utf8'))) {
    faults++;
    console.log(`${file}:${range.start.line + 1} ${code}: ${message} (${path.join('.')})`);
  }
}
if (faults > 0) process.exitCode = 1;
console.log(`${files.length} documents, ${faults} faults.`);
