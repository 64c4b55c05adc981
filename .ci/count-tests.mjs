// Counts the tests of runs and names those that were skipped: node count-tests.mjs ALLOWED_SKIPS RESULTS...
// RESULTS are what vitest's json reporter wrote. A skipped test that ALLOWED_SKIPS does not list counts as failed, and so
// does a run without results.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [, , allowedFile, ...resultsFiles] = process.argv
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
let passed = 0
let failed = 0
for (const file of resultsFiles) {
  try {
    const counted = countTests(read(file), read(allowedFile))
    passed += counted.passed
    failed += counted.failed
  } catch (error) {
    console.error(`the tests could not be counted: ${error.message}`)
    failed++
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function countTests(results, allowed) {
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
  return { passed: results.numPassedTests, failed: failedInTests + unexpected }
}
