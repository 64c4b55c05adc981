import type { ApprovedBody } from '../../history/approvals.ts'
import type { ScanDraft } from '../../history/history.ts'
import type { StagedChange } from '../../history/records.ts'
import { diffAttributes } from '../../inventory/diff-attributes.ts'
import { digestsOf, probeResource } from '../../inventory/probe-resource.ts'
import { reseal } from '../../inventory/reseal.ts'
import type { Sealer } from '../../inventory/sealer.ts'
import type { JsonObject } from '../../model/json.ts'
import { type ResourceKey, resourceKey } from '../../model/keys.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Resource } from '../../model/resource.ts'
import { functionPlaces, type Probe } from '../../policy/probe.ts'
import type { ProjectAccess, ServiceClient, UnknownOutcome } from '../../service/service-client.ts'
import type { ExpectedState } from '../expected-state.ts'
import type { ProjectOutcome } from '../project-outcome.ts'
import {
  type AuditedProject,
  areSourcesListed,
  isKindComplete,
  type ProjectScan,
  type Statuses,
} from '../project-scan.ts'
import { stageResources } from '../stage-resources.ts'
import { type FunctionResult, runTwice, tryFunction } from './run-function.ts'

/** What the policy's probes are run with. */
interface DueProbes {
  readonly client: ServiceClient
  readonly probes: readonly Probe[]
  readonly targets: readonly ProbeTarget[]
  readonly access: ProjectAccess
  /** The approved state that holds, if any. */
  readonly expected: ExpectedState | undefined
  /** What the walks proved. */
  readonly statuses: Statuses
  /** Resources that still exist and that no complete walk could show. */
  readonly unobserved: ReadonlySet<ResourceKey>
}

export interface ProbeOutcomes {
  /** What ran, as rules see it. */
  readonly resources: readonly Resource[]
  readonly changes: readonly StagedChange[]
  /** Probes that did not run, and what they are about: nothing can be said of them. */
  readonly untested: readonly ResourceKey[]
  /** What did not run, and why. */
  readonly notices: readonly ProjectNotice[]
}

/** After so many in a row that could not run, the service is not asked again: each may cost 15 seconds. */
const mostNotRunInARow = 3

/**
 * Runs the probes of a project, one after the other, and stages what came of them. One that cannot run leaves what is
 * known of it as it is; one that the policy no longer asks for, or whose function is gone, leaves the state.
 */
export async function runProbes(scan: ProjectScan, due: DueProbes): Promise<ProbeOutcomes> {
  const { draft, sealer, now: startedAt } = scan
  const known = await knownProbes(scan)
  const ended = findEnded(scan, due, known)
  const named = nameProbes(dropUnknownStubs(due, known), known, ended)
  const resources: Resource[] = []
  const changes: StagedChange[] = []
  const notRun: SkippedTarget[] = []
  let inARow = 0
  const approved = await due.expected?.bodies(named.map(({ outcomeUid: uid }) => ({ kind: 'probe', uid })))
  for (const [at, target] of named.entries()) {
    const result =
      inARow < mostNotRunInARow
        ? await run(target, { ...due, sealer, now: startedAt })
        : { ...tired, isDeterministic: false }
    if (result.ran.outcome === 'unknown') {
      inARow++
      notRun.push({ ...target, why: result.ran.message })
      continue
    }
    inARow = 0
    const now = resourceOf(target, result.ran, result.isDeterministic, sealer)
    await stageResources(scan, 'probe', 'sources', [now])
    changes.push(...driftOf(target.known, now, sealer.keyId))
    resources.push(withBefore(now, { approved: approved?.[at], last: target.known, sealer }))
  }
  const asked = new Set(named.map(({ outcomeUid }) => outcomeUid))
  await draft.endVersions(
    scan.project,
    [...ended].filter(({ uid }) => !asked.has(uid)).map(({ id }) => id),
  )
  const carried = known.filter((probe) => !ended.has(probe) && !asked.has(probe.uid))
  return {
    resources,
    changes,
    untested: [
      ...notRun.flatMap(({ outcomeUid, kind, uid }) => [
        resourceKey({ kind: 'probe', uid: outcomeUid }),
        resourceKey({ kind, uid }),
      ]),
      ...carried.flatMap((probe) => [resourceKey({ kind: 'probe', uid: probe.uid }), targetOf(probe)]),
    ],
    notices: describeSkippedProbes(notRun, carried),
  }
}

