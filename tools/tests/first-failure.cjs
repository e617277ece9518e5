const { relative } = require('node:path');

/** A reporter of Jest that says nothing but which test failed, as soon as one does. */
module.exports = class {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'failed') this.tell(path, fullName);
  }

  /** A file that cannot be loaded has no test case. */
  onTestFileResult({ path }, { testExecError, numFailingTests }) {
    if (testExecError || numFailingTests > 0) this.tell(path, 'the file as a whole');
  }

  tell(path, title) {
    process.stdout.write(`FAILED ${relative(this.rootDir, path)} | ${title.replaceAll('|', '/')}\n`);
  }
};
