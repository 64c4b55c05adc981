import fc from 'fast-check'
import type { Draft } from '../../src/history/history.ts'
import { readCompleteScans } from '../../src/history/sql/scans.ts'
import type { NewViolation } from '../../src/history/staged.ts'
import type { Kind, ProjectRef } from '../../src/model/resource.ts'
import { activeIn, knownIn, markIn } from './known-in.ts'
import { aChange, aCoverage, aVersion, aViolation, endedAs, instead, orders, payments } from './samples.ts'

export const projects = [payments, orders]
export const uids = ['a', 'b', 'c', 'd']
const kinds: Kind[] = ['endpoint', 'subscription']

// What a run may do, each with a project and a resource.
const act = fc.record({
  what: fc.constantFrom('stage', 'end', 'change', 'find', 'confirm', 'resolve', 'doubt', 'mark', 'discard'),
  project: fc.constantFrom(...projects),
  kind: fc.constantFrom(...kinds),
  uid: fc.constantFrom(...uids),
  source: fc.constantFrom(...uids),
})
const walk = fc.record({
  project: fc.constantFrom(...projects),
  listing: fc.constantFrom('endpoints' as const, 'sources' as const, 'subscriptions' as const),
  status: fc.constantFrom('complete' as const, 'complete' as const, 'partial' as const, 'skipped' as const),
})
export const aRun = fc.record({
  walks: fc.uniqueArray(walk, { maxLength: 6, selector: ({ project, listing }) => `${project.uid} ${listing}` }),
  acts: fc.array(act, { maxLength: 12 }),
  end: fc.constantFrom('commit', 'commit', 'commit', 'abandon', 'kill'),
})
export type Run = typeof aRun extends fc.Arbitrary<infer Value> ? Value : never

/**
 * Does what is asked where it makes sense: each version and violation is replaced or ended once, and what ends has a
 * complete walk that says so.
 */
export async function perform(draft: Draft, { walks, acts }: Run): Promise<void> {
  for (const { project, listing, status } of walks) {
    await draft.stageScan(project)
    await draft.stageWalk(project, aCoverage(listing, status), [status])
  }
  const walkWhole = async (project: ProjectRef, kind: Kind) => {
    const listing = kind === 'endpoint' ? 'endpoints' : 'subscriptions'
    await draft.stageScan(project)
    await draft.stageWalk(project, aCoverage(listing, 'complete'), undefined)
  }
  const done = new Set<string>()
  for (const { what, project, kind, uid, source } of acts) {
    const once = (subject: string) => {
      const name = `${subject} ${project.uid} ${kind} ${uid}`
      return !done.has(name) && done.add(name)
    }
    const known = (await knownIn(draft, project, kind, [uid])).get(uid)
    const active = (await activeIn(draft, project, kind, [uid]))[0]
    const stage = (violation: NewViolation) =>
      draft.stageViolations(project, { confirmed: [], violations: [violation] })
    if (what === 'stage' && once('version')) {
      const version = aVersion(uid, { source_uid: source }, { kind, replaces: known?.id })
      await draft.stage(project, [version])
    }
    if (what === 'end' && known !== undefined && once('version')) {
      await walkWhole(project, kind)
      await draft.endVersions(project, [known.id])
    }
    if (what === 'change' && once('change')) {
      const fields = ['/name', '/url'].map((path) => ({ path, before: source, after: uid }))
      await draft.stageChanges(project, [aChange(uid, { kind, change: 'modified', fields, referrers: [source] })])
    }
    if (what === 'find' && once('violation')) {
      const message = `uses ${source}`
      await stage(active === undefined ? aViolation(uid, { kind, message }, project) : instead(active, { message }))
    }
    if (what === 'doubt' && active !== undefined && once('violation')) {
      await stage(instead(active, { state: 'unknown', lastRun: await draft.lastScannedRun(project) }))
    }
    if (what === 'confirm' && active !== undefined) {
      await draft.stageViolations(project, { confirmed: [active.id], violations: [] })
    }
    if (what === 'resolve' && active !== undefined && once('violation')) {
      await walkWhole(project, kind)
      await draft.endViolations(project, endedAs([active.id]))
    }
    if (what === 'mark') await markIn(draft, project, 'source', [uid, source])
    if (what === 'discard') {
      await draft.discard(project)
      for (const name of done) if (name.includes(` ${project.uid} `)) done.delete(name)
    }
  }
}

const withoutId = <Value extends { id: number }>({ id: _, ...value }: Value) => value
const sorted = <Value extends { uid: string }>(values: readonly Value[]) =>
  values.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))

/** Everything that a draft can be asked, about some runs before it; ids are each backend's own. */
export async function stateOf(draft: Draft, asked = runsBefore(draft)): Promise<unknown> {
  const state: unknown[] = [draft.run, draft.interrupted]
  for (const project of projects) {
    state.push(await readCompleteScans(draft.past, project, draft.run - 1), await draft.lastScannedRun(project))
    state.push(
      (await draft.historyOf(project, undefined)).shapes.endpoints,
      sorted(await draft.unconfirmedViolations(project)).map(withoutId),
    )
    for (const kind of kinds) {
      const known = await knownIn(draft, project, kind, uids)
      state.push(sorted([...known.values()]).map(withoutId))
      state.push(sorted(await activeIn(draft, project, kind, uids)).map(withoutId))
      const points = uids.flatMap((uid) => asked.map((run) => ({ kind, uid, run })))
      state.push(await draft.versionsAt(project, points))
    }
  }
  return state
}

function runsBefore(draft: Draft) {
  return Array.from({ length: draft.run - 1 }, (_, index) => index + 1)
}
