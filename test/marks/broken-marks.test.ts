import Database from 'better-sqlite3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { changeData, changeEndpoint, deleteSubscription } from '../../src/demo/edits.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { dayMs, hourMs } from '../../src/model/clock.ts'
import type { Json } from '../../src/model/json.ts'
import { type AuditTurn, policyOf } from '../audit/audit-harness.ts'
import { openTwins, type TwinRun } from './twin-histories.ts'

// Modules are replaced: that takes a process of its own, which the slow tests have.

/** The part of the decision that a test leaves out. */
const broken = vi.hoisted(() => ({ part: '' }))

/** Members of the terms of a run, and of a project, by the names that tests give them. */
const runTerms = ['tool', 'normal form', 'seal key', 'policy', 'configuration', 'probes', 'waivers in force']
const projectTerms = ['run', 'labels', 'approval', 'acceptances', 'filters']

vi.mock('../../src/marks/open-marks.ts', async (original) => {
  const own = await original<typeof import('../../src/marks/open-marks.ts')>()
  const without = (terms: readonly Json[], names: readonly string[]): Json[] =>
    terms.map((term, at) => (names[at] === broken.part ? null : term))
  const listOf = (terms: Json): readonly Json[] => (Array.isArray(terms) ? terms : [terms])
  const openMarks: typeof own.openMarks = (draft, project, { key, terms }) => {
    const [run = null, ...rest] = listOf(terms)
    const left = without([without(listOf(run), runTerms), ...rest], projectTerms)
    const isAnyRun = broken.part === 'the last run'
    const reader = isAnyRun
      ? {
          run: 0,
          lastScannedRun: async () => 0,
          marks: draft.marks.bind(draft),
          markedPage: draft.markedPage.bind(draft),
        }
      : draft
    return own.openMarks(reader, project, { key, terms: left })
  }
  return { ...own, openMarks }
})

vi.mock('../../src/marks/open-recogniser.ts', async (original) => {
  const own = await original<typeof import('../../src/marks/open-recogniser.ts')>()
  const openRecogniser: typeof own.openRecogniser = (recognition) =>
    own.openRecogniser({
      ...recognition,
      ...(broken.part === 'time' && { isDue: () => false }),
      ...(broken.part === 'what must be read' && { mustRead: () => false }),
      ...(broken.part === 'what is embedded' && { hasShown: () => true }),
    })
  return { ...own, openRecogniser }
})

afterEach(() => {
  broken.part = ''
})

/** A service whose first endpoint is inactive, and histories with marks and without. */
async function openFixture(options: FleetOptions = {}) {
  const fleet = generateFleet({ clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 4, ...options })
  const service = await startSimulatedService(fleet)
  const [project] = fleet.projects()
  if (project === undefined) throw new Error('a fleet without projects')
  const twins = openTwins({ projects: { [project.name]: project.uid }, key: fleet.personalKey })
  const first = () => fleet.open(project.uid).endpoints[0] ?? expect.unreachable()
  return {
    ...{ fleet, service, twins, project },
    uid: first().uid,
    edit: (change: Partial<EndpointRow>) =>
      changeEndpoint(fleet, { project: project.uid, uid: first().uid }, (row) => ({ ...row, ...change })),
    audit: (turn: Omit<AuditTurn, 'url'> = {}): Promise<TwinRun> => twins.audit({ url: service.url, ...turn }),
    async [Symbol.asyncDispose]() {
      await service.close()
      twins[Symbol.dispose]()
    },
  }
}

type Fixture = Awaited<ReturnType<typeof openFixture>>

interface Story {
  readonly part: string
  readonly fleet?: FleetOptions
  /** Returns the run that a decision without the part gets wrong. */
  run(fixture: Fixture): Promise<TwinRun>
}

const inactive = policyOf('extends: []\nrules: { endpoint/inactive: {} }')

