import { describe, expect, it } from 'vitest'
import type { AuditedProject } from '../../src/audit/audited-project.ts'
import { compareResources } from '../../src/audit/compare-resources.ts'
import { compareWithApproved } from '../../src/audit/compare-with-approved.ts'
import { stateOf } from '../../src/audit/expected-state.ts'
import { readBefore } from '../../src/audit/project-before.ts'
import type { ProjectScan } from '../../src/audit/project-scan.ts'
import { normaliserVersion } from '../../src/gateway/fields.ts'
import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import { reseal } from '../../src/gateway/inventory/reseal.ts'
import type { Sealer } from '../../src/gateway/inventory/sealer.ts'
import type { Draft } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { NewVersion } from '../../src/history/staged.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { aStart, at, aVersion, commit, payments, walkAll } from '../history/samples.ts'
import { sealer } from '../inventory/inventory-fixture.ts'
import { policyOf } from './audit-harness.ts'

const newFile = temporaryDatabasePaths()
const masking = { keyId: 'key-1', seal: () => 'sealed:masked' }

/** A scan of the project that filters and ignores nothing. */
async function scanOf(draft: Draft, sealer: Sealer): Promise<ProjectScan> {
  // As much of a project as is asked.
  const audited = { ref: payments } as AuditedProject
  const before = await readBefore(audited, { draft, evaluator: createEvaluator(policyOf('extends: []'), 0), now: 0 })
  return {
    project: payments,
    run: draft.run,
    before,
    lastComplete: before.lastComplete,
    filters: {},
    ignored: [],
    windows: [],
    now: 0,
    sealer,
    at: (resource, run) => before.versions.at(resource, run),
  }
}

/** A history of which the first run stored this. */
async function openWith(version: NewVersion) {
  const history = openSqliteHistory(newFile(), new Machines().process(1))
  const first = await history.begin(aStart())
  await walkAll(first)
  await first.stage(payments, [version])
  await commit(first)
  return history
}

it.each([
  { normaliser: normaliserVersion, drift: ['modified'], isReformed: false },
  { normaliser: normaliserVersion - 1, drift: [], isReformed: true },
])(
  'a body of normal form $normaliser is rewritten in the current form, with drift $drift',
  async ({ normaliser, drift, isReformed }) => {
    const history = await openWith(aVersion('a', { name: 'A' }, { normaliser }))
    const draft = await history.begin(aStart(at(2)))
    const scan = await scanOf(draft, masking)
    const resource = {
      kind: 'endpoint',
      uid: 'a',
      name: 'a',
      attributes: { name: 'a' },
      volatile: {},
      facts: {},
    } as const
    const compared = compareResources(scan, 'endpoint', 'endpoints', [resource])
    expect(compared.resources.flatMap(({ change }) => change?.change ?? [])).toEqual(drift)
    expect(compared.isReformed).toBe(isReformed)
    await draft.stage(payments, compared.versions)
    await walkAll(draft)
    await commit(draft)
    const next = await history.begin(aStart(at(3)))
    expect(await next.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: 2 }])).toMatchObject([
      { attributes: { name: 'a' }, normaliser: normaliserVersion, fromRun: 2 },
    ])
    await next.abandon(at(4))
  },
)

it('a change is reported as drift once a run has stored the resource in the current normal form', async () => {
  const history = await openWith(aVersion('a', { name: 'A' }, { normaliser: normaliserVersion - 1 }))
  const scanNamed = async (name: string, hour: number) => {
    const draft = await history.begin(aStart(at(hour), { normaliser: normaliserVersion }))
    const scan = await scanOf(draft, masking)
    const resource = { kind: 'endpoint', uid: 'a', name, attributes: { name }, volatile: {}, facts: {} } as const
    const { resources, versions, isReformed } = compareResources(scan, 'endpoint', 'endpoints', [resource])
    await draft.stage(payments, versions)
    await walkAll(draft)
    await commit(draft)
    return { drift: resources.flatMap(({ change }) => change?.fields.map(({ path }) => path) ?? []), isReformed }
  }
  expect(await scanNamed('A', 2)).toEqual({ drift: [], isReformed: false })
  expect(await scanNamed('B', 3)).toEqual({ drift: ['/name'], isReformed: false })
})

it('what changes by itself leaves a body that stored it, and its deletion is a change', () => {
  const device = (deleted_at: string | null) => ({ host_name: 'laptop.local', deleted_at })
  expect(reseal('device', { status: 'online', ...device(null) }, sealer)).toEqual(device(null))
  const time = '2026-11-01T10:00:00Z'
  expect(diffAttributes('device', device(null), device(time), { sealsComparable: true })).toEqual([
    { path: '/deleted_at', before: null, after: time },
  ])
})

it('a partly masked text is compared by its visible rest', () => {
  const before = { function: "const a = 'sealed:masked'" }
  const after = (text: string) => ({ function: text })
  const paths = (text: string) =>
    diffAttributes('subscription', before, after(text), { sealsComparable: true }).map(({ path }) => path)
  expect(paths(`const a = 'sealed:${'0'.repeat(32)}'`)).toEqual([])
  expect(paths(`const b = 'sealed:${'0'.repeat(32)}'`)).toEqual(['/function'])
  expect(paths("const a = ''")).toEqual(['/function'])
})

describe('a text that an earlier version stored in clear', () => {
  const word = '9f8e7d6c5b4a39281706f5e4'
  const then = { function: `// was ${word}`, name: `orders ${word}` }
  const seen = reseal('subscription', { name: then.name }, sealer)

  it('is sealed when it is carried over from a scan that does not show it again', async () => {
    const old = aVersion('s', then, { kind: 'subscription', normaliser: normaliserVersion - 1 })
    const history = await openWith(old)
    const draft = await history.begin(aStart(at(2)))
    const scan = await scanOf(draft, sealer)
    const resource = { kind: 'subscription', uid: 's', name: '', attributes: seen, volatile: {}, facts: {} } as const
    const { resources } = compareResources(scan, 'subscription', 'subscriptions', [resource])
    expect(JSON.stringify(resources[0]?.resource.attributes)).not.toContain(word)
    expect(resources[0]?.resource.attributes.function).toMatch(/^\/\/ sealed:/)
    await draft.abandon(at(3))
  })

  it('causes no difference to a baseline that was approved then', async () => {
    const history = openSqliteHistory(newFile(), new Machines().process(1))
    const draft = await history.begin(aStart())
    const scan = await scanOf(draft, sealer)
    const approved = { kind: 'subscription', uid: 's', name: '', attributes: then, sealKeyId: sealer.keyId } as const
    const expected = stateOf({ subscription: { listing: 'subscriptions', filter: null } }, [approved])
    const comparison = compareWithApproved(scan, expected, new Map(), (kind, attributes) =>
      reseal(kind, attributes, sealer),
    )
    const drifts = (attributes: JsonObject) => {
      const resource = { kind: 'subscription', uid: 's', name: '', attributes, volatile: {}, facts: {} } as const
      const staged = {
        resource,
        since: 1,
        version: 1,
        isInHistory: false,
        previous: undefined,
        base: undefined,
        change: undefined,
        ignoredCounts: new Map(),
      }
      const { compared } = comparison.compare('subscriptions', [staged])
      return compared.flatMap(({ drift }) => drift.fields.map(({ path }) => path))
    }
    expect(drifts(reseal('subscription', then, sealer))).toEqual([])
    expect(drifts({ ...seen, function: '// was' })).toEqual(['/function'])
    await draft.abandon(at(1))
  })
})
