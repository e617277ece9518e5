const { join } = require('node:path');

/**
 * Sources of `#shared/…` and `#voting` for dependency-cruiser. The `imports` of package.json name built files. TypeScript
 * finds their sources, dependency-cruiser does not. This is a webpack configuration, because its own has no aliases.
 */
module.exports = {
  resolve: {
    alias: {
      '#shared/*': join(process.cwd(), 'libs/shared/src/*'),
      '#*/fields': join(process.cwd(), 'libs/*/src/fields.ts'),
      '#*': join(process.cwd(), 'libs/*/src/index.ts'),
    },
  },
};
