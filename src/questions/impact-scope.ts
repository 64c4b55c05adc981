import { chosenBy, matchesProject } from '../config/choose-projects.ts'
import { deliveryFields, mayStopDeliveries } from '../gateway/deliveries.ts'
import { findIdentities } from '../history/find-identities.ts'
import { findRun } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readChangeOfCause } from '../history/sql/causes.ts'
import { listResources } from '../history/sql/list-resources.ts'
import {
  type Identity,
  readChangesOf,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
} from '../history/sql/resource-life.ts'
import { type CommittedRun, countIncompleteWalks, listRuns } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { identifyViolations } from '../history/sql/violation-keys.ts'
import { AuditError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, projectKey } from '../model/resource.ts'
import { quote } from '../model/text/neutralise.ts'
import { isoTime, readPastTime } from '../model/time.ts'
import { attributesOf } from './field-gaps.ts'
import { versionIn } from './former-state.ts'
import {
  type DriftSpan,
  differsIn,
  driftOfChange,
  driftOfViolation,
  driftsOfResource,
  type ProjectRuns,
  type ResourceLife,
  type WindowEnd,
} from './impact-window.ts'
import { unknownResource } from './unknown-resource.ts'

export interface ImpactQuery {
  readonly target: string
  /** The run that the answer is as of. */
  readonly run: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  /** A run or a time, in place of what the history shows. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What is asked about: the target as people know it, and the endpoints that it concerned. */
export interface ImpactScope {
  readonly target: { readonly type: 'violation' | 'cause' | 'resource'; readonly id: string; readonly text: string }
  readonly concerned: readonly ConcernedEndpoint[]
}

/** An endpoint that a drift concerned, as the history knows it. */
export interface ConcernedEndpoint {
  readonly project: ProjectRef
  /** `source`: of one, no subscription is known in the window. */
  readonly kind: 'endpoint' | 'source'
  readonly uid: string
  readonly name: string
  readonly from: WindowEnd & { readonly isSeen: boolean }
  /** Without a run: the time of asking. */
  readonly to: WindowEnd
  /** Fields of the endpoint that are not put back: JSON Pointers. */
  readonly openPaths: readonly string[]
  /** What requests reach it that no event shows: why those that were lost left no trace. */
  readonly traceless: readonly string[]
  /** Its versions in the window, oldest first. */
  readonly during: readonly VersionSpan[]
  /** undefined where the last scan no longer found it, or none did. */
  readonly now: VersionSpan | undefined
  readonly isGone: boolean
  readonly subscriptions: readonly SubscriptionLife[]
}

/** A subscription that led to the endpoint at some time of the window, or does now. */
export interface SubscriptionLife {
  readonly uid: string
  /** As it led there before; undefined where it did not. */
  readonly former: JsonObject | undefined
  /** As it leads there now; undefined where it does not. */
  readonly present: JsonObject | undefined
  /** Whether what it delivers, or where, was other in the window than before. */
  readonly isChanged: boolean
}

/** A resource that changed, and how. */
interface Subject {
  readonly identity: Identity
  readonly drifts: readonly DriftSpan[]
}

const deliveringKinds: readonly Kind[] = ['endpoint', 'subscription', 'source', 'project']

/**
 * Which endpoints a target concerned, and when.
 * @throws AuditError.usage when the history has no such target, several, or one that delivers nothing
 */
export async function readImpactScope(reader: HistoryReader, query: ImpactQuery): Promise<ImpactScope> {
  const committed = await listRuns(reader)
  const times = new Map(committed.map((run) => [run.number, run]))
  const known = new Map<string, ProjectRuns>()
  const runsOf = async (project: ProjectRef): Promise<ProjectRuns> => {
    const key = projectKey(project)
    const incomplete = known.has(key) ? [] : await countIncompleteWalks(reader, [project], 1, query.run.number)
    const complete = new Set([...incomplete].flatMap(([run, walks]) => (walks === 0 ? [run] : [])))
    const runs = known.get(key) ?? { times, complete }
    known.set(key, runs)
    return runs
  }
  const { target, subjects } = await findSubjects(reader, query, runsOf)
  const ends = readEnds(query, committed)
  const found: ConcernedEndpoint[] = []
  for (const subject of subjects) {
    const window = windowOf(subject, ends, query, committed)
    found.push(...(await concernedBy(reader, subject, window, query.run.number)))
  }
  return { target, concerned: mergeAlike(found) }
}

type RunsOf = (project: ProjectRef) => Promise<ProjectRuns>

interface Meant {
  readonly target: ImpactScope['target']
  readonly subjects: readonly Subject[]
}

async function findSubjects(reader: HistoryReader, query: ImpactQuery, runsOf: RunsOf): Promise<Meant> {
  return (
    (await subjectsOfCause(reader, query, runsOf)) ??
    (await subjectOfViolation(reader, query, runsOf)) ??
    (await subjectNamed(reader, query, runsOf))
  )
}

async function subjectsOfCause(
  reader: HistoryReader,
  { target, run, projects }: ImpactQuery,
  runsOf: RunsOf,
): Promise<Meant | undefined> {
  const cause = await readChangeOfCause(reader, target, run.number)
  if (cause === undefined) return undefined
  const { kind, change, first_run } = cause
  refuseOthers(kind, `the cause ${target}`)
  const scans = await readLatestScans(reader, run.number)
  const subjects: Subject[] = []
  for (const hit of cause.resources.filter(({ project }) => matchesProject(project, projects))) {
    // Projects may have had one name, one after the other: only that of the resource has versions of it.
    for (const { project } of scans.filter((scan) => scan.project.name === hit.project)) {
      const identity = { project, kind, uid: hit.uid }
      const life = await readLife(reader, identity, run.number)
      const paths = change === 'removed' ? ('removed' as const) : hit.fields.map(({ path }) => path)
      if (life.versions.length > 0)
        subjects.push({ identity, drifts: [driftOfChange(life, first_run, paths, await runsOf(project))] })
    }
  }
  return { target: { type: 'cause', id: target, text: `the cause ${target}` }, subjects }
}

async function subjectOfViolation(
  reader: HistoryReader,
  { target, run }: ImpactQuery,
  runsOf: RunsOf,
): Promise<Meant | undefined> {
  if (!/^[0-9a-f]{6,32}$/.test(target)) return undefined
  const [violation, other] = await identifyViolations(reader, target, run.number, 2)
  // What is not one of them may begin the uid of a resource.
  if (violation === undefined || other !== undefined) return undefined
  const { project, kind, uid, fingerprint } = violation
  const identity = { project, kind, uid }
  const life = await readLife(reader, identity, run.number)
  const spans = life.violations.filter((span) => span.fingerprint === fingerprint)
  const text = `${spans.at(-1)?.rule ?? 'the violation'} of ${kind} ${quote(uid)}`
  refuseOthers(kind, text)
  const drift = driftOfViolation(life, spans, await runsOf(project))
  return {
    target: { type: 'violation', id: fingerprint, text },
    subjects: [{ identity, drifts: drift === undefined ? [] : [drift] }],
  }
}

/** @throws AuditError.usage when the history has no such resource, or several */
async function subjectNamed(
  reader: HistoryReader,
  { target, run, projects, kind }: ImpactQuery,
  runsOf: RunsOf,
): Promise<Meant> {
  const identities = await findIdentities(reader, target, { run: run.number, isChosen: chosenBy(projects, kind) })
  const [one, another] = identities
  if (one === undefined) throw await unknownResource(reader, target, { run: run.number })
  if (another !== undefined) {
    const names = identities.map(({ project, kind }) => `${project.name} ${kind}`).join(', ')
    throw AuditError.usage(`several resources have the uid ${one.uid}: ${names}`, {
      advice: 'choose with --project or --kind',
    })
  }
  const text = `${one.kind} ${quote(one.uid)}`
  refuseOthers(one.kind, text)
  const drifts = driftsOfResource(await readLife(reader, one, run.number), await runsOf(one.project))
  return { target: { type: 'resource', id: one.uid, text }, subjects: [{ identity: one, drifts }] }
}

function refuseOthers(kind: Kind, text: string): void {
  if (deliveringKinds.includes(kind)) return
  throw AuditError.usage(`no delivery depends on ${text}`, {
    advice: 'name an endpoint, a subscription, a source, a project, or a violation or a cause of one',
  })
}

async function readLife(reader: HistoryReader, identity: Identity, run: number): Promise<ResourceLife> {
  return {
    kind: identity.kind,
    versions: await readVersionsOf(reader, identity, run),
    violations: await readViolationsOf(reader, identity, run),
    changes: await readChangesOf(reader, identity, run),
  }
}

interface GivenEnds {
  readonly from: WindowEnd | undefined
  readonly to: WindowEnd | undefined
}

/** `--from` and `--to`: a run, or a time and the last run by then. */
function readEnds({ from, to, now }: ImpactQuery, committed: readonly CommittedRun[]): GivenEnds {
  const endOf = (text: string | undefined, side: 'start' | 'end'): WindowEnd | undefined => {
    if (text === undefined) return undefined
    const time = /^\d{1,15}$/.test(text) ? undefined : readPastTime(text, now)
    if (time === undefined) {
      const { number, started_at, finished_at } = findRun(committed, text, now)
      return { run: number, at: side === 'start' ? started_at : finished_at }
    }
    const at = Math.min(time[side], now)
    const run = committed.findLast(({ finished_at }) => Date.parse(finished_at) <= at)
    return { run: run?.number ?? null, at: isoTime(at) }
  }
  return { from: endOf(from, 'start'), to: endOf(to, 'end') }
}

interface ImpactWindow extends Pick<ConcernedEndpoint, 'from' | 'to'> {
  /** The first run, and the last one, that may show what was there in the window. */
  readonly firstRun: number
  readonly lastRun: number
}

/** From the first drift of a subject to the end of the last one. */
function windowOf(
  { identity, drifts }: Subject,
  given: GivenEnds,
  { now, run }: ImpactQuery,
  committed: readonly CommittedRun[],
): ImpactWindow {
  // The times of a pruned run may be lost.
  const [first] = drifts.flatMap(({ from }) => (from.at === '' ? [] : [from])).toSorted(compareTimes)
  const ends = drifts.flatMap(({ to }) => (to === undefined || to.at === '' ? [] : [to]))
  const last = ends.length < drifts.length ? undefined : ends.toSorted(compareTimes).at(-1)
  const from = given.from === undefined ? first : { ...given.from, isSeen: true }
  if (from === undefined) {
    throw AuditError.usage(`the history knows no change of the ${identity.kind} ${quote(identity.uid)}`, {
      advice: 'name the window: --from TIME, and --to TIME unless it goes on',
    })
  }
  const to = given.to ?? last ?? { run: null, at: isoTime(now) }
  if (Date.parse(from.at) >= Date.parse(to.at)) {
    throw AuditError.usage(`the window begins at ${from.at}, and ends at ${to.at}`, { advice: 'give --from and --to' })
  }
  const lastBy = (at: string) => committed.findLast(({ finished_at }) => finished_at <= at)?.number
  const firstRun = from.run ?? lastBy(from.at) ?? committed[0]?.number ?? 0
  return { from, to, firstRun, lastRun: to.run ?? lastBy(to.at) ?? run.number }
}

function compareTimes(a: WindowEnd, b: WindowEnd): number {
  return Date.parse(a.at) - Date.parse(b.at)
}

async function concernedBy(
  reader: HistoryReader,
  { identity, drifts }: Subject,
  window: ImpactWindow,
  run: number,
): Promise<readonly ConcernedEndpoint[]> {
  const { project, kind, uid } = identity
  const { from, to } = window
  const isRouting = kind === 'source' || kind === 'subscription'
  const traceless = [
    ...(kind === 'source' && drifts.some(losesAtTheDoor) ? [lostAtTheDoor] : []),
    ...(isRouting && !from.isSeen ? [neverSeen] : []),
  ]
  const uids = await endpointsOf(reader, identity, window, run)
  if (uids.length === 0 && kind === 'source') {
    const versions = await readVersionsOf(reader, identity, run)
    const name = versions.at(-1)?.name ?? ''
    const why = [...traceless, 'No subscription of this source is known in the window.']
    const nothing = { during: [], now: undefined, isGone: false, subscriptions: [] }
    return [{ project, kind, uid, name, from, to, openPaths: [], traceless: why, ...nothing }]
  }
  const found: ConcernedEndpoint[] = []
  for (const endpoint of uids) {
    const one = { project, kind: 'endpoint' as const, uid: endpoint }
    const versions = await readVersionsOf(reader, one, run)
    const last = versions.at(-1)
    const isGone = last !== undefined && last.toRun !== null
    const open = kind === 'endpoint' ? drifts.filter((drift) => drift.to === undefined) : []
    const violations = await readViolationsOf(reader, one, run)
    const reported = violations.filter(({ toRun, originRun }) => toRun === null && originRun !== undefined)
    found.push({
      ...one,
      name: last?.name ?? '',
      from,
      to,
      openPaths: [
        ...open.flatMap(({ paths }) => (paths === 'removed' ? [] : paths)),
        ...reported.map(({ path }) => path),
      ],
      traceless: isGone ? [...traceless, lostWithEndpoint] : traceless,
      during: versions.filter((version) => isWithin(version, window)),
      now: isGone ? undefined : last,
      isGone,
      subscriptions: await subscriptionsOf(reader, one, window, run),
    })
  }
  return found
}

const lostAtTheDoor =
  'Convoy refuses requests that the verifier of a source does not accept, and keeps none of them: what was lost there left no trace.'
const neverSeen = 'No run saw what it delivered before: which events it would have delivered is not known.'
const lostWithEndpoint = 'Convoy keeps no event that names a deleted endpoint: what was lost since then left no trace.'

/** Whether requests to a source may be refused, or not be found, before they are events. */
function losesAtTheDoor({ paths }: DriftSpan): boolean {
  return paths === 'removed' || paths.some((path) => mayStopDeliveries('source', path))
}

function isWithin({ fromRun, toRun }: VersionSpan, { firstRun, lastRun }: ImpactWindow): boolean {
  return fromRun <= lastRun && (toRun === null || toRun > firstRun)
}

/** Uids of the endpoints to which deliveries of a resource go, or went in the window. */
async function endpointsOf(
  reader: HistoryReader,
  identity: Identity,
  window: ImpactWindow,
  run: number,
): Promise<readonly string[]> {
  const { project, kind, uid } = identity
  if (kind === 'endpoint') return [uid]
  const pointsTo = async (subscription: string, isMeant: (attributes: JsonObject) => boolean = () => true) => {
    const versions = await readVersionsOf(reader, { project, kind: 'subscription', uid: subscription }, run)
    return versions
      .filter((version) => isWithin(version, window) || version.toRun === null)
      .map(attributesOf)
      .filter(isMeant)
      .flatMap(({ endpoint_uid: endpoint }) => (typeof endpoint === 'string' && endpoint !== '' ? [endpoint] : []))
  }
  if (kind === 'subscription') return [...new Set(await pointsTo(uid))]
  const found = new Set<string>()
  if (kind === 'source') {
    const referrers = new Set((await readReferrersOf(reader, identity, run)).map((referrer) => referrer.uid))
    for (const one of referrers) {
      for (const endpoint of await pointsTo(one, ({ source_uid: source }) => source === uid)) found.add(endpoint)
    }
    return [...found]
  }
  const choice = { projects: [project], kind: 'endpoint' as const, after: undefined, most: Number.MAX_SAFE_INTEGER }
  const before = await listResources(reader, { ...choice, run: window.firstRun, withRemoved: false })
  const by = await listResources(reader, { ...choice, run: window.lastRun, withRemoved: false })
  return [...new Set([...before, ...by].map((listed) => listed.uid))]
}

/** Subscriptions that led to an endpoint before, in the window or now, and what became of them. */
async function subscriptionsOf(
  reader: HistoryReader,
  endpoint: Identity,
  window: ImpactWindow,
  run: number,
): Promise<readonly SubscriptionLife[]> {
  const { project, uid } = endpoint
  const referrers = new Set((await readReferrersOf(reader, endpoint, run)).map((referrer) => referrer.uid))
  const lives: SubscriptionLife[] = []
  for (const referrer of referrers) {
    const versions = await readVersionsOf(reader, { project, kind: 'subscription', uid: referrer }, run)
    const leadsHere = (version: VersionSpan | undefined) => {
      const attributes = version && attributesOf(version)
      return attributes?.endpoint_uid === uid ? attributes : undefined
    }
    const former = versionIn(versions, window.firstRun)
    const before = leadsHere(former)
    const later = versions.filter((version) => version !== former && isWithin(version, window))
    const isRemoved = former?.toRun != null && former.toRun <= window.lastRun && later.length === 0
    const last = versions.at(-1)
    lives.push({
      uid: referrer,
      former: before,
      present: leadsHere(last?.toRun === null ? last : undefined),
      isChanged:
        before !== undefined &&
        former !== undefined &&
        (isRemoved || later.some((version) => differsIn('subscription', former, version, deliveryFields.subscription))),
    })
  }
  return lives
}

/** An endpoint that several resources concerned is one, from the first of their windows to the end of the last. */
function mergeAlike(found: readonly ConcernedEndpoint[]): readonly ConcernedEndpoint[] {
  const alike = Map.groupBy(found, ({ project, kind, uid }) => `${projectKey(project)} ${kind} ${uid}`)
  return [...alike.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => compareTimes(a.from, b.from))
    if (first === undefined) return []
    if (others.length === 0) return [first]
    const to =
      group
        .map((one) => one.to)
        .toSorted(compareTimes)
        .at(-1) ?? first.to
    const subscriptions = [
      ...Map.groupBy(
        group.flatMap((one) => one.subscriptions),
        ({ uid }) => uid,
      ).values(),
    ]
    return [
      {
        ...first,
        to,
        openPaths: group.flatMap((one) => one.openPaths),
        traceless: [...new Set(group.flatMap((one) => one.traceless))],
        during: [...new Map(group.flatMap((one) => one.during).map((one) => [one.fromRun, one])).values()],
        subscriptions: subscriptions.flatMap((lives) =>
          lives.slice(0, 1).map((life) => ({ ...life, isChanged: lives.some((one) => one.isChanged) })),
        ),
      },
    ]
  })
}
