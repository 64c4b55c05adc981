import { severities, violationStates } from '../src/model/violation.ts'
import { reports } from '../test/report/all-reports.ts'
import { asEvaluated } from '../test/report/evaluated-sample.ts'
import { aReport, aViolation } from '../test/report/sample-reports.ts'
import { median } from './measure.ts'
import { table, verdict } from './table.ts'

/** What each format takes for a run with 10,000 violations, compared with JSON; the formats take turns. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 9)
const options = { colour: false, width: 100, full: true }
const report = asEvaluated(
  aReport({
    violations: Array.from({ length: 10_000 }, (_, at) =>
      aViolation({
        severity: severities[Math.floor(at / 2000)] ?? 'info',
        state: violationStates[at % violationStates.length] ?? 'opened',
        uid: `01M7Z${String(at).padStart(21, '0')}`,
        name: `tenant ${at}`,
        message: `sends to http://tenant-${at}.example.com/hooks, without TLS`,
      }),
    ),
  }),
)

const times = new Map(Object.keys(reports).map((format) => [format, [] as number[]]))
const sizes = new Map<string, number>()
for (let round = 0; round < rounds; round++) {
  for (const [format, show] of Object.entries(reports)) {
    const startedAt = performance.now()
    sizes.set(format, Buffer.byteLength(show(report, options)))
    times.get(format)?.push(performance.now() - startedAt)
  }
}

const ofJson = median(times.get('json') ?? [])
const rows = [...times].map(([format, taken]) => {
  const ms = median(taken)
  const megabytes = (sizes.get(format) ?? 0) / 1_000_000
  return { format, ms, megabytes, ratio: ms / ofJson }
})
process.stdout.write(`A run with 10,000 violations, ${rounds} rounds.

${table([
  ['format', 'time', 'size', 'times json'],
  ...rows.map(({ format, ms, megabytes, ratio }) => [
    format,
    `${ms.toFixed(0)} ms`,
    `${megabytes.toFixed(1)} MB`,
    ratio.toFixed(2),
  ]),
])}
${rows.map(({ format, ratio }) => verdict(`${format} / json`, ratio, { atMost: 4 })).join('')}\
${verdict('html, in MB', rows.find(({ format }) => format === 'html')?.megabytes ?? Number.NaN, { atMost: 5 })}`)
