#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';

// An older Node fails at the first import of the program, in words that name no remedy.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const found = process.versions.node;
if (needed.localeCompare(found, 'en', { numeric: true }) > 0) {
  process.stderr.write(
    `mandat-gardien: needs Node ${needed} or later; this is Node ${found}. Install a newer one.\n`,
  );
  process.exitCode = 2;
} else await import('../dist/main.js');
