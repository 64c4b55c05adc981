import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { key, project } from '../service/fake-service.ts'
import { openAuditHarness } from './audit-harness.ts'
import { openFleetFixture } from './fleet-fixture.ts'
import { aProject, openLiteral } from './literal-service.ts'

// As recorded of v26.3.6, by a project's key before and after a change, and by a personal key after it.
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/recordings/cached-settings.json'), 'utf8'),
) as Record<'before' | 'stale' | 'fresh', JsonObject>
const settings = (of: keyof typeof recorded): JsonObject => ({
  ...recorded[of],
  uid: aProject.uid ?? '',
  name: 'orders',
})

const codes = ({ notices }: Report) => notices.map(({ code }) => code)
const start = '2026-11-24T13:40:00Z'

describe('settings from a cache', () => {
  it('that are older than known ones are no drift, and neither are the known ones when they come back', async () => {
    await using service = await openLiteral({ project: settings('before') }, { startsAt: start })
    await service.audit()
    service.show({ project: settings('fresh') })
    expect((await service.audit()).drift).toMatchObject([{ kind: 'project', change: 'modified' }])
    service.show({ project: settings('stale') })
    for (let run = 0; run < 2; run++) {
      const stale = await service.audit()
      expect([stale.drift, codes(stale)]).toEqual([[], ['settings_stale']])
    }
    service.show({ project: settings('fresh') })
    const fresh = await service.audit()
    expect([fresh.drift, codes(fresh)]).toEqual([[], []])
  })

  it.each([
    ['did not scan the project', { only: [] }],
    ['did not read its settings', { listings: { project: 'off' } }],
  ] as const)('are recognised behind a run that %s', async (_, turn) => {
    await using service = await openLiteral({ project: settings('before') }, { startsAt: start })
    await service.audit()
    service.show({ project: settings('fresh') })
    await service.audit()
    await service.audit(turn)
    service.show({ project: settings('stale') })
    const stale = await service.audit()
    expect([stale.drift, codes(stale)]).toEqual([[], ['settings_stale']])
  })

  it('are recognised of a project that the configuration calls something else since', async () => {
    await using service = await openLiteral({ project: settings('before') }, { startsAt: start })
    await service.audit()
    service.show({ project: settings('fresh') })
    await service.audit()
    service.show({ project: settings('stale') })
    const { file, owner, advance, clock } = service.harness
    advance(60_000)
    await using renamed = openAuditHarness({
      projects: { billing: project },
      key,
      openHistory: async () => openSqliteHistory(file, owner),
      startsAt: new Date(clock.now()).toISOString(),
    })
    const stale = await renamed.audit({ url: service.url })
    expect([stale.drift, codes(stale)]).toEqual([[], ['settings_stale']])
  })

  it('count after an hour, and at once when a person took the change back', async () => {
    await using service = await openLiteral({ project: settings('before') }, { startsAt: start })
    await service.audit()
    service.show({ project: settings('fresh') })
    await service.audit()
    service.show({ project: { ...settings('before'), updated_at: '2026-11-24T13:50:00Z' } })
    const reverted = await service.audit()
    expect([reverted.drift.length, codes(reverted)]).toEqual([1, []])
    service.show({ project: settings('fresh') })
    expect((await service.audit()).drift).toEqual([])
    service.harness.advance(3_700_000)
    expect((await service.audit()).drift).toHaveLength(1)
  })

  it('are noted where projects of a service have keys of their own', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2 } })
    const shared = await fixture.audit()
    expect(codes(shared)).not.toContain('settings_cached')
    const [first, second] = fixture.fleet.projects()
    const keys = Object.fromEntries([first, second].flatMap((one) => (one ? [[one.name, one.key]] : [])))
    const own = await fixture.audit({ keys })
    expect(codes(own)).toEqual(['settings_cached', 'settings_cached'])
    expect(own.notices[0]?.text).toMatch(/^if its key is a project's key, settings may be up to 60 minutes old/)
  })
})
