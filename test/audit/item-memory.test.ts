import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/demo/random.ts'
import type { ServiceClient } from '../../src/gateway/service/service-client.ts'
import type { Offer } from '../../src/gateway/service/settings.ts'
import { startRandomFleet } from '../oracle/random-fleet.ts'
import { tries } from '../thoroughness.ts'
import { openAuditHarness, policyOf } from './audit-harness.ts'
import { driftLines } from './fleet-fixture.ts'
import { anEndpoint, openLiteral } from './literal-service.ts'

const tables = ['version', 'change', 'violation', 'notice', 'walk', 'scan', 'withheld_removal', 'unreferenced', 'run']

/** Some runs of a random fleet: reports and rows. `forgets`: whether each run begins without what the last one read. */
async function liveThrough(seed: number, { forgets }: { readonly forgets: boolean }) {
  const random = createRandom(`known items/${seed}`)
  await using world = await startRandomFleet(String(seed), random, { projects: 1 + random.below(2) })
  await using harness = openAuditHarness({ ...world, limits: { retries: 1 }, concurrency: 1 })
  const nextTurn = world.begin()
  let known = 0
  const between = (_: string, client: ServiceClient): ServiceClient => ({
    ...client,
    async *pages(listing, access) {
      for await (const page of client.pages(listing, access)) {
        known += page.identities?.filter(({ uid }) => uid !== undefined).length ?? 0
        yield page
      }
    },
  })
  const lines: string[] = []
  for (let run = 0; run < 5; run++) {
    const { waitMs, rules: _, exceptions: __, ...turn } = nextTurn()
    harness.advance(waitMs)
    if (forgets && run > 0) write(harness.file, "DELETE FROM reading WHERE name = 'items'")
    const listings = { ...turn.listings, filters: random.pick<Offer>(['auto', 'off', 'off']) }
    lines.push(shown(await harness.audit({ ...turn, url: world.service.url, listings, between })))
  }
  const db = new Database(harness.file, { readonly: true })
  for (const table of tables) {
    for (const row of db.prepare(`SELECT * FROM ${table}`).all()) lines.push(`${table} ${shown(row)}`)
  }
  db.close()
  return { lines, known }
}

function write(file: string, sql: string): void {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

/** Without the port of the service, which reasons name and the chain covers. */
function shown(value: unknown): string {
  const text = JSON.stringify(value, (key, member) => (/chain|previous|digests/.test(key) ? null : member))
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
}

describe('a scan that knows items by their bytes', () => {
  it('reports and keeps the same as one that parses, normalises and seals all of them', async () => {
    let known = 0
    for (let seed = 1; seed <= tries(30, { locally: 6 }); seed++) {
      const left = await liveThrough(seed, { forgets: false })
      const right = await liveThrough(seed, { forgets: true })
      expect(right.known).toBe(0)
      expect(left.lines, `fleet ${seed}`).toEqual(right.lines)
      known += left.known
    }
    expect(known).toBeGreaterThan(0)
  })

  it('trusts nothing that was written without the installation key', async () => {
    const [before, after] = [10, 90].map((http_timeout) => anEndpoint('EP-1', { http_timeout }))
    await using service = await openLiteral({ endpoints: [before ?? {}] })
    const reading = () =>
      service.query<{ body: string }>("SELECT body FROM reading WHERE name = 'items'")[0]?.body ?? ''
    const digestIn = (body: string) => /\["([\w-]{22})","EP-1"/.exec(body)?.[1] ?? ''
    await service.audit()
    const first = reading()
    service.show({ endpoints: [after ?? {}] })
    await service.audit()
    // So that going back would pass for the state that is known.
    const forged = reading().replace(digestIn(reading()), digestIn(first))
    expect(digestIn(forged)).toBe(digestIn(first))
    write(service.harness.file, `UPDATE reading SET body = '${forged}' WHERE name = 'items'`)
    service.show({ endpoints: [before ?? {}] })
    expect(driftLines(await service.audit())).toEqual(['modified endpoint EP-1 /http_timeout 90 -> 10'])
  })

  it('evaluates a known item by what the policy and the time are now', async () => {
    await using service = await openLiteral({
      endpoints: [anEndpoint('EP-1', { url: 'http://a.example', http_timeout: 90 })],
    })
    const foundBy = async (rules: string) => {
      const { violations } = await service.audit({ policy: policyOf(`{ extends: [], rules: { ${rules} } }`) })
      return violations.map(({ rule, state }) => `${rule} ${state}`).sort()
    }
    expect(await foundBy('endpoint/timeout-high: {}')).toEqual(['endpoint/timeout-high opened'])
    expect(await foundBy('endpoint/timeout-high: { max_seconds: 100 }, endpoint/url-not-https: {}')).toEqual([
      'endpoint/timeout-high resolved',
      'endpoint/url-not-https opened',
    ])
  })
})
