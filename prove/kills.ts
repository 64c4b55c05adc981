import { parseArgs } from 'node:util'
import { median } from '../bench/measure.ts'
import type { Part } from '../test/pool/die-at.ts'
import { openKilledWorkers } from '../test/pool/kill-workers.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { conclude } from './conclude.ts'

/**
 * Kills a worker at each statement of a walk, and of a run's coordination: before it is sent, and with its answer unread.
 * Each run must be committed complete, at most 15 s later than without. `node prove/kills.ts [walker] [coordinator]`,
 * `--from 1`, `--to` and `--every 1` choose statements. Ends with 1 where a run was not complete.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: 'Infinity' },
    every: { type: 'string', default: '1' },
  },
})
const [from, to, every] = [values.from, values.to, values.every].map(Number) as [number, number, number]
const parts: readonly Part[] = positionals.length === 0 ? ['walker', 'coordinator'] : (positionals as Part[])
const mostLaterMs = 15_000

await using databases = await openDatabases()
const place = await databases.make()
await using workers = await openKilledWorkers(place, { lifetimeMs: 86_400_000 })
const undisturbed: number[] = []
for (let run = 0; run < 4; run++) {
  const { tookMs, faults } = await workers.audit()
  if (faults.length > 0) throw new Error(`a run that nothing disturbed: ${faults.join('; ')}`)
  // The first run writes all resources.
  if (run > 0) undisturbed.push(tookMs)
}
/** Of the last three runs in which no worker was killed: the machine may be busier by now. */
const withoutMs = () => median(undisturbed.slice(-3))
process.stdout.write(`without: ${undisturbed.map(seconds).join(', ')}\n`)

let [kills, faulty] = [0, 0]
const laterMs: number[] = []
for (const part of parts) {
  for (let statement = from; statement <= to; statement += every) {
    const runs = []
    for (const isSent of [false, true]) {
      const run = await workers.audit({ part, statement, isSent })
      runs.push(run)
      const later = run.tookMs - withoutMs()
      if (run.wasKilled) laterMs.push(later)
      kills += run.wasKilled ? 1 : 0
      faulty += run.faults.length > 0 ? 1 : 0
      const end = run.wasKilled ? `${seconds(later)} later` : 'over before'
      const how = isSent ? 'sent' : 'not sent'
      process.stdout.write(`${part}, statement ${statement} ${how}: ${[end, ...run.faults].join('; ')}\n`)
    }
    if (runs.every(({ wasKilled }) => !wasKilled)) break
    const { tookMs, faults } = await workers.audit()
    undisturbed.push(tookMs)
    faulty += faults.length > 0 ? 1 : 0
    process.stdout.write(`without: ${[seconds(tookMs), ...faults].join('; ')}\n`)
  }
}
const faults = await workers.verify()
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''))
const tooLate = laterMs.filter((ms) => ms > mostLaterMs).length
process.stdout.write(
  `${kills} kills, ${faulty} runs not complete, ${tooLate} more than 15 s later; latest ${seconds(Math.max(0, ...laterMs))}, median ${seconds(median(laterMs))}\n`,
)
conclude({ cases: kills, violations: { whole: faulty + faults.length } })

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
