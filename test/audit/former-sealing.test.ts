import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runAudit } from '../../src/audit/run-audit.ts'
import { normaliserVersion } from '../../src/gateway/fields.ts'
import type { History } from '../../src/history/history.ts'
import type { Report } from '../../src/model/report.ts'
import { sealer } from '../inventory/inventory-fixture.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const policy = policyOf('extends: []\nrules: { drift/unexpected: {}, drift/url-host-changed: {} }')
const token = 'k8Xq2LpZ9vRt3Wn7q5Bd'
const written = `key ${token} of the team`
const whole = `${sealer.seal(written)} (${written.length} characters)`
/** As the version before stored it: it sealed the word alone. */
const byPart = `key ${sealer.seal(token)} of the team`

const stored = (fixture: FleetFixture) =>
  fixture
    .query<{ body: string }>("SELECT body FROM version WHERE kind = 'endpoint' AND to_run IS NULL")
    .map(({ body }) => JSON.parse(body).description)
const statesIn = ({ violations }: Report) => violations.map(({ rule, state, path }) => [rule, state, path])

/** A project of one endpoint with a token in its description, as the version before audited it. */
async function openFormer() {
  let isFormer = true
  const fixture = await openFleetFixture({
    fleet: { endpointsPerProject: 1 },
    harness: {
      conduct: (audit, dependencies) =>
        runAudit(audit, isFormer ? { ...dependencies, history: writingAsBefore(dependencies.history) } : dependencies),
    },
  })
  fixture.set({ description: written })
  await fixture.audit({ policy })
  isFormer = false
  return fixture
}

/** A history to which a run writes what the version before wrote. */
function writingAsBefore(history: History): History {
  const normaliser = normaliserVersion - 1
  return withMember(history, 'begin', async (start) => {
    const draft = await history.begin({ ...start, normaliser })
    return withMember(draft, 'stage', (project, versions) =>
      draft.stage(
        project,
        Array.from(versions, (version) => {
          const body = version.body.replace(whole, byPart)
          return { ...version, body, digest: hash('sha256', body + version.facts), normaliser }
        }),
      ),
    )
  })
}

/** The same object with another member. */
function withMember<T extends object, K extends keyof T>(object: T, name: K, member: T[K]): T {
  return new Proxy(object, {
    get(target, key) {
      if (key === name) return member
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('a description of which the version before sealed a part', () => {
  it('is stored whole from the first run on, and causes no drift', async () => {
    await using fixture = await openFormer()
    expect(stored(fixture)).toEqual([byPart])
    const upgraded = await fixture.audit({ policy })
    expect(stored(fixture)).toEqual([whole])
    expect({ drift: upgraded.drift, violations: upgraded.violations }).toEqual({ drift: [], violations: [] })
    expect(upgraded.notices.map(({ code }) => code)).toEqual(['normal_form_changed'])
    const calm = await fixture.audit()
    expect({ drift: calm.drift, violations: calm.violations, notices: calm.notices }).toEqual({
      drift: [],
      violations: [],
      notices: [],
    })
  })

  it('is drift once it changes after that, also under another installation key', async () => {
    await using fixture = await openFormer()
    await fixture.audit({ policy })
    fixture.set({ description: `key ${[...token].reverse().join('')} of the team` })
    const changed = await fixture.audit()
    expect(changed.drift.flatMap(({ fields }) => fields)).toEqual([
      {
        path: '/description',
        before: whole,
        after: expect.stringMatching(new RegExp(`^sealed:[0-9a-f]{32} \\(${written.length} characters\\)$`)),
      },
    ])
    fixture.set({ description: `${written} of orders` })
    const rebased = await fixture.audit({ installationKey: 2 })
    expect(rebased.drift.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(['/description'])
  })

  it('is not compared with the state that was approved then, and that is said until it is approved again', async () => {
    await using fixture = await openFormer()
    await fixture.approve()
    for (const _ of [1, 2]) {
      const { drift, violations, notices, gaps } = await fixture.audit({ policy })
      expect({ drift, violations }).toEqual({ drift: [], violations: [] })
      expect(notices.map(({ text }) => text)).toContain(
        'what was approved was sealed under another installation key, or by an earlier version: secrets of 1 resource were not compared with it',
      )
      expect(gaps.filter(({ rule, listing }) => rule === 'drift/unexpected' && listing === null)).toEqual([
        expect.objectContaining({ field: 'description', cause: 'seal_key_changed', resources: 1 }),
      ])
    }
    await fixture.approve()
    const { notices } = await fixture.audit()
    expect(notices).toEqual([])
  })

  it('hides no other change from the state that was approved then', async () => {
    await using fixture = await openFormer()
    await fixture.approve()
    await fixture.audit({ policy })
    fixture.set({ url: 'https://elsewhere.example/in' })
    expect(statesIn(await fixture.audit())).toContainEqual(['drift/url-host-changed', 'opened', '/url'])
  })

  it('differs from the state that was approved then where it has no secret any longer', async () => {
    await using fixture = await openFormer()
    await fixture.approve()
    await fixture.audit({ policy })
    fixture.set({ description: 'key of the team' })
    expect(statesIn(await fixture.audit())).toEqual([['drift/unexpected', 'opened', '']])
  })

  it('leaves a violation about it unknown, which began before the upgrade', async () => {
    await using fixture = await openFormer()
    await fixture.approve()
    fixture.set({ description: 'key of the team' })
    expect(statesIn(await fixture.audit({ policy }))).toEqual([['drift/unexpected', 'opened', '']])
    fixture.set({ description: written })
    expect(statesIn(await fixture.audit())).toEqual([['drift/unexpected', 'unknown', '']])
  })
})