const stories: readonly Story[] = [
  {
    part: 'policy',
    async run({ edit, audit }) {
      edit({ status: 'inactive' })
      await audit({ policy: inactive })
      return audit({ policy: policyOf('extends: []\nrules: { endpoint/inactive: { severity: low } }') })
    },
  },
  {
    part: 'labels',
    async run({ edit, audit }) {
      edit({ status: 'inactive' })
      const policy = policyOf(
        'extends: []\nrules: { endpoint/inactive: {} }\noverrides: [{ match: { labels: { env: test } }, rules: { endpoint/inactive: off } }]',
      )
      await audit({ policy, labels: { env: 'prod' } })
      return audit({ policy, labels: { env: 'test' } })
    },
  },
  {
    part: 'waivers in force',
    async run({ edit, audit, twins }) {
      edit({ status: 'inactive' })
      const policy = policyOf(
        'extends: []\nrules: { endpoint/inactive: {} }\nwaivers: [{ rule: endpoint/inactive, match: { kind: endpoint }, owner: o, reason: r, expires: 2026-11-23 }]',
      )
      await audit({ policy })
      twins.advance(5 * dayMs)
      return audit({ policy })
    },
  },
  {
    part: 'approval',
    async run({ edit, audit, twins }) {
      const policy = policyOf('extends: []\nrules: { drift/unexpected: {} }')
      await audit({ policy })
      edit({ description: 'another' })
      await audit({ policy })
      await audit({ policy })
      for (const { file, owner } of twins.both) {
        const history = openSqliteHistory(file, owner)
        const [run] = await history.runs()
        const signature = { by: 'ops', at: '2026-11-21T04:00:00.000Z', note: '' }
        if (run !== undefined) await history.approve(await approvalsOf(history, run, () => true, signature))
        await history.close()
      }
      return audit({ policy })
    },
  },
  {
    part: 'acceptances',
    async run({ edit, audit, twins, project }) {
      edit({ status: 'inactive' })
      const { report } = await audit({ policy: inactive })
      const [violation] = report.violations
      const signed = { reason: 'r', by: 'o', at: '2026-11-21T04:00:00.000Z', valueDigest: null }
      const inBoth = async (write: (history: History) => Promise<void>) => {
        for (const { file, owner } of twins.both) {
          const history = openSqliteHistory(file, owner)
          await write(history)
          await history.close()
        }
      }
      const { fingerprint = '', rule = '', uid = '', path = '' } = violation ?? {}
      const ref = { name: `acme/${project.name}`, service: 'acme', uid: project.uid }
      await inBoth((history) =>
        history.accept([{ project: ref, fingerprint, rule, kind: 'endpoint', uid, path, ...signed }]),
      )
      // What is accepted is read in every run; what no longer is must be read once more.
      await audit({ policy: inactive })
      await inBoth((history) => history.revokeAcceptances([1], { by: 'o', at: '2026-11-21T05:00:00.000Z' }))
      return audit({ policy: inactive })
    },
  },
  {
    part: 'filters',
    async run({ audit, fleet, project }) {
      const policy = policyOf('extends: []\nrules: { endpoint/orphan: {} }')
      for (const { uid } of fleet.open(project.uid).subscriptions) {
        deleteSubscription(fleet, { project: project.uid, uid })
      }
      await audit({ policy })
      // It hides nothing, but what is missing is not known to be gone.
      return audit({ policy, filters: { subscriptions: { name: '-' } } })
    },
  },
  {
    part: 'the last run',
    async run({ edit, audit, twins, fleet, project }) {
      await audit()
      const asItWas = fleet.open(project.uid)
      const [marked] = twins.both
      const kept = marksOf(marked.file)
      edit({ description: 'another' })
      await audit({ usesMarks: false })
      // As a hookdrift that knew no marks would have left them.
      putMarks(marked.file, kept)
      changeData(fleet, project.uid, () => asItWas)
      return audit()
    },
  },
  {
    part: 'time',
    async run({ edit, audit, twins }) {
      edit({ status: 'paused' })
      const policy = policyOf('extends: []\nrules: { endpoint/paused-long: { max_hours: 3 } }')
      await audit({ policy })
      twins.advance(5 * hourMs)
      return audit({ policy })
    },
  },
  {
    part: 'what must be read',
    async run({ edit, audit }) {
      const policy = policyOf('extends: []\nrules: { drift/url-host-changed: {} }')
      await audit({ policy })
      edit({ url: 'https://elsewhere.example.com/in' })
      await audit({ policy })
      return audit({ policy })
    },
  },
  {
    part: 'what is embedded',
    fleet: { incomingEvery: 1, sourcesPerProject: 1, subscriptionsPerProject: 3 },
    async run({ audit, fleet, project, service }) {
      service.behaviour.offers = { ...service.behaviour.offers, sources: false }
      await audit({ pageSize: 1 })
      // The item that showed the source is gone; another one shows it still.
      const [newest] = fleet.open(project.uid).subscriptions.toSorted((a, b) => (a.uid < b.uid ? 1 : -1))
      deleteSubscription(fleet, { project: project.uid, uid: newest?.uid ?? '' })
      return audit({ pageSize: 1, acceptsRemovals: true })
    },
  },
]

