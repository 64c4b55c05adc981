import { afterEach, beforeEach, expect } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import type { NameKind, ResourceName } from '../../src/history/sql/read-names.ts'
import { readCompleteScans } from '../../src/history/sql/scans.ts'
import type { HistoryDatabase } from '../../src/history/sql/session.ts'
import type { HistorySize, HistoryUpkeep } from '../../src/history/upkeep.ts'
import type { Kind, ProjectRef } from '../../src/model/resource.ts'
import { activeIn, idOf, knownIn, markIn } from './known-in.ts'
import { Machines, type Process } from './processes.ts'
import { aChange, aCoverage, aNotice, aStart, at, aVersion, commit, payments, walkAll } from './samples.ts'
import { ending, opening, turning } from './violation-steps.ts'

/** One history, wherever it lies, that several processes open. */
export interface Place {
  open(process: Process): Promise<History>
  /** What names it on the command line. */
  address(): Promise<string>
  upkeep(process: Process): Promise<HistoryUpkeep>
  size(): Promise<HistorySize>
  /** Takes a step of the schema that follows those of this program. Its text names the schema, as statements do. */
  upgrade(sql: string): Promise<void>
  /** What a shell completes. */
  namesOf(what: NameKind, prefix: string): Promise<readonly ResourceName[]>
  /** Reads and alters rows, as another program does. */
  inDatabase<Result>(work: (db: HistoryDatabase) => Promise<Result>): Promise<Result>
  /** Another history like this one. */
  copy(): Promise<Place>
  /** Seconds after which a silent owner of the lease counts as dead. */
  readonly expiryS: number
  /** Says what is inconsistent in it, and removes it. */
  dispose(): Promise<string[]>
}

/** `isEmpty`: a place where no history was made yet. */
export type MakePlace = (options?: { readonly isEmpty?: boolean }) => Place

/** A history of its own for each test of the describe block around it, and what tests do with it. */
export function openContractFixture(makePlace: () => Place) {
  const fixture = {} as { place: Place; machines: Machines; owner: Process; history: History; hour: number }

  beforeEach(async () => {
    fixture.hour = 0
    fixture.place = makePlace()
    fixture.machines = new Machines()
    fixture.owner = fixture.machines.process(100)
    fixture.history = await fixture.place.open(fixture.owner)
  })

  afterEach(async () => {
    await fixture.history.close()
    expect(await fixture.place.dispose()).toEqual([])
  })

  /** Begins the next run, at the hour of its number. */
  function begin() {
    fixture.hour += 1
    return fixture.history.begin(aStart(at(fixture.hour)))
  }

  /** A whole run: walks the project, does what is asked, seals. */
  async function run(work: (draft: Draft) => Promise<unknown> = async () => {}, projects = [payments]) {
    const draft = await begin()
    for (const project of projects) await walkAll(draft, project)
    await work(draft)
    return commit(draft)
  }

  /** Everything that can be asked about the state of a project. */
  async function stateOf(draft: Draft, project: ProjectRef = payments) {
    const uids = ['a', 'b', 'c', 's']
    const kinds: Kind[] = ['endpoint', 'subscription', 'source']
    const each = async <Key extends string, Value>(keys: readonly Key[], ask: (key: Key) => Promise<Value>) =>
      Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await ask(key)] as const)))
    return {
      baselines: await readCompleteScans(draft.past, project, draft.run - 1),
      lastScan: await draft.lastScannedRun(project),
      history: await draft.historyOf(project, at(0)),
      known: await each(kinds, (kind) => knownIn(draft, project, kind, uids)),
      current: await draft.current(project),
      active: await each(kinds, (kind) => activeIn(draft, project, kind, uids)),
      unconfirmed: await draft.unconfirmedViolations(project),
      newlyMarked: await markIn(draft, project, 'source', []),
    }
  }

  /** Something of everything that a draft can do, on top of `aFirstRun`. */
  async function doEverything(draft: Draft) {
    await walkAll(draft)
    await draft.stageScan(payments)
    await draft.stageWalk(payments, aCoverage('sources'), ['/name'])
    await draft.stage(payments, [aVersion('a', { url: 'new' }, { replaces: await idOf(draft, 'a') }), aVersion('c')])
    await draft.endVersions(payments, [await idOf(draft, 'b')])
    await draft.stageChanges(payments, [aChange('c'), aChange('b', { change: 'removed' })])
    await markIn(draft, payments, 'source', ['s'])
    const reworded = turning('a', { message: 'other words' })
    for (const step of [reworded, opening('c'), ending('b')]) await step(draft)
    await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
  }

  function aFirstRun() {
    return run(async (draft) => {
      const subscription = aVersion('u', { source_uid: 's' }, { kind: 'subscription' })
      await draft.stage(payments, [aVersion('a'), aVersion('b'), subscription])
      await opening('a', 'b')(draft)
    })
  }

  return Object.assign(fixture, { begin, run, stateOf, doEverything, aFirstRun })
}
