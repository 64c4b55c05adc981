import { defineConfig } from 'vitest/config'

const { VITEST_RESULTS: results } = process.env

/** Tests of pure functions and of services that they start themselves: they leave nothing behind in their process. */
const sharing = 'audit,config,demo,document,history,inventory,model,notify,policy,reading,report,rules,service,text'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from a file; people read the lines.
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
    projects: [
      {
        extends: true,
        // Starting a process for each of two hundred files would take longer than what is in them.
        test: { name: 'sharing', include: [`test/{${sharing}}/**/*.test.ts`], isolate: false },
      },
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [`test/{${sharing}}/**`] },
      },
    ],
  },
})
