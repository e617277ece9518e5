const { join } = require('node:path');

/**
 * How dependency-cruiser finds `#shared/…` and `#voting`: the `imports` of package.json name built files, and
 * TypeScript goes from there to the sources, but the cruiser cannot. It reads this in the form of a webpack
 * configuration, since its own has no aliases.
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
