import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { type Column, layTable } from '../src/text/table.ts'
import type { Outcome } from './conclude.ts'

/**
 * Runs campaigns against the three promises, one after the other, and prints a table of them.
 * `npm run prove -- [--slice ci|full] [--seed S] [--only NAME]`: `ci` takes some minutes, `full` most of a day. Ends with 1
 * for any violation. A campaign that fails to end is one.
 */
type Slice = 'ci' | 'full'

interface Campaign {
  readonly script: string
  readonly args: (slice: Slice, seed: string) => readonly string[]
}

const campaigns: Readonly<Record<string, Campaign>> = {
  // No secret value is stored, logged or printed.
  secrets: { script: 'secrets.ts', args: (_, seed) => [seed] },
  // An independent implementation says the same of what was and was not scanned.
  oracle: { script: 'oracle.ts', args: (slice, seed) => [slice === 'ci' ? '12' : '1000', seed] },
  // Runs that workers share, with some lost, are those of one process.
  pool: { script: 'pool.ts', args: (slice, seed) => [slice === 'ci' ? '4' : '1000', seed] },
  year: {
    script: 'pool.ts',
    args: (slice) => (slice === 'ci' ? ['--year', '4', '--projects', '4'] : ['--year', '60']),
  },
  // A run is committed whole, wherever a worker is killed.
  kills: { script: 'kills.ts', args: (slice) => ['--every', slice === 'ci' ? '40' : '1'] },
  cuts: { script: 'cuts.ts', args: (slice) => ['--every', slice === 'ci' ? '10' : '1'] },
  // A history that moves is the same one.
  copies: { script: 'copies.ts', args: (slice) => (slice === 'ci' ? ['--days', '8', '--projects', '4'] : []) },
}

const { values } = parseArgs({
  options: {
    slice: { type: 'string', default: 'ci' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const { slice, seed, only } = values
if (slice !== 'ci' && slice !== 'full') refuse(`--slice is "${slice}", expected ci or full`)
if (!/^\d{1,9}$/.test(seed)) refuse(`--seed is "${seed}", expected a number`)
const unknown = only.find((name) => !(name in campaigns))
if (unknown !== undefined) {
  refuse(`there is no campaign "${unknown}"; there are ${Object.keys(campaigns).join(', ')}`)
}

interface Row extends Outcome {
  readonly campaign: string
  readonly seconds: number
}

const rows: Row[] = []
for (const [campaign, { script, args }] of Object.entries(campaigns)) {
  if (only.length > 0 && !only.includes(campaign)) continue
  process.stdout.write(`\n${campaign}\n`)
  const startedAt = performance.now()
  const outcome = await run(script, args(slice, seed))
  rows.push({ campaign, ...outcome, seconds: Math.round((performance.now() - startedAt) / 1000) })
}

const columns: readonly Column<Row>[] = [
  { name: 'campaign', value: ({ campaign }) => campaign },
  { name: 'cases', value: ({ cases }) => cases, align: 'right' },
  { name: 'violations', value: ({ violations }) => violations, align: 'right' },
  { name: 'seconds', value: ({ seconds }) => seconds, align: 'right' },
]
const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
const violations = sum((row) => row.violations)
process.stdout.write(`\n${layTable(columns, rows, 100).join('\n')}\n\n`)
process.stdout.write(`${rows.length} campaigns, ${sum(({ cases }) => cases)} cases, ${violations} violations\n`)
if (violations > 0) process.exitCode = 1

/** Runs a script of this folder in a process of its own, which prints what it finds. */
function run(script: string, args: readonly string[]): Promise<Outcome> {
  const child = fork(new URL(script, import.meta.url), args)
  let outcome: Outcome | undefined
  child.on('message', (sent) => {
    outcome = sent as Outcome // The scripts send nothing else: see conclude.ts.
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      const { cases = 0, violations = 0 } = outcome ?? {}
      resolve({ cases, violations: code === 0 ? violations : Math.max(1, violations) })
    })
  })
}

function refuse(why: string): never {
  process.stderr.write(`prove: ${why}\n`)
  process.exit(2)
}
