import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { readExchanges, startReplay } from '../service/replay-server.ts'
import { openAuditHarness, policyOf } from './audit-harness.ts'
import { violationLines } from './fleet-fixture.ts'
import { anEndpoint, aProject, aSource, openLiteral } from './literal-service.ts'

const policy = policyOf('{ extends: [], rules: { service/release-vulnerable: {} } }')

/** Settings that say nothing of a release. */
const unsaid: JsonObject = { ...aProject, config: { search_policy: '720h' } }

/** Settings that every release shows, with those of some. */
function settings(more: JsonObject = {}): JsonObject {
  const strategy = { type: 'exponential', duration: 30, retry_count: 10 }
  return { ...unsaid, config: { strategy, circuit_breaker: { sample_rate: 30 }, ...more } }
}

const v26_6_5 = settings({ request_id_header: 'X-Convoy-Idempotency-Key' })
const v26_7_0 = settings({ request_id_header: '', sync_dynamic_event_ack: false })
const v26_7_1 = settings({ request_id_header: '', verify_dynamic_events: false, allow_unmatched_dynamic_urls: false })

/** Endpoints before and after v26.6.1, and one without what shows that. */
const { cb_state: _, ...earlier } = anEndpoint('EP-1')
const later = anEndpoint('EP-2')
const { failure_rate: __, content_type: ___, ...partial } = earlier

const { event_type_location: ____, ...untagged } = aSource('SRC-1')
const tagged = aSource('SRC-1')

function releasesOf({ projects }: Report) {
  return projects.map(({ release }) => release && [release.from, release.below, release.contradictory])
}

const releaseOf = (report: Report) => releasesOf(report)[0]

describe('the release of a service', () => {
  it.each<[text: string, shown: Parameters<typeof openLiteral>[0], release: unknown]>([
    ['before v26.6.5', { project: settings() }, ['v25.9.1', 'v26.6.5', false]],
    ['before v25.9.1', { project: { ...unsaid, config: { strategy: {} } } }, [null, 'v25.9.1', false]],
    ['v26.6.5 to v26.6.10', { project: v26_6_5 }, ['v26.6.5', 'v26.7.0', false]],
    ['v26.7.0 alone', { project: v26_7_0 }, ['v26.7.0', 'v26.7.1', false]],
    ['v26.7.1 and later', { project: v26_7_1 }, ['v26.7.1', null, false]],
    ['v26.3.7 to v26.6.0, by both', { endpoints: [earlier], sources: [tagged] }, ['v26.3.7', 'v26.6.1', false]],
    ['before v26.3.7, by sources', { sources: [untagged] }, [null, 'v26.3.7', false]],
    ['v26.6.1 to v26.6.4', { project: settings(), endpoints: [later] }, ['v26.6.1', 'v26.6.5', false]],
    ['nothing, where items are shown in part', { endpoints: [partial] }, undefined],
    ['nothing, where lists are empty', {}, undefined],
  ])('is %s', async (_, shown, release) => {
    await using service = await openLiteral({ project: unsaid, ...shown })
    expect(releaseOf(await service.audit())).toEqual(release)
  })

  it('has room for both, where instances of two releases answer', async () => {
    await using service = await openLiteral({ project: v26_7_1, endpoints: [earlier] })
    const answered = await service.audit({ policy })
    expect(releaseOf(answered)).toEqual(['v25.11.1', null, true])
    expect(answered.violations).toEqual([])
    // One listing that contradicts itself says nothing.
    service.show({ endpoints: [earlier, later] })
    expect(releaseOf(await service.audit())).toEqual([null, null, true])
  })

  it('is known from items that did not change, too', async () => {
    await using service = await openLiteral({ project: unsaid, endpoints: [earlier] })
    expect(releaseOf(await service.audit())).toEqual(['v25.11.1', 'v26.6.1', false])
    expect(releaseOf(await service.audit())).toEqual(['v25.11.1', 'v26.6.1', false])
    service.show({ endpoints: [later] })
    expect(releaseOf(await service.audit())).toEqual(['v26.6.1', null, false])
    expect(releaseOf(await service.audit())).toEqual(['v26.6.1', null, false])
  })

  it.each([
    [
      'older-release.jsonl',
      [
        [null, 'v25.9.1', false],
        [null, 'v25.9.1', false],
      ],
    ],
    [
      'older-release-upgraded.jsonl',
      [
        ['v25.11.1', 'v26.3.7', false],
        ['v25.11.1', 'v26.6.1', false],
      ],
    ],
  ])('shows in the recorded answers of %s', async (file, releases) => {
    const exchanges = readFileSync(join(import.meta.dirname, '../fixtures/recordings', file), 'utf8')
    await using replay = await startReplay(readExchanges(exchanges))
    const projects = { gate: '01M7Y2YBQBD8V3PHHE84RW9YPQ', parcels: '01M7Y2YBQ4Z8P16NSB35TXMNPM' }
    await using harness = openAuditHarness({ projects, key: '<personal-key>', pageSize: 10 })
    const report = await harness.audit({ url: replay.url })
    expect(releasesOf(report)).toEqual(releases)
  })
})

describe('a violation of a vulnerable release', () => {
  const line = (state: string) => [`${state} service/release-vulnerable acme`]

  it('ends with an upgrade to a repaired release', async () => {
    await using service = await openLiteral({ project: settings() })
    expect(violationLines(await service.audit({ policy }))).toEqual(line('opened'))
    expect(violationLines(await service.audit())).toEqual(line('continuing'))
    service.show({ project: v26_7_1 })
    const { violations } = await service.audit()
    expect(violations).toMatchObject([{ state: 'resolved', resolution: 'fixed' }])
  })

  it('is unknown where nothing shows the release, or it may be repaired', async () => {
    await using service = await openLiteral({ project: settings() })
    await service.audit({ policy })
    service.show({ project: unsaid })
    expect(violationLines(await service.audit())).toEqual(line('unknown'))
    service.show({ project: v26_6_5 })
    expect(violationLines(await service.audit())).toEqual(line('unknown'))
    service.show({ project: settings() })
    expect(violationLines(await service.audit())).toEqual(line('continuing'))
  })

  it('is unknown where the project was not read', async () => {
    await using service = await openLiteral({ project: settings() })
    await service.audit({ policy })
    const { violations } = await service.audit({ listings: { project: 'off' } })
    expect(violations).toMatchObject([{ state: 'unknown' }])
  })

  it('is not opened where the release may be repaired', async () => {
    await using service = await openLiteral({ project: v26_6_5 })
    expect((await service.audit({ policy })).violations).toEqual([])
  })
})
