import fc from 'fast-check'
import { arbitraryReport } from '../test/report/arbitrary-report.ts'
import { damageIn } from '../test/report/hostile-input.ts'

/**
 * 100,000 hostile texts through every format, each report read back by independent readers. The suite does a few
 * thousand; this is for changes to how a format escapes. `HOSTILE_TEXTS` (default 100000), `HOSTILE_SEED`.
 */
const wanted = Number(process.env.HOSTILE_TEXTS ?? 100_000)
const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 2 ** 31)
let texts = 0
let batch = 0
while (texts < wanted) {
  for (const report of fc.sample(arbitraryReport, { seed: seed + batch, numRuns: 200 })) {
    const damage = damageIn(report)
    texts += countTexts(report)
    if (damage.length === 0) continue
    process.stderr.write(`seed ${seed + batch}: ${JSON.stringify(damage)}\n${JSON.stringify(report, null, 2)}\n`)
    process.exit(1)
  }
  batch += 1
}
process.stdout.write(`${texts} texts through every format did nothing (seed ${seed}).\n`)

function countTexts(value: unknown): number {
  if (typeof value === 'string') return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, member) => sum + countTexts(member), 0)
}
