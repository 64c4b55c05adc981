import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startYear } from '../bench/start-service.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import { copyThereAndBack } from '../test/history/move/there-and-back.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { conclude } from './conclude.ts'

/**
 * Audits the days of the year of `npm run bench -- year` with a history in a file, copies it to PostgreSQL and from there to a new
 * file, verifies each, and compares all rows and every link of the chain. `--days 365`, `--projects 20` of 200 resources
 * each. Ends with 1 when anything differs.
 */
const { values } = parseArgs({
  options: { days: { type: 'string', default: '365' }, projects: { type: 'string', default: '20' } },
})
const [days, projects] = [Number(values.days), Number(values.projects)]
const dayMs = 86_400_000
const sizes = { projects, endpointsPerProject: 100, subscriptionsPerProject: 100 }
const service = await startYear({ ...sizes, changesPerDay: projects * 2 })
await using databases = await openDatabases()
const policy = policyOf('extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')

try {
  await using harness = openAuditHarness({
    projects: Object.fromEntries(service.projects.map((uid) => [uid, uid])),
    key: service.key,
    pageSize: 1000,
    listings: { sources: 'off', project: 'off' },
  })
  for (let day = 1; day <= days; day++) {
    await service.become(day)
    harness.advance(dayMs - 60_000)
    await harness.audit({ url: service.url, policy })
    if (day % 50 === 0) process.stdout.write(`day ${day} is audited\n`)
  }
  const place = await databases.make({ empty: true })
  const startedAt = performance.now()
  const { runs, rows, differences } = await copyThereAndBack(harness.file, place, join(harness.directory, 'back.db'))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  process.stdout.write(differences.map((difference) => `${difference}\n`).join(''))
  process.stdout.write(
    `${runs} runs, ${rows} rows, there and back and verified in ${seconds} s: ${differences.length} differences\n`,
  )
  conclude({ cases: runs, violations: { other: differences.length } })
} finally {
  await service.stop()
}