/** Nothing runs and nothing ends: what is known of the probes stays as it is, and nothing new is known. */
export function leaveOutProbes({ known }: ProjectScan, targets: readonly ProbeTarget[]): ProbeOutcomes {
  const carried = known.unseen('probe')
  const notice = { code: 'probes_disabled', listing: null, text: 'probes were disabled for this run' } as const
  const notices = targets.length + carried.length === 0 ? [] : [notice]
  return { resources: [], changes: [], untested: [], notices }
}

/** A probe that is about nothing anywhere tests nothing, as after a slip in its selector. */
export async function noteUnmatchedProbes(
  draft: ScanDraft,
  probes: readonly Probe[],
  outcomes: readonly ProjectOutcome[],
): Promise<void> {
  const idle = probes.filter(({ name }) => !outcomes.some(({ probed }) => probed.includes(name)))
  if (outcomes.length === 0 || idle.length === 0) return
  const text = `${namesOf(idle.map(({ name }) => name))} did not run: no function matches its selector`
  await draft.stageNotice(undefined, { code: 'probe_unmatched', listing: null, text })
}

/** A function that a probe is about. */
export interface ProbeTarget {
  readonly probe: Probe
  readonly kind: 'source' | 'subscription'
  readonly uid: string
  readonly name: string
  /** What to run; undefined where its text is not shown and the policy has none. */
  readonly text: string | undefined
}

/** One resource as it passed, and the item that it was made of; a stub's functions are not filled. */
interface PassedResource {
  readonly resource: Resource
  readonly item: JsonObject | undefined
}

/**
 * What the probes are about among the resources of a page; what has no function is none of it. The text is taken from the item as it came: what is kept of
 * a function has its secrets sealed and would not run.
 */
export function* findTargets(
  probes: readonly Probe[],
  { ref, labels }: Pick<AuditedProject, 'ref' | 'labels'>,
  passing: Iterable<PassedResource>,
): Generator<ProbeTarget> {
  for (const { resource, item } of passing) {
    for (const probe of probes) {
      if (!probe.matches(ref, labels, resource)) continue
      const { kind, attribute } = functionPlaces[probe.function]
      const { uid, name } = resource
      const text = textOf(item, attribute, probe.functionText)
      if (text !== null) yield { probe, kind, uid, name, text }
    }
  }
}

/** The last outcome of a probe, as the history holds it. */
interface KnownProbe {
  /** Of its version. */
  readonly id: number
  readonly uid: string
  readonly attributes: JsonObject
  /** Names the installation key that sealed its digests. */
  readonly sealKeyId: string
}

interface NamedTarget extends ProbeTarget {
  /** The uid of the probe's outcome. */
  readonly outcomeUid: string
  /** The last outcome of the same probe on the same target. */
  readonly known: KnownProbe | undefined
}

interface SkippedTarget extends NamedTarget {
  readonly why: string
}

const tired = {
  ran: { outcome: 'unknown', message: 'those before could not run, so it was not tried', requestId: null },
} as const

async function knownProbes({ draft, project, known }: ProjectScan): Promise<KnownProbe[]> {
  const versions = known.unseen('probe')
  const points = versions.map(({ uid }) => ({ kind: 'probe', uid, run: draft.run - 1 }) as const)
  const bodies = await draft.versionsAt(project, points)
  return versions.flatMap(({ id, uid }, at) => {
    const body = bodies[at]
    return body === undefined ? [] : [{ id, uid, attributes: body.attributes, sealKeyId: body.sealKeyId }]
  })
}

