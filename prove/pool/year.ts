import { startYear } from '../../bench/start-service.ts'
import { createRandom } from '../../src/demo/random.ts'
import { policyOf } from '../../test/audit/audit-harness.ts'
import { openFourSides } from '../../test/pool/four-sides.ts'
import type { ProvingDatabase } from '../../test/pool/open-databases.ts'
import type { Outcome } from '../conclude.ts'

const dayMs = 86_400_000

/**
 * Audits the first days of the year of `npm run bench -- year` by four sides, and compares every report of every day, and in the end
 * what the histories answer as of three days. Each day is a case.
 */
export async function proveYear(
  makeDatabase: () => Promise<ProvingDatabase>,
  { days, projects }: { readonly days: number; readonly projects: number },
): Promise<Outcome> {
  const startedAt = performance.now()
  const sizes = { projects, endpointsPerProject: 100, subscriptionsPerProject: 100 }
  const service = await startYear({ ...sizes, changesPerDay: projects * 2 })
  const policy = policyOf('extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')
  const options = {
    projects: Object.fromEntries(service.projects.map((uid) => [uid, uid])),
    key: service.key,
    pageSize: 100,
    listings: { sources: 'off', project: 'off' } as const,
  }
  const sides = await openFourSides(options, { makeDatabase, random: createRandom('year') })
  let differing = 0
  const print = (about: string, differences: readonly string[]) => {
    differing += differences.length === 0 ? 0 : 1
    process.stdout.write(differences.map((line) => `${about}: ${line}\n`).join(''))
  }
  try {
    for (let day = 1; day <= days; day++) {
      await service.become(day)
      sides.advance(dayMs - 60_000)
      print(`day ${day}`, await sides.audit({ url: service.url, policy }))
      if (day % 10 === 0) process.stdout.write(`day ${day}: ${sides.lost()} walks taken over from lost workers\n`)
    }
    const runs = [1, Math.ceil(days / 2), days]
    print('histories', await sides.compareHistories({ runs, uids: [] }))
  } finally {
    await sides.close()
    await service.stop()
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  process.stdout.write(
    `${days} days, ${projects * 200} resources, four sides, ${sides.lost()} walks taken over from lost workers, ${differing} days differ (${minutes} minutes)\n`,
  )
  return { cases: days, violations: { other: differing } }
}
