import { describe, expect, it } from 'vitest'
import { deleteEndpoint } from '../../src/demo/edits.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { replayRuns } from '../replay/replay-runs.ts'
import { policyOf } from './audit-harness.ts'
import { at, driftLines, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const rules = `extends: []
rules:
  drift/url-host-changed: {}
  drift/rate-limit-lost: {}
  drift/flapping: { min_changes: 2 }
`
const plain = policyOf(rules)
const ignoring = policyOf(`${rules}ignore: [/description, /url, /rate_limit, /rate_limit_duration]\n`)

const openFixture = () => openFleetFixture({ fleet: { endpointsPerProject: 4 } })

const noticesIn = ({ notices }: Report) =>
  notices.flatMap(({ code, text, project }) => (code === 'changes_ignored' ? [[text, project]] : []))
const violationsIn = ({ violations }: Report) =>
  violations.map(({ rule, state, resolution, path }) => `${resolution ?? state} ${rule} ${path}`).sort()

const replayed = ({ harness }: FleetFixture, policy: Policy) =>
  harness.withHistory(async (history) => replayRuns(history, { policy, runs: await listRuns(history) }))

describe('fields that the policy ignores', () => {
  it('are no drift, reach no drift rule, and are counted with their place', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: ignoring })
    fixture.set({ description: 'other words', url: 'https://elsewhere.example.com/in', name: 'renamed' })
    fixture.set({ description: 'other words', rate_limit: 0, rate_limit_duration: 0 }, 1)
    const report = await fixture.audit()
    expect(driftLines(report)).toEqual([expect.stringMatching(/^modified endpoint \S+ \/name /)])
    expect(violationsIn(report)).toEqual([])
    const [[text = '', project] = []] = noticesIn(report)
    expect(text).toMatch(/^2 changes ignored by policy\.yaml:6 \(\/description\), 1 by policy\.yaml:6 \(\/url\), /)
    expect(project).toBeNull()
    expect(noticesIn(await fixture.audit())).toEqual([])
    // The snapshots are complete.
    const [row] = fixture.query<{ body: string }>("SELECT body FROM current_resource WHERE name = 'renamed'")
    expect(JSON.parse(row?.body ?? '{}')).toMatchObject({ description: 'other words' })
  })

  it('end the acceptance of drift whose value changes meanwhile, as any other value does', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: plain })
    fixture.set({ url: 'https://elsewhere.example.com/in' })
    await fixture.accept(await fixture.audit(), 'drift/url-host-changed')
    await fixture.audit({ policy: ignoring })
    const ended = () => fixture.query('SELECT ended_by FROM acceptance')
    expect(ended()).toEqual([{ ended_by: null }])
    fixture.set({ url: 'https://evil.example.net/in' })
    await fixture.audit({ policy: ignoring })
    expect(ended()).toEqual([{ ended_by: 'value_changed' }])
  })

  it('never hide that a resource came or went', async () => {
    await using fixture = await openFixture()
    const all = policyOf(`${rules}ignore: ["/*"]\n`)
    await fixture.audit({ policy: all })
    const uid = fixture.set({ name: 'renamed' })
    const { uid: gone } = fixture.endpointAt(1)
    deleteEndpoint(fixture.fleet, fixture.endpointAt(1))
    const lines = driftLines(await fixture.audit())
    expect(lines).toContain(`removed endpoint ${gone}`)
    expect(lines.join('\n')).not.toContain(uid)
  })

  it('end what was found in them as `policy`, never as fixed, and count as flapping no more', async () => {
    await using fixture = await openFixture()
    fixture.set({ url: 'https://one.example.com/in' })
    await fixture.audit({ policy: plain })
    fixture.set({ url: 'https://two.example.com/in' })
    await fixture.audit()
    fixture.set({ url: 'https://three.example.com/in' })
    expect(violationsIn(await fixture.audit())).toEqual([
      'continuing drift/url-host-changed /url',
      'opened drift/flapping /url',
    ])
    const ended = await fixture.audit({ policy: ignoring })
    expect(violationsIn(ended)).toEqual(['policy drift/flapping /url', 'policy drift/url-host-changed /url'])
    expect(violationsIn(await fixture.audit())).toEqual([])
  })

  it('are left out of what an approved state is compared with', async () => {
    await using fixture = await openFixture()
    const unexpected = (ignore: string) => policyOf(`extends: []\nrules: { drift/unexpected: {} }\n${ignore}`)
    const ignore = unexpected('ignore: [/description]\n')
    await fixture.audit({ policy: ignore })
    await fixture.approve()
    const { description: approved } = at(fixture.dataOf('payments').endpoints, 0)
    fixture.set({ description: 'other words', http_timeout: 44 })
    const timeout = '/http_timeout is 44 (approved: 15)'
    const description = `/description is "other words" (approved: ${JSON.stringify(approved)})`
    const next = async (policy: Policy) =>
      (await fixture.audit({ policy })).violations.map(
        ({ state, resolution, path, message, ended_by: by }) =>
          `${resolution ?? state} ${path}${message}${by === null ? '' : `, ${by.reason}`}`,
      )
    const one = `1 field differs from the approved baseline: ${timeout}`
    const both = `2 fields differ from the approved baseline: ${description}, ${timeout}`
    expect(await next(ignore)).toEqual([`opened ${one}`])
    expect(await next(unexpected(''))).toEqual([`continuing ${both}`])
    expect(await next(ignore)).toEqual([`continuing ${one}`])
    // What still differs is not fixed.
    const ignoresBoth = unexpected('ignore: [/description, /http_timeout]\n')
    expect(await next(ignoresBoth)).toEqual([`policy ${one}, changes of /description are ignored`])
    expect(await next(ignoresBoth)).toEqual([])
    expect(await next(unexpected(''))).toEqual([`opened ${both}`])
  })

  it('are ignored by a replay as by the run, and are there for one that ignores less', async () => {
    await using fixture = await openFixture()
    fixture.set({ url: 'https://one.example.com/in', rate_limit: 100, rate_limit_duration: 60 })
    await fixture.audit({ policy: plain })
    fixture.set({ url: 'https://two.example.com/in', rate_limit: 0, rate_limit_duration: 0 })
    const recorded = await fixture.audit()
    const same = await replayed(fixture, plain)
    expect(same.violations.map(({ rule }) => rule).sort()).toEqual(recorded.violations.map(({ rule }) => rule).sort())
    expect(same.violations).toHaveLength(2)
    expect((await replayed(fixture, ignoring)).violations).toEqual([])
    // What the policy of then left out is there to compare.
    fixture.set({ url: 'https://three.example.com/in' })
    await fixture.audit({ policy: ignoring })
    const { notEvaluated, report } = await replayed(fixture, plain)
    expect(notEvaluated).toEqual([])
    expect(violationsIn(report).filter((line) => line.includes('url-host-changed'))).toHaveLength(1)
    expect(driftLines(report)).toEqual([expect.stringMatching(/^modified endpoint \S+ \/url /)])
  })
})