async function run(
  { probe, text, kind, uid, known }: NamedTarget,
  { client, access, now, sealer }: DueProbes & Pick<ProjectScan, 'sealer' | 'now'>,
): Promise<{ readonly ran: FunctionResult | UnknownOutcome; readonly isDeterministic: boolean }> {
  if (text === undefined) {
    const message = 'the service does not show the function, and the policy gives no `function_file`'
    return { ran: { outcome: 'unknown', message, requestId: null }, isDeterministic: false }
  }
  const trial = { client, access, functionText: text, probe, now }
  const digests = digestsOf({ functionText: text, payload: probe.payload }, sealer)
  const same = { ...digests, function: probe.function, type: probe.type, target_kind: kind, target_uid: uid }
  if (!isSameTrial(known, same, sealer.keyId)) return runTwice(trial)
  return { ran: await tryFunction(trial), isDeterministic: known.attributes.deterministic === true }
}

/** An earlier outcome: the last one, or the one that was approved. */
type Outcome = Pick<KnownProbe, 'attributes' | 'sealKeyId'>

/**
 * Whether a run with this function and payload is known. Digests under another installation key cannot be compared.
 * `attributes`: those of the run, its digests at least.
 */
function isSameTrial<Known extends Outcome>(
  known: Known | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): known is Known {
  return isSamePayload(known, attributes, sealKeyId) && known.attributes.function_digest === attributes.function_digest
}

/** What says of a probe that it is the same: a person who edits the policy makes no drift. */
const samePayload = ['payload_digest', 'type', 'function', 'target_kind', 'target_uid'] as const

function isSamePayload<Known extends Outcome>(
  known: Known | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): known is Known {
  return (
    known !== undefined &&
    known.sealKeyId === sealKeyId &&
    samePayload.every((key) => known.attributes[key] === attributes[key])
  )
}

/**
 * Outcomes that nothing asks for now: the policy dropped the probe, or its target is gone, has no function or does
 * not match. A target that this scan could not show is not one of them.
 */
function findEnded(
  scan: ProjectScan,
  { probes, targets, statuses, unobserved }: DueProbes,
  known: readonly KnownProbe[],
): ReadonlySet<KnownProbe> {
  if (known.length === 0) return new Set()
  const asked = new Set(probes.map(({ name }) => name))
  const matched = new Set(targets.map((target) => `${target.probe.name} ${resourceKey(target)}`))
  const unseen = new Set<ResourceKey>()
  for (const kind of ['source', 'subscription'] as const) {
    for (const { uid } of scan.known.unseen(kind)) {
      const key = resourceKey({ kind, uid })
      if (!isKindComplete(statuses, kind) || unobserved.has(key)) unseen.add(key)
    }
  }
  return new Set(
    known.filter((probe) => {
      const target = targetOf(probe)
      if (!asked.has(`${probe.attributes.probe}`)) return true
      return !matched.has(`${probe.attributes.probe} ${target}`) && !unseen.has(target)
    }),
  )
}

function targetOf({ attributes: { target_kind, target_uid } }: KnownProbe): ResourceKey {
  // What we wrote ourselves, of a target that was found.
  return resourceKey({ kind: target_kind as ProbeTarget['kind'], uid: `${target_uid}` })
}

/**
 * Gives each outcome its uid: the probe's name, or `name@TARGET` where several targets match. An outcome keeps
 * its name, so that a second match, or a partial scan, renames none; the name of one that ended is free again.
 */
function nameProbes(
  targets: readonly ProbeTarget[],
  known: readonly KnownProbe[],
  ended: ReadonlySet<KnownProbe>,
): NamedTarget[] {
  const current = known.filter((probe) => !ended.has(probe))
  const byTarget = new Map(current.map((probe) => [keyOf(probe.attributes), probe]))
  const taken = new Set(current.map(({ uid }) => uid))
  return [...Map.groupBy(targets, ({ probe }) => probe.name)].flatMap(([name, ofProbe]) =>
    ofProbe.map((target): NamedTarget => {
      const same = byTarget.get(`${name} ${resourceKey(target)}`)
      const own = ofProbe.length === 1 && !taken.has(name) ? name : `${name}@${target.uid}`
      return { ...target, outcomeUid: same?.uid ?? own, known: same }
    }),
  )
}

function keyOf({ probe, target_kind, target_uid }: JsonObject): string {
  return `${probe} ${target_kind} ${target_uid}`
}

