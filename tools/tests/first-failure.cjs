const { relative } = require('node:path');

/** A reporter of Jest that only prints the first failing test, immediately. */
module.exports = class {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'failed') this.tell(path, fullName);
  }

  /** A file that cannot be loaded has no test case, so the file is reported. */
  onTestFileResult({ path }, { testExecError, numFailingTests }) {
    if (testExecError || numFailingTests > 0) this.tell(path, 'the file as a whole');
  }

  tell(path, title) {
    process.stdout.write(`FAILED ${relative(this.rootDir, path)} | ${title.replaceAll('|', '/')}\n`);
  }
};
