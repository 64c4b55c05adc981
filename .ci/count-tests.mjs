// Counts the tests of a run and names those that were skipped: node count-tests.mjs RESULTS ALLOWED_SKIPS
// RESULTS is what vitest's json reporter wrote. A skipped test that ALLOWED_SKIPS does not list counts as failed.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [, , resultsFile, allowedFile] = process.argv
let passed = 0
let failed = 1
try {
  const results = JSON.parse(readFileSync(resultsFile, 'utf8'))
  const allowed = JSON.parse(readFileSync(allowedFile, 'utf8'))
  const skipped = results.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName }) => ({ file: name.replaceAll('\\', '/'), test: fullName })),
  )
  let unexpected = 0
  for (const { file, test } of skipped) {
    const reason = allowed.find((skip) => file.endsWith(`/${skip.file}`) && skip.test === test)?.reason
    if (reason === undefined) unexpected++
    console.log(`skipped: ${relative(process.cwd(), file)}: ${test}: ${reason ?? 'NOT ALLOWED'}`)
  }
  const failedInTests = Math.max(results.numFailedTests, results.numFailedTestSuites > 0 ? 1 : 0)
  passed = results.numPassedTests
  failed = failedInTests + unexpected
} catch (error) {
  console.error(`the tests could not be counted: ${error.message}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