/**
 * Where sources are listed but were not this time, they are known by stubs, which do not show whether they have a
 * function at all. Those that never were a probe's are left to the coverage.
 */
function dropUnknownStubs({ targets, statuses }: DueProbes, known: readonly KnownProbe[]): readonly ProbeTarget[] {
  if (!areSourcesListed(statuses)) return targets
  const familiar = new Set(known.map((probe) => `${probe.attributes.probe} ${targetOf(probe)}`))
  return targets.filter(
    ({ probe, kind, uid, text }) =>
      kind !== 'source' || text !== undefined || familiar.has(`${probe.name} ${resourceKey({ kind, uid })}`),
  )
}

function resourceOf(
  { probe, text, kind, uid, name, outcomeUid }: NamedTarget,
  ran: FunctionResult,
  isDeterministic: boolean,
  sealer: Sealer,
): Resource {
  return probeResource(
    {
      uid: outcomeUid,
      probe: probe.name,
      target: { kind, uid, name },
      function: probe.function,
      type: probe.type,
      functionText: text ?? '',
      payload: probe.payload,
      result: ran,
      isDeterministic,
    },
    sealer,
  )
}

/** How the functions of a fleet differ from the last run, on the same payload. */
function driftOf(known: KnownProbe | undefined, now: Resource, sealKeyId: string): StagedChange[] {
  if (!isSamePayload(known, now.attributes, sealKeyId)) return []
  const { kind, uid, name } = now
  const isCompared = known.attributes.deterministic === true && now.attributes.deterministic === true
  const compared = isCompared ? /^\/(outcome|output|error)(\/|$)/ : /^\/outcome$/
  const fields = diffAttributes('probe', known.attributes, now.attributes, { sealsComparable: true })
  const drifted = fields.filter(({ path }) => compared.test(path))
  return drifted.length === 0 ? [] : [{ kind, uid, name, change: 'modified', fields: drifted }]
}

interface PastRuns {
  readonly approved: ApprovedBody | undefined
  readonly last: KnownProbe | undefined
  readonly sealer: Sealer
}

/**
 * Rules that compare see what the same function gave for the same payload: when it was approved, or else, where nothing
 * is approved or another function was, at the last run.
 */
function withBefore(now: Resource, { approved, last, sealer }: PastRuns): Resource {
  const seen = (before: JsonObject, isApproved: boolean): Resource => ({
    ...now,
    volatile: { ...now.volatile, before: reseal('probe', before, sealer), is_approved: isApproved },
  })
  if (isSameTrial(approved, now.attributes, sealer.keyId)) return seen(approved.attributes, true)
  return isSameTrial(last, now.attributes, sealer.keyId) ? seen(last.attributes, false) : now
}

/** What a reader must know of the probes of a project that gave no result: one notice for each reason. */
function describeSkippedProbes(notRun: readonly SkippedTarget[], carried: readonly KnownProbe[]): ProjectNotice[] {
  const reasons = [
    ...notRun.map(({ outcomeUid, why }) => ({ uid: outcomeUid, why: `did not run: ${why}` })),
    ...carried.map(({ uid }) => ({ uid, why: 'did not run: the scan did not show its function' })),
  ]
  const byReason = Map.groupBy(reasons, ({ why }) => why)
  return [...byReason].map(([why, group]) => ({
    code: 'probe_not_run',
    listing: null,
    text: `${namesOf(group.map(({ uid }) => uid))} ${why}`,
  }))
}

const mostNames = 5

function namesOf(uids: readonly string[]): string {
  const shown = uids.slice(0, mostNames).join(', ')
  const left = uids.length - mostNames
  return `${uids.length === 1 ? 'the probe' : 'the probes'} ${shown}${left > 0 ? ` and ${left} more` : ''}`
}

/** null: there is no function. */
function textOf(item: JsonObject | undefined, attribute: string, otherwise: string | undefined) {
  const shown = item?.[attribute]
  if (shown === undefined) return otherwise
  return typeof shown === 'string' && shown.trim() !== '' ? shown : null
}