interface MarkRows {
  readonly scans: readonly Record<string, unknown>[]
  readonly pages: readonly Record<string, unknown>[]
}

function marksOf(file: string): MarkRows {
  const db = new Database(file, { readonly: true })
  const rows = (table: string) => db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all()
  const marks = { scans: rows('mark_scan'), pages: rows('mark_page') }
  db.close()
  return marks
}

function putMarks(file: string, { scans, pages }: MarkRows): void {
  const db = new Database(file)
  for (const row of scans) db.prepare('INSERT INTO mark_scan VALUES (@project_id, @seal)').run(row)
  for (const row of pages)
    db.prepare('INSERT INTO mark_page VALUES (@project_id, @listing, @page, @run, @digest, @body)').run(row)
  db.close()
}

describe('marks end, and a comparison notices when they do not, with', () => {
  it.each(stories)('$part', async ({ part, fleet, run }) => {
    {
      await using fixture = await openFixture(fleet)
      expect((await run(fixture)).differences).toEqual([])
    }
    broken.part = part
    const isWrong = async () => {
      await using fixture = await openFixture(fleet)
      return (await run(fixture)).differences.length > 0
    }
    // Some of what is wrong is noticed by the history itself.
    expect(await isWrong().catch(() => true)).toBe(true)
  })
})

describe('a rule of the policy file that computes with the time', () => {
  it('is evaluated in every run', async () => {
    await using fixture = await openFixture()
    const rule = { id: 'acme/young', kind: 'endpoint', severity: 'medium', message: 'old', title: 'old' }
    const created = Date.parse(fixture.fleet.open(fixture.project.uid).endpoints[0]?.created_at ?? '')
    const now = Date.parse('2026-11-21T03:00:00Z')
    const days = Math.ceil((now - created) / dayMs) + 3
    const assert = `age(resource.created_at) < days(${days})`
    const policy = policyOf(JSON.stringify({ extends: [], rules: {}, custom: [{ ...rule, assert }] }))
    await fixture.audit({ policy })
    const quiet = await fixture.audit({ policy })
    expect(quiet.report.violations.some(({ uid }) => uid === fixture.uid)).toBe(false)
    fixture.twins.advance(5 * dayMs)
    const { differences, report } = await fixture.audit({ policy })
    expect(differences).toEqual([])
    expect(report.violations.some(({ uid }) => uid === fixture.uid)).toBe(true)
  })
})

describe('an item is read again once under', () => {
  const turns: Readonly<Record<string, Omit<AuditTurn, 'url'>>> = {
    'another policy': { policy: inactive },
    'another tool': { toolVersion: '0.0.1' },
    'another configuration': { configurationDigest: 'another' },
    'other labels': { labels: { env: 'prod' } },
    'another seal key': { installationKey: 2 },
    'other filters': { filters: { endpoints: { name: '-' } } },
    'probes that do not run': { runsProbes: false },
  }
  it.each(Object.entries(turns))('%s', async (_, turn) => {
    await using fixture = await openFixture()
    expect((await fixture.audit()).recognised).toBe(0)
    expect((await fixture.audit()).recognised).toBeGreaterThan(0)
    expect((await fixture.audit(turn)).recognised).toBe(0)
    expect((await fixture.audit(turn)).recognised).toBeGreaterThan(0)
  })

  it('marks that someone altered', async () => {
    await using fixture = await openFixture()
    await fixture.audit()
    const [marked] = fixture.twins.both
    const { scans, pages } = marksOf(marked.file)
    const db = new Database(marked.file)
    for (const { listing, body } of pages) {
      const altered = Buffer.from(body as Buffer)
      altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
      db.prepare('UPDATE mark_page SET body = ? WHERE listing = ?').run(altered, listing)
    }
    db.close()
    expect(scans).toHaveLength(1)
    const { recognised, differences } = await fixture.audit()
    expect([recognised, differences]).toEqual([0, []])
  })
})
