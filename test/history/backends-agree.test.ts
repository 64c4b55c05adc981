import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { Draft, History, NewViolation, RunRecord } from '../../src/history/history.ts'
import { emptyMemory, openMemoryHistory } from '../../src/history/memory-history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Kind } from '../../src/model/resource.ts'
import { aDatabasePath, faultsOf } from './a-database.ts'
import { answersOf } from './answers-of.ts'
import { Machines, type Process } from './processes.ts'
import { aChange, aCoverage, aStart, at, aVersion, aViolation, instead, orders, payments, seal } from './samples.ts'

const projects = [payments, orders]
const uids = ['a', 'b', 'c', 'd']
const kinds: Kind[] = ['endpoint', 'subscription']

// What a run may do, each with a project and a resource.
const act = fc.record({
  what: fc.constantFrom('stage', 'see', 'end', 'change', 'judge', 'confirm', 'resolve', 'doubt', 'mark', 'discard'),
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
const aRun = fc.record({
  walks: fc.uniqueArray(walk, { maxLength: 6, selector: ({ project, listing }) => `${project.uid} ${listing}` }),
  acts: fc.array(act, { maxLength: 12 }),
  end: fc.constantFrom('seal', 'seal', 'seal', 'abandon', 'kill'),
})
type Run = typeof aRun extends fc.Arbitrary<infer Value> ? Value : never

/** Does what is asked where it makes sense: each version and violation is replaced or ended once. */
async function perform(draft: Draft, { walks, acts }: Run): Promise<void> {
  for (const { project, listing, status } of walks) await draft.stageWalk(project, aCoverage(listing, status), [status])
  const done = new Set<string>()
  for (const { what, project, kind, uid, source } of acts) {
    const once = (subject: string) => {
      const name = `${subject} ${project.uid} ${kind} ${uid}`
      return !done.has(name) && done.add(name)
    }
    const known = (await draft.known(project, kind, [uid])).get(uid)
    const standing = (await draft.standing(project, kind, [uid]))[0]
    const judge = (violation: NewViolation) =>
      draft.stageViolations(project, { confirmed: [], violations: [violation] })
    if (what === 'stage' && once('version')) {
      const version = aVersion(uid, { source_uid: source }, { kind, replaces: known?.id })
      await draft.stage(project, { seen: [], versions: [version] })
    }
    if (what === 'see' && known !== undefined) await draft.stage(project, { seen: [known.id], versions: [] })
    if (what === 'end' && known !== undefined && once('version')) await draft.endVersions([known.id])
    if (what === 'change' && once('change'))
      await draft.stageChanges(project, [aChange(uid, { kind, referrers: [source] })])
    if (what === 'judge' && once('violation')) {
      const message = `uses ${source}`
      await judge(standing === undefined ? aViolation(uid, { kind, message }, project) : instead(standing, { message }))
    }
    if (what === 'doubt' && standing !== undefined && once('violation')) {
      await judge(instead(standing, { state: 'unknown', lastRun: await draft.lastLook(project) }))
    }
    if (what === 'confirm' && standing !== undefined) {
      await draft.stageViolations(project, { confirmed: [standing.id], violations: [] })
    }
    if (what === 'resolve' && standing !== undefined && once('violation')) await draft.endViolations([standing.id])
    if (what === 'mark') await draft.markUnreferenced(project, 'source', [uid, source])
    if (what === 'discard') {
      await draft.discard(project)
      for (const name of done) if (name.includes(` ${project.uid} `)) done.delete(name)
    }
  }
}

const withoutId = <Value extends { id: number }>({ id: _, ...value }: Value) => value
/** Links are made of SQLite's rows. */
const withoutChain = (record: RunRecord | undefined) => record && { ...record, chain: null }
const sorted = <Value extends { uid: string }>(values: readonly Value[]) =>
  values.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))

/** Everything that a draft can be asked; ids are each backend's own. */
async function stateOf(draft: Draft): Promise<unknown> {
  const state: unknown[] = [draft.run, draft.interrupted]
  for (const project of projects) {
    state.push(await draft.baselines(project), await draft.lastLook(project), await draft.referrers(project, uids))
    state.push(await draft.lastShape(project, 'endpoints'), sorted(await draft.unconfirmed(project)).map(withoutId))
    for (const kind of kinds) {
      const known = await draft.known(project, kind, uids)
      const bodies = await draft.bodies([...known.values()].map(({ id }) => id))
      state.push(sorted([...known.values()]).map((version) => [withoutId(version), bodies.get(version.id)]))
      state.push(sorted(await draft.unseen(project, kind)).map(withoutId))
      state.push(sorted(await draft.standing(project, kind, uids)).map(withoutId))
      for (const uid of uids) {
        for (let run = 1; run < draft.run; run += 1) state.push(await draft.versionAt(project, kind, uid, run))
      }
    }
  }
  return state
}

/** Plays runs, and tells all that could be seen before, during and after each. */
async function play(open: (process: Process) => History, runs: readonly Run[]): Promise<unknown[]> {
  const machines = new Machines()
  const seen: unknown[] = []
  for (const [index, run] of runs.entries()) {
    const process = machines.process(index + 1)
    const history = open(process)
    const draft = await history.begin(aStart(at(index + 1)))
    seen.push(await stateOf(draft))
    await perform(draft, run)
    seen.push(await stateOf(draft))
    if (run.end === 'seal') seen.push(withoutChain(await seal(draft)))
    // Asking for marks sets them, so only a run that leaves nothing may ask.
    else for (const project of projects) seen.push(await draft.markUnreferenced(project, 'source', uids))
    if (run.end === 'abandon') await draft.abandon(at(index + 1.5))
    process.kill()
    machines.pass(60)
    for (let number = 1; number <= draft.run; number += 1) seen.push(withoutChain(await history.readRun(number)))
    seen.push(await answersOf(history, uids.slice(0, 2)))
    await history.close()
  }
  return seen
}

let remove = () => {}
afterEach(() => remove())

it('SQLite and memory show the same, whatever runs do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRun, { minLength: 1, maxLength: 6 }), async (runs) => {
      const path = aDatabasePath()
      remove = path.remove
      const fromSqlite = await play((process) => openSqliteHistory(path.file, process), runs)
      expect(faultsOf(path.file)).toEqual([])
      expect(fromSqlite).toEqual(await playInMemory(runs))
      path.remove()
    }),
    { numRuns: 60, seed: 4711 },
  )
})

async function playInMemory(runs: readonly Run[]): Promise<unknown[]> {
  const memory = emptyMemory()
  return play((process) => openMemoryHistory(process, memory), runs)
}
