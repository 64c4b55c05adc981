/**
 * Reads what an audit reported: node read-report.mjs REPORTS EXIT_CODE. Prints NAME=VALUE lines for the steps after it,
 * and writes `hookdrift.upload.sarif`, which has the open violations only.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , reports = '.', code = '4'] = process.argv
const severities = ['critical', 'high', 'medium', 'low', 'info']
const verdicts = { 0: 'passed', 1: 'failed', 3: 'incomplete' }
const fileOf = (/** @type {string} */ name) => join(reports, `hookdrift.${name}`)

print('exit-code', code)
print('verdict', verdicts[code] ?? 'error')
if (existsSync(fileOf('json'))) {
  const { run, verdict, violations } = JSON.parse(readFileSync(fileOf('json'), 'utf8'))
  print('text', verdict.text)
  print('run', run.number)
  for (const severity of severities) print(severity, verdict.violations[severity])
  print('opened', violations.filter(({ state }) => state === 'opened').length)
} else {
  print('text', `hookdrift could not audit: exit code ${code}. The log of the job says why.`)
}
for (const name of ['json', 'html', 'md', 'xml']) if (existsSync(fileOf(name))) print(name, fileOf(name))
// GitHub closes an alert that an upload leaves out. An incomplete scan proves no violation gone, so it uploads nothing.
if (verdicts[code] !== undefined && verdicts[code] !== 'incomplete' && existsSync(fileOf('sarif'))) {
  writeFileSync(fileOf('upload.sarif'), JSON.stringify(openResults(JSON.parse(readFileSync(fileOf('sarif'), 'utf8')))))
  print('sarif', fileOf('upload.sarif'))
}

/** GitHub opens an alert for every result: leave resolved and suppressed ones out. */
function openResults(sarif) {
  for (const run of sarif.runs) {
    run.results = run.results.filter(({ baselineState, suppressions = [] }) => {
      return baselineState !== 'absent' && suppressions.length === 0
    })
  }
  return sarif
}

/** One line each: a value with a line break would be read as another output. */
function print(name, value) {
  console.log(`${name}=${String(value).replace(/[\r\n]+/g, ' ')}`)
}
