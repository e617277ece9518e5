const { join } = require('node:path');

/**
 * Sources of `#platform/…` and `#voting` for dependency-cruiser. The `imports` of package.json name built files. TypeScript
 * finds their sources, dependency-cruiser does not. This is a webpack configuration, because its own has no aliases.
 */
module.exports = {
  resolve: {
    alias: {
      '#platform/*': join(process.cwd(), 'libs/platform/src/*'),
      '#access/*': join(process.cwd(), 'libs/access/src/*'),
      '#*/relations': join(process.cwd(), 'libs/*/src/relations.ts'),
      '#*/vocabulary': join(process.cwd(), 'libs/*/src/vocabulary.ts'),
      '#*': join(process.cwd(), 'libs/*/src/index.ts'),
    },
  },
};
