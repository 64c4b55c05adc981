import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { type Column, layTable } from '../src/model/text/table.ts'
import { type CampaignPart, campaigns, type Slice, slices } from './campaigns.ts'
import { countViolations, type Outcome, type Promised, promises } from './conclude.ts'

/**
 * Runs campaigns against the three promises, one after the other, and prints a table of them.
 * `npm run prove -- [--slice ci|full] [--seed S] [--only NAME]`. Ends with 1 for any violation. A campaign that does not
 * come to its end is one.
 */
const { values } = parseArgs({
  options: {
    slice: { type: 'string', default: 'ci' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const { seed, only } = values
const slice = slices.find((name) => name === values.slice)
if (slice === undefined) refuse(`--slice is "${values.slice}", expected ${slices.join(' or ')}`)
if (!/^\d{1,9}$/.test(seed)) refuse(`--seed is "${seed}", expected a number`)
const unknown = only.find((name) => !(name in campaigns))
if (unknown !== undefined) {
  refuse(`there is no campaign "${unknown}"; there are ${Object.keys(campaigns).join(', ')}`)
}

interface Row {
  readonly campaign: string
  readonly outcome: Outcome
  readonly seconds: number
}

const rows: Row[] = []
for (const [campaign, parts] of Object.entries(campaigns)) {
  if (only.length > 0 && !only.includes(campaign)) continue
  process.stdout.write(`\n${campaign}\n`)
  const startedAt = performance.now()
  const outcome = await runCampaign(parts, slice)
  rows.push({ campaign, outcome, seconds: Math.round((performance.now() - startedAt) / 1000) })
}

const columns: readonly Column<Row>[] = [
  { name: 'campaign', value: ({ campaign }) => campaign },
  { name: 'cases', value: ({ outcome }) => outcome.cases, align: 'right' },
  { name: 'seed', value: () => seed, align: 'right' },
  ...(Object.keys(promises) as Promised[]).map(
    (name): Column<Row> => ({ name, value: ({ outcome }) => outcome.violations[name] ?? 0, align: 'right' }),
  ),
  { name: 'seconds', value: ({ seconds }) => seconds, align: 'right' },
]
const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
const violations = sum(({ outcome }) => countViolations(outcome))
process.stdout.write(`\n${layTable(columns, rows, 100).join('\n')}\n\n`)
for (const [name, meaning] of Object.entries(promises)) process.stdout.write(`${name}: ${meaning}\n`)
for (const { campaign, outcome } of rows) {
  if (outcome.smallest !== undefined) process.stdout.write(`${campaign}, seed ${seed}: ${outcome.smallest}\n`)
}
process.stdout.write(
  `\n${rows.length} campaigns, ${sum(({ outcome }) => outcome.cases)} cases, ${violations} violations\n`,
)
if (violations > 0) process.exitCode = 1

/** The sum of its parts, and the smallest failing case of the first that has one. */
async function runCampaign(parts: readonly CampaignPart[], slice: Slice): Promise<Outcome> {
  const violations: Partial<Record<Promised, number>> = {}
  let cases = 0
  let smallest: string | undefined
  for (const { script, args } of parts) {
    const outcome = await runPart(script, args(slice, seed))
    cases += outcome.cases
    smallest ??= outcome.smallest
    for (const [name, count] of Object.entries(outcome.violations) as [Promised, number][]) {
      violations[name] = (violations[name] ?? 0) + count
    }
  }
  return { cases, violations, ...(smallest !== undefined && { smallest }) }
}

/** Runs a script of this folder in a process of its own, which prints what it finds. */
function runPart(script: string, args: readonly string[]): Promise<Outcome> {
  const child = fork(new URL(script, import.meta.url), args)
  let outcome: Outcome = { cases: 0, violations: {} }
  let isConcluded = false
  child.on('message', (sent) => {
    outcome = sent as Outcome // The scripts send nothing else: see conclude.ts.
    isConcluded = true
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      const hasEnded = isConcluded && (code === 0 || countViolations(outcome) > 0)
      const smallest = `${script} ${args.join(' ')} did not come to its end (exit ${code})`
      resolve(hasEnded ? outcome : { cases: outcome.cases, violations: { other: 1 }, smallest })
    })
  })
}

function refuse(why: string): never {
  process.stderr.write(`prove: ${why}\n`)
  process.exit(2)
}
