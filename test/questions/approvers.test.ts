import { copyFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { amendedApprovalsOf, approvalsOf, compareApprovals } from '../../src/audit/approve-run.ts'
import { changeData, changeEndpoint, createEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { createRandom } from '../../src/demo/random.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { activeApprovals } from '../../src/history/approvals.ts'
import type { OpenHistory } from '../../src/history/history.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { findCommittedRun } from '../../src/history/sql/runs.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { formats } from '../../src/report/formats.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { refusal } from '../cli/refusal.ts'
import { command } from '../cli/run-in-process.ts'
import { openSiteOver } from '../pages/story-site.ts'
import { openHistoryFixture } from './history-fixture.ts'

const policy = policyOf(`
extends: []
rules:
  drift/rate-limit-lost: {}
  drift/unexpected: {}
  drift/url-host-changed: {}
`)
const clean = { clean: true, incomingEvery: 0, endpointsPerProject: 4 }

/** A fleet whose history is asked and written by commands. None of them has a terminal. */
async function openStory() {
  const story = await openHistoryFixture({ fleet: { ...clean, projects: 1 } })
  const { fixture } = story
  const project = fixture.uidOf('payments')
  changeData(fixture.fleet, project, (data) => ({ ...data, subscriptions: [] }))
  const audit = () => fixture.audit({ policy })
  const approve = (by: string, note: string, ...args: string[]) =>
    story.ask(['baseline', 'approve', '--by', by, '--note', note, ...args])
  await audit()
  await approve('founder', 'as set up')
  return { ...story, project, audit, approve }
}

/** Who is named in the endings of a report: `rule uid: by, run, note`. */
function namedIn({ violations }: Report) {
  return violations
    .flatMap(({ rule, uid, ended_by: by }) =>
      by?.kind === 'baseline' ? [`${rule} ${uid}: ${by.by}, ${by.run}, ${by.reason}`] : [],
    )
    .sort()
}

const moved = 'https://elsewhere.example.com/in'
const readable = (page: string) => page.replace(/<(style|script)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ')

/** Rows of `baseline show --all`, the newest first: who, and in which state that approval is. */
async function shown(story: Pick<Awaited<ReturnType<typeof openStory>>, 'rows'>) {
  const { rows } = await story.rows('baseline show --all')
  return rows.map((row) => `${row.approved_by} ${row.state}`)
}

describe('an ending', () => {
  it('names who approved the resource, and not who approved another one after that', async () => {
    await using story = await openStory()
    const { fixture, approve, audit, ask, rows } = story
    const seen = fixture.set({ url: moved })
    await audit()
    const renamed = fixture.set({ name: 'renamed' }, 1)
    await audit()
    expect((await approve('user-a', 'reviewed by user-a', '--run', '2', '--yes')).code).toBe(0)
    expect((await approve('user-b', 'rename only', '--uid', renamed)).code).toBe(0)
    const report = await audit()
    expect(namedIn(report)).toEqual(
      [
        `drift/unexpected ${renamed}: user-b, 3, rename only`,
        `drift/url-host-changed ${seen}: user-a, 2, reviewed by user-a`,
      ].sort(),
    )

    const ofSeen = /approved with the baseline of run 2 by user-a on \S+ \S+ UTC: reviewed by user-a/i
    const listed = (await ask('violations --resolved', { columns: 400 })).stdout
    expect(listed).toMatch(ofSeen)
    expect(listed.match(/rename only/g)).toHaveLength(1)
    for (const args of [[], ['--run', '4'], ['--from', '90d']]) {
      const { controls } = await rows(['report', '--framework', 'soc2', ...args])
      const exempt = controls.flatMap(({ exemptions }) => exemptions)
      expect(
        [...new Set(exempt.map(({ resource, ...one }) => `${resource.uid} ${one.by} ${one.run} ${one.reason}`))].sort(),
      ).toEqual([`${seen} user-a 2 reviewed by user-a`, `${renamed} user-b 3 rename only`].sort())
    }
  })

  it('names one person by the note of each approval', async () => {
    await using story = await openStory()
    const { fixture, approve, audit } = story
    for (const index of [0, 1]) fixture.set({ url: moved }, index)
    await audit()
    await approve('lee', 'ok', '--yes')
    const later = fixture.set({ url: moved }, 2)
    await audit()
    await approve('lee', 'looks fine', '--yes')
    const report = await audit()
    // The first two had ended with the run before.
    expect(namedIn(report)).toEqual([`drift/url-host-changed ${later}: lee, 3, looks fine`])
    await using together = await openStory()
    for (const index of [0, 1]) together.fixture.set({ url: moved }, index)
    await together.audit()
    together.fixture.set({ url: moved }, 2)
    await together.audit()
    await together.approve('lee', 'ok', '--run', '2', '--yes')
    await together.approve('lee', 'looks fine', '--yes')
    const text = (await formats.text.load())(await together.audit(), { colour: false, width: 400, full: true })
    expect(text).toMatch(/Ended: 3 \(1 approved .* of run 3 by lee: looks fine, 2 approved .* of run 2 by lee: ok\)/)
  })

  it('names the first who approved a state: approving it again confirms it', async () => {
    await using story = await openStory()
    const { fixture, approve, audit, ask } = story
    const uid = fixture.set({ url: moved })
    await audit()
    await approve('user-a', 'reviewed', '--yes')
    const again = await approve('user-b', 'me too')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(
      /^Confirmed: the state is as founder, user-a approved it, last on \S+ \S+ UTC: acme\/payments\.\n$/,
    )
    const single = JSON.parse((await approve('user-c', 'this one', '--uid', uid, '--format', 'json')).stdout)
    expect(single).toMatchObject({
      ends: [],
      rows: [{ supersedes: [], confirms: [{ by: 'user-a', note: 'reviewed', run: 2 }] }],
    })
    expect(await shown(story)).toEqual([
      'user-c confirmation',
      'user-b confirmation',
      'user-a active',
      'founder superseded',
    ])
    expect(namedIn(await audit())).toEqual([`drift/url-host-changed ${uid}: user-a, 2, reviewed`])
    const site = await openSiteOver(story)
    const page = readable(await (await site.get('/baselines')).text())
    expect(page).toMatch(/user-b\s+confirmation\s+me too/)
    expect((await ask("query 'SELECT approved_by FROM baseline WHERE is_active = 1'")).stdout).toContain('user-a')
    // A confirmation is not what is revoked.
    await ask('baseline revoke --by lead')
    expect(await shown(story)).toEqual([
      'user-c confirmation',
      'user-b confirmation',
      'user-a revoked',
      'founder superseded',
    ])
  })

  it('names of a later run that was approved as a whole who approved each resource', async () => {
    await using story = await openStory()
    const { fixture, approve, audit } = story
    const first = fixture.set({ url: moved })
    await audit()
    const second = fixture.set({ url: moved }, 1)
    await audit()
    await approve('user-a', 'the first', '--run', '2', '--yes')
    const { stdout } = await approve('user-b', 'both', '--yes')
    // What the first approval ends is not ended by the second.
    expect(stdout).toContain('This ends 1 violation with the next run: 1 high')
    expect(stdout).toMatch(
      /^This supersedes what was approved with the baseline of run 1 by founder on \S+ \S+ UTC: as set up\n/,
    )
    expect(namedIn(await audit())).toEqual(
      [
        `drift/url-host-changed ${first}: user-a, 2, the first`,
        `drift/url-host-changed ${second}: user-b, 3, both`,
      ].sort(),
    )
  })

  it('names who approved a removal, and who approved an addition', async () => {
    await using story = await openStory()
    const { fixture, approve, audit, project } = story
    const gone = fixture.endpointAt(3)
    deleteEndpoint(fixture.fleet, gone)
    await audit()
    const came = createEndpoint(fixture.fleet, project, { name: 'new', url: 'https://new.example.com' })
    await audit()
    await approve('user-a', 'it may go', '--run', '2')
    await approve('user-b', 'it is ours', '--uid', came)
    expect(namedIn(await audit())).toEqual(
      [`drift/unexpected ${gone.uid}: user-a, 2, it may go`, `drift/unexpected ${came}: user-b, 3, it is ours`].sort(),
    )
  })

  it('names who approved anew after a revocation, of all resources', async () => {
    await using story = await openStory()
    const { fixture, approve, audit, ask } = story
    const uid = fixture.set({ url: moved })
    await audit()
    await approve('user-a', 'before', '--yes')
    await ask('baseline revoke --by lead')
    const { stdout } = await approve('user-b', 'anew', '--yes')
    expect(stdout).not.toContain('supersedes')
    expect(namedIn(await audit())).toEqual([`drift/url-host-changed ${uid}: user-b, 2, anew`])
  })

  it('names who imported the state of a resource, where the files have another one', async () => {
    await using story = await openStory()
    const { fixture, approve, audit, ask, rows } = story
    const first = fixture.set({ url: moved })
    await audit()
    await approve('user-a', 'the first', '--yes')
    const second = fixture.set({ url: moved }, 1)
    const third = fixture.set({ http_timeout: 44 }, 2)
    await audit()
    // The files have the last state.
    await exportLast()
    const imported = await ask('baseline import states --by user-b --note files --yes')
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    expect(imported.stdout).toMatch(
      /This supersedes what was approved with the baseline of run 1 by founder on \S+ \S+ UTC: as set up\n/,
    )
    const again = await ask('baseline import states --by user-c --format json')
    const [{ confirms }] = JSON.parse(again.stdout).rows
    expect(confirms.map(({ by, run }: { by: string; run: number | null }) => `${by} ${run}`)).toEqual([
      'founder 1',
      'user-a 2',
      'user-b null',
    ])
    expect(namedIn(await audit())).toEqual(
      [
        `drift/unexpected ${third}: user-b, null, files`,
        `drift/url-host-changed ${second}: user-b, null, files`,
      ].sort(),
    )
    const { rows: all } = await rows('violations --resolved')
    expect(all.find(({ uid }) => uid === first).ended_by).toMatchObject({ by: 'user-a', run: 2 })

    /** Approves the last run for as long as the export takes, in a history that is thrown away. */
    async function exportLast() {
      copyFileSync(fixture.harness.file, `${fixture.harness.file}.copy`)
      const inCopy = (...args: string[]) =>
        command([...args, '--history', `${fixture.harness.file}.copy`], { cwd: fixture.harness.directory })
      await inCopy('baseline', 'approve', '--note', 'to export', '--yes')
      expect((await inCopy('baseline', 'export', 'states')).code).toBe(0)
    }
  })

  it('stays as it is once it is written, also when others approve after it', async () => {
    await using story = await openStory()
    const { fixture, approve, audit } = story
    const uid = fixture.set({ url: moved })
    await audit()
    await approve('user-a', 'reviewed', '--yes')
    await audit()
    const ended = () =>
      fixture.query('SELECT id, resolution, ended_by FROM violation WHERE ended_by IS NOT NULL ORDER BY id')
    const before = ended()
    expect(before).toHaveLength(1)
    await approve('user-b', 'again')
    await approve('user-b', 'older', '--run', '1')
    await approve('user-b', 'newer', '--uid', uid)
    await audit()
    expect(ended()).toEqual(before)
  })
})

describe('an approval without a terminal', () => {
  it('needs --yes to end something high: as a whole, of one resource, from files', async () => {
    await using story = await openStory()
    const { fixture, audit, ask } = story
    const uid = fixture.set({ url: moved })
    await audit()
    const count = () => fixture.query<{ n: number }>('SELECT count(*) AS n FROM approval')[0]?.n
    copyFileSync(fixture.harness.file, `${fixture.harness.file}.copy`)
    const copied = ['--history', `${fixture.harness.file}.copy`]
    const inCopy = (...args: string[]) => command([...args, ...copied], { cwd: fixture.harness.directory })
    await inCopy('baseline', 'approve', '--note', 'to export', '--yes')
    await inCopy('baseline', 'export', 'states')
    for (const args of [['approve'], ['approve', '--uid', uid], ['import', 'states']]) {
      const refused = await ask(['baseline', ...args, '--by', 'lee', '--note', 'looks fine'])
      expect([refused.code, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toMatch(
        /^hookdrift: nothing was approved: it ends violations \(1 high\), and there is no terminal to ask on\n/,
      )
      expect(refused.stderr).toContain('This supersedes what was approved with the baseline of run 1 by founder')
      expect(refused.stderr).toContain('This ends 1 violation with the next run: 1 high')
      expect(refused.stderr).toContain('add --yes')
      expect(count()).toBe(1)
    }
    expect(await ask('baseline approve --by lee')).toEqual(refusal('say why with --note TEXT, and add --yes'))
    expect(count()).toBe(1)
    expect((await ask("baseline approve --by lee --note 'looks fine' --yes")).code).toBe(0)
    expect(count()).toBe(2)
  })

  it('goes on where nothing grave ends', async () => {
    await using story = await openStory()
    story.fixture.set({ http_timeout: 44 })
    await story.audit()
    const { code, stdout } = await story.approve('lee', '')
    expect([code, stdout]).toEqual([0, expect.stringContaining('This ends 1 violation with the next run: 1 medium')])
  })
})

it('an approval that was compared with one that is superseded by now is refused', async () => {
  await using story = await openStory()
  const { fixture, audit } = story
  fixture.set({ url: moved })
  await audit()
  await fixture.harness.withHistory(async (history) => {
    const approval = (by: string) => prepare(history, 2, { by, at: '2026-11-28T00:00:00.000Z', note: by })
    const [first, second] = [await approval('user-a'), await approval('user-b')]
    await history.approve(first)
    await expect(history.approve(second)).rejects.toMatchObject({ exitCode: 2 })
    expect((await listApprovals(history)).map(({ by }) => by)).toEqual(['founder', 'user-a'])
  })
})

const seal = `sealed:${'a'.repeat(32)}`
const plain = { url: 'https://example.com/in', http_timeout: 15 }
const comparisons: Readonly<Record<string, readonly [before: JsonObject, after: JsonObject, key: string, is: string]>> =
  {
    'the same attributes': [plain, plain, 'key-1', 'confirmed'],
    'nothing, written in another way': [{ ...plain, headers: null }, { ...plain, headers: {} }, 'key-1', 'confirmed'],
    'another value': [plain, { ...plain, http_timeout: 16 }, 'key-1', 'approved'],
    'a field that was not shown before': [plain, { ...plain, rate_limit: 9 }, 'key-1', 'approved'],
    'a field that is no longer shown': [{ ...plain, rate_limit: 9 }, plain, 'key-1', 'approved'],
    'another key, and no seals': [plain, plain, 'key-2', 'confirmed'],
    'another key, and seals': [{ ...plain, secrets: [seal] }, { ...plain, secrets: [seal] }, 'key-2', 'approved'],
  }

it.each(Object.entries(comparisons))('an approval of %s', async (_, [before, after, sealKeyId, is]) => {
  await using fixture = await openFleetFixture({ fleet: { ...clean, projects: 1 } })
  await fixture.harness.withHistory(async (history) => {
    const state = (attributes: JsonObject, sealKeyId: string) => ({
      project: { name: 'acme/payments', service: 'https://example.com', uid: 'p' },
      scopes: { endpoint: { listing: 'endpoints', filter: null } } as const,
      ...{ by: 'ann', at: '2026-11-28T00:00:00.000Z', note: '' },
      state: { resources: [{ kind: 'endpoint', uid: 'e', name: 'e', attributes, sealKeyId } as const] },
    })
    await history.approve(await compareApprovals(history, [state(before, 'key-1')]))
    const same = state(after, sealKeyId)
    const [compared] = await compareApprovals(history, [same])
    const approves = is === 'approved' ? [{ kind: 'endpoint', uid: 'e' }] : []
    expect([compared?.approves, compared?.confirms]).toEqual([approves, is === 'approved' ? undefined : 1])
    // A state that is about more is in force, although no resource changed.
    const scopes = { source: { listing: 'sources', filter: null }, endpoint: same.scopes.endpoint } as const
    const [wider] = await compareApprovals(history, [Object.assign(same, { scopes })])
    expect([wider?.approves, wider?.confirms]).toEqual([approves, undefined])
  })
})

async function prepare(history: OpenHistory, number: number, signed: Parameters<typeof approvalsOf>[3]) {
  const run = await findCommittedRun(history, number)
  if (run === undefined) throw new Error(`there is no run ${number}`)
  return approvalsOf(history, run, () => true, signed)
}

/** A project, as the model knows it: what each run left, and who last changed what is approved. */
interface ModelledProject {
  readonly name: string
  readonly uid: string
  readonly runs: Map<number, ReadonlyMap<string, string>>
  approved: Map<string, string> | undefined
  /** By uid; `*`: of those that did not change since the whole was approved. */
  approvers: Map<string, string>
}

function approveInModel(project: ModelledProject, run: number, uids: readonly string[] | 'all', signer: string) {
  const state = project.runs.get(run) ?? new Map<string, string>()
  if (project.approved === undefined) {
    project.approved = new Map(state)
    project.approvers = new Map([['*', signer]])
    return
  }
  const about = uids === 'all' ? new Set([...project.approved.keys(), ...state.keys()]) : uids
  for (const uid of about) {
    const now = state.get(uid)
    if (project.approved.get(uid) === now) continue
    project.approvers.set(uid, signer)
    if (now === undefined) project.approved.delete(uid)
    else project.approved.set(uid, now)
  }
}

const sequences = Array.from({ length: 20 }, (_, index) => `approvers ${index}`)

it.each(sequences)('names in %s those whom a map of resources and approvers names', async (seed) => {
  const random = createRandom(seed)
  await using fixture = await openFleetFixture({ fleet: { ...clean, projects: 2 } })
  const { fleet, harness } = fixture
  const projects = fleet.projects().map(({ name, uid }): ModelledProject => {
    changeData(fleet, uid, (data) => ({ ...data, subscriptions: [] }))
    return { name: `acme/${name}`, uid, runs: new Map(), approved: undefined, approvers: new Map() }
  })
  const rowsOf = ({ uid }: ModelledProject) => fleet.open(uid).endpoints
  const stateOf = ({ url, http_timeout }: EndpointRow) => `${url} ${http_timeout}`
  let run = 0
  let notes = 0
  let compared = 0
  const ended = new Map<number, unknown>()

  const edit = () => {
    const { uid: project } = random.pick([at(projects, 0), at(projects, 1)])
    const { endpoints } = fleet.open(project)
    const row = at(endpoints, random.below(endpoints.length))
    const place = { project, uid: row.uid }
    const url = `https://${random.pick(['a', 'b', 'c'])}.example.com/in`
    if (random.chance(0.1) && endpoints.length > 2) deleteEndpoint(fleet, place)
    else if (random.chance(0.1)) createEndpoint(fleet, project, { name: `new ${random.hex(6)}`, url })
    else if (random.chance(0.6)) changeEndpoint(fleet, place, (one) => ({ ...one, url }))
    else changeEndpoint(fleet, place, (one) => ({ ...one, http_timeout: 20 + random.below(3) }))
  }
  const audit = async () => {
    harness.advance(60_000)
    const report = await fixture.audit({ policy, acceptsRemovals: true })
    run = report.run.number
    for (const project of projects) {
      project.runs.set(run, new Map(rowsOf(project).map((row) => [row.uid, stateOf(row)])))
    }
    for (const { project: name, kind, uid, rule, resolution, ended_by: by } of report.violations) {
      const runs = projects.find((one) => one.name === name)?.runs
      // What is as it was when it was found is not fixed.
      if (resolution === 'fixed' && kind === 'endpoint') {
        expect([rule, uid, runs?.get(run)?.get(uid)]).not.toEqual([rule, uid, runs?.get(run - 1)?.get(uid)])
      }
      if (by?.kind !== 'baseline' || by.reason === 'the baseline was revoked') continue
      const { approvers } = projects.find((one) => one.name === name) ?? { approvers: new Map() }
      const expected = (kind === 'endpoint' ? approvers.get(uid) : undefined) ?? approvers.get('*')
      expect(`${rule} ${uid}: ${by.reason} by ${by.by}`).toBe(`${rule} ${uid}: ${expected}`)
      compared += 1
    }
    const rows = fixture.query<{ id: number; ended_by: string }>(
      'SELECT id, ended_by FROM violation WHERE ended_by IS NOT NULL',
    )
    for (const { id, ended_by } of rows) {
      expect(ended.get(id) ?? ended_by).toBe(ended_by)
      ended.set(id, ended_by)
    }
  }
  const approve = async () => {
    harness.advance(60_000)
    notes += 1
    const by = random.pick(['ann', 'bob', 'cai'])
    const signed = { by, at: new Date(harness.clock.now()).toISOString(), note: `note ${notes}` }
    const number = random.chance(0.75) ? run : 1 + random.below(run)
    const chosen = projects.filter(() => random.chance(0.7))
    await harness.withHistory(async (history) => {
      const committed = await findCommittedRun(history, number)
      if (committed === undefined || chosen.length === 0) return
      const amended = chosen.find(({ approved }) => approved !== undefined)
      if (amended !== undefined && random.chance(0.5)) {
        const known = [...new Set([...(amended.runs.get(number)?.keys() ?? []), ...(amended.approved?.keys() ?? [])])]
        const uids = random.shuffled(known).slice(0, 1 + random.below(2))
        const isChosen = (name: string) => name === amended.name
        await history.approve(await amendedApprovalsOf(history, committed, { uids, isChosen }, signed))
        approveInModel(amended, number, uids, `${signed.note} by ${by}`)
        return
      }
      const isChosen = (name: string) => chosen.some((one) => one.name === name)
      await history.approve(await approvalsOf(history, committed, isChosen, signed))
      for (const project of chosen) approveInModel(project, number, 'all', `${signed.note} by ${by}`)
    })
  }
  const revoke = async () => {
    harness.advance(60_000)
    const project = random.pick([at(projects, 0), at(projects, 1)])
    await harness.withHistory(async (history) => {
      const active = activeApprovals(await listApprovals(history)).filter((one) => one.project.name === project.name)
      const by = { by: 'lead', at: new Date(harness.clock.now()).toISOString() }
      if (active.length > 0)
        await history.revoke(
          active.map(({ id }) => id),
          by,
        )
    })
    project.approved = undefined
  }

  await audit()
  await approve()
  for (let round = 0; round < 12; round++) {
    for (let edits = random.below(4); edits > 0; edits--) edit()
    await audit()
    for (let approvals = random.below(4); approvals > 0; approvals--) await (random.chance(0.08) ? revoke() : approve())
  }
  await audit()
  expect(compared).toBeGreaterThan(0)
})
