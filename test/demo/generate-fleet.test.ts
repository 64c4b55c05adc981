import { describe, expect, it } from 'vitest'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'

const textOf = (fleet: SimulatedFleet) =>
  JSON.stringify([fleet.personalKey, fleet.projects(), fleet.projects().map(({ uid }) => fleet.open(uid))])

describe('a generated fleet', () => {
  it('is the same, byte for byte, for the same seed', () => {
    expect(textOf(generateFleet({ seed: 7 }))).toBe(textOf(generateFleet({ seed: 7 })))
    expect(textOf(generateFleet({ seed: 7 }))).not.toBe(textOf(generateFleet({ seed: 8 })))
  })

  it('does not depend on the order in which its projects are opened', () => {
    const fleet = generateFleet({ projects: 4 })
    const backwards = generateFleet({ projects: 4 })
    for (const { uid } of backwards.projects().toReversed()) backwards.open(uid)
    expect(textOf(backwards)).toBe(textOf(fleet))
  })

  it('restores an unedited project as it was', () => {
    const fleet = generateFleet({ projects: 200, endpointsPerProject: 2 })
    const [first] = fleet.projects()
    const before = JSON.stringify(fleet.open(first?.uid ?? ''))
    for (const { uid } of fleet.projects()) fleet.open(uid)
    expect(JSON.stringify(fleet.open(first?.uid ?? ''))).toBe(before)
  })

  it('lists resources newest first, with unique uids', () => {
    const fleet = generateFleet({ projects: 6, endpointsPerProject: 40, subscriptionsPerProject: 60 })
    const uids = fleet.projects().flatMap((project) => {
      const { endpoints, subscriptions, sources } = fleet.open(project.uid)
      for (const rows of [endpoints, subscriptions, sources]) {
        expect(rows.map(({ uid }) => uid)).toEqual(
          rows
            .map(({ uid }) => uid)
            .toSorted()
            .toReversed(),
        )
      }
      return [...endpoints, ...subscriptions, ...sources].map(({ uid }) => uid)
    })
    expect(new Set(uids).size).toBe(uids.length)
    expect(uids).toHaveLength(6 * 100 + 2 * 8)
    expect(uids.every((uid) => /^01[0-9A-HJKMNP-TV-Z]{24}$/.test(uid))).toBe(true)
  })

  it('dates all resources before its base time', () => {
    const fleet = generateFleet({ baseTime: '2027-01-01T00:00:00Z' })
    const times = fleet.projects().flatMap(({ uid }) => fleet.open(uid).endpoints.map(({ created_at }) => created_at))
    expect(times.every((time) => time > '2026-11-01' && time < '2027-01-01')).toBe(true)
  })

  it('has each problem somewhere, and most resources without one', () => {
    const fleet = generateFleet()
    const all = fleet.projects().map(({ uid }) => fleet.open(uid))
    const endpoints = all.flatMap((data) => data.endpoints)
    const subscriptions = all.flatMap((data) => data.subscriptions)
    const sources = all.flatMap((data) => data.sources)
    const secrets = endpoints.flatMap((row) => row.secrets ?? [])
    const now = new Date(fleet.baseTimeMs).toISOString()
    expect(endpoints.some((row) => row.secrets?.length === 0)).toBe(true)
    expect(
      secrets.some(({ expires_at, deleted_at }) => expires_at !== null && expires_at < now && deleted_at === null),
    ).toBe(true)
    expect(new Set(secrets.map(({ value }) => value)).size).toBeLessThan(secrets.length)
    expect(endpoints.some(({ url }) => url.startsWith('http:'))).toBe(true)
    expect(endpoints.some(({ url }) => url.includes('169.254.169.254'))).toBe(true)
    expect(endpoints.some((row) => row.rate_limit > 0 && row.rate_limit_duration === 0)).toBe(true)
    expect(new Set(endpoints.map(({ status }) => status))).toEqual(new Set(['active', 'inactive', 'paused']))
    expect(subscriptions.some(({ retry_config }) => retry_config?.retry_count === 100)).toBe(true)
    expect(subscriptions.some(({ delivery_mode }) => delivery_mode === 'at_most_once')).toBe(true)
    expect(sources.some(({ is_disabled }) => is_disabled)).toBe(true)
    expect(sources.some(({ verifier }) => verifier === null)).toBe(true)
    expect(fleet.projects().map(({ config }) => config.strategy.retry_count)).toContain(50)
    const clean = generateFleet({ clean: true })
    const same = clean.projects().flatMap(({ uid }) => clean.open(uid).endpoints.map((row) => JSON.stringify(row)))
    const untouched = endpoints.filter((row) => same.includes(JSON.stringify(row)))
    expect(untouched.length / endpoints.length).toBeGreaterThan(0.6)
  })

  it('has no problem when it is clean', () => {
    const fleet = generateFleet({ clean: true, projects: 6 })
    const all = fleet.projects().map(({ uid }) => fleet.open(uid))
    const values = all.flatMap((data) => data.endpoints.flatMap((row) => (row.secrets ?? []).map(({ value }) => value)))
    expect(new Set(values).size).toBe(values.length)
    for (const { endpoints, subscriptions, sources } of all) {
      expect(endpoints.every(({ url, status }) => /^https:.*\.example\.com\//.test(url) && status === 'active')).toBe(
        true,
      )
      expect(endpoints.every((row) => row.rate_limit > 0 && row.rate_limit_duration > 0)).toBe(true)
      expect(subscriptions.every((row) => row.delivery_mode === 'at_least_once')).toBe(true)
      // Events of an http source have one type, so that subscriptions to one take all.
      const ofEvents = subscriptions.filter((row) => row.source_id === null)
      expect(ofEvents.every((row) => !row.filter_config.event_types.includes('*'))).toBe(true)
      expect(sources.every((row) => !row.is_disabled && row.verifier !== null)).toBe(true)
    }
  })

  it('marks each secret as made up', () => {
    const fleet = generateFleet({ clean: true })
    expect(fleet.personalKey).toMatch(/^CO\.[^.]{16}\.not-a-real-key-[^.]{49}$/)
    const secrets = fleet.projects().flatMap(({ uid }) => fleet.open(uid).endpoints.flatMap((row) => row.secrets ?? []))
    expect(secrets.every(({ value }) => value.startsWith('whsec_not-a-real-key-'))).toBe(true)
  })
})
