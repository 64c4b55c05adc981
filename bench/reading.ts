import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillViolations } from './fill-violations.ts'
import { measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { table, verdict } from './table.ts'

/**
 * What the first 50 violations cost of a history of 200,000 and of one of 2,000, of which one in ten is active: the
 * CPU time of `hookdrift violations` as installed. `BENCH_ROUNDS` (default 5): medians of that many rounds, in turns.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const histories = { '2,000': 2_000, '200,000': 200_000 }
const questions = { 'active ones': [], 'resolved ones': ['--resolved'] }

const executable = stagePackage()
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-reading-'))
const fileOf = (name: string) => join(directory, `${name}.db`)
const cpuMs = new Map<string, number[]>()
const keyOf = (question: string, history: string) => `${question} of ${history}`

try {
  for (const [name, rows] of Object.entries(histories)) fillViolations(fileOf(name), rows)
  for (let round = 0; round < rounds; round++) {
    for (const [question, more] of Object.entries(questions)) {
      for (const history of Object.keys(histories)) {
        const args = [executable, 'violations', '--history', fileOf(history), '--limit', '50', ...more]
        const { cpuMs: cost } = await measure({ command: process.execPath, args })
        const key = keyOf(question, history)
        cpuMs.set(key, [...(cpuMs.get(key) ?? []), cost])
      }
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}

const cost = (question: string, history: string) => median(cpuMs.get(keyOf(question, history)) ?? [])
const [few, many] = Object.keys(histories) as [string, string]
const rows = Object.keys(questions).map((question) => {
  const [ofFew, ofMany] = [cost(question, few), cost(question, many)]
  return [question, `${ofFew.toFixed(0)} ms`, `${ofMany.toFixed(0)} ms`, (ofMany / ofFew).toFixed(2)]
})
const ratio = cost('active ones', many) / cost('active ones', few)
process.stdout.write(`The first 50 violations, CPU time, ${rounds} rounds.

${table([['', `of ${few}`, `of ${many}`, 'ratio'], ...rows])}
${verdict(`50 active ones of ${many} / of ${few}`, ratio, { atMost: 2 })}`)
