import type { ScanDraft } from '../../history/history.ts'
import type { JsonObject } from '../../model/json.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import { type Resource, type ResourceKey, resourceKey } from '../../model/resource.ts'
import { functionFields, type Probe } from '../../policy/probe.ts'
import type { AuditedProject } from '../audited-project.ts'
import type { UnseenVersions } from '../find-removals.ts'
import type { AsLeft } from '../policy-endings.ts'
import { isWhole, type ProjectOutcome } from '../project-outcome.ts'
import { areSourcesListed, isKindComplete, type ProjectScan, type Statuses } from '../project-scan.ts'
import type {
  FunctionAccess,
  NamedTarget,
  ProbeTarget,
  ProbeVersion,
  SkippedTarget,
  TriedProbes,
} from './try-probes.ts'

/** What the policy's probes are run with. */
interface DueProbes extends FunctionAccess {
  readonly probes: readonly Probe[]
  readonly targets: readonly ProbeTarget[]
  /** What the walks proved. */
  readonly statuses: Statuses
  /** Resources that still exist and that no complete walk could show. */
  readonly unobserved: ReadonlySet<ResourceKey>
  /** Resources that this scan removed. */
  readonly removed: ReadonlySet<ResourceKey>
  readonly unseen: UnseenVersions
  readonly asLeft: AsLeft
}

export interface ProbeOutcomes extends Pick<TriedProbes, 'resources' | 'changes' | 'versions'> {
  /** Ids of the versions of probes that ended. */
  readonly ended: readonly number[]
  /** Probes that did not run, and what they are about: nothing can be said of them. */
  readonly untested: readonly ResourceKey[]
  /** Functions that a probe of the policy is about, and these probes, whether or not they ran. */
  readonly due: readonly ResourceKey[]
  /** Probes that ended although their functions are still there, and these functions: the policy no longer tests them. */
  readonly unprobed: readonly ResourceKey[]
  /** Probes that ended with what they were about. */
  readonly removed: readonly ResourceKey[]
  /** What did not run, and why. */
  readonly notices: readonly ProjectNotice[]
}

/**
 * Runs the probes of a project, one after the other. One that cannot run leaves what is known of it as it is; one that
 * the policy no longer asks for, or whose function is gone, leaves the state.
 */
export async function runProbes(scan: ProjectScan, due: DueProbes): Promise<ProbeOutcomes> {
  const known = readProbeVersions(scan)
  const ended = findEnded(due, known)
  const { unprobed, removed } = sortEnded(due, [...ended])
  const named = nameProbes(dropUnknownStubs(due, known), known, ended)
  const { resources, changes, versions, notRun } =
    named.length === 0 ? nothingTried : await (await import('./try-probes.ts')).tryProbes(scan, due, named)
  const dueUids = new Set(named.map(({ outcomeUid }) => outcomeUid))
  const carried = known.filter((probe) => !ended.has(probe) && !dueUids.has(probe.uid))
  return {
    resources,
    changes,
    versions,
    ended: [...ended].filter(({ uid }) => !dueUids.has(uid)).map(({ id }) => id),
    untested: [
      ...notRun.flatMap(({ outcomeUid, kind, uid }) => [
        resourceKey({ kind: 'probe', uid: outcomeUid }),
        resourceKey({ kind, uid }),
      ]),
      ...carried.flatMap((probe) => [resourceKey({ kind: 'probe', uid: probe.uid }), targetOf(probe)]),
    ],
    due: named.flatMap(({ outcomeUid, kind, uid }) => [
      resourceKey({ kind: 'probe', uid: outcomeUid }),
      resourceKey({ kind, uid }),
    ]),
    unprobed,
    removed,
    notices: describeSkippedProbes(notRun, carried),
  }
}

/** Nothing runs and nothing ends: the outcomes of the probes stay as they are, and none is added. */
export function leaveOutProbes({ before }: ProjectScan, targets: readonly ProbeTarget[]): ProbeOutcomes {
  const carried = before.versions.ofKind('probe')
  const notice = { code: 'probes_disabled', listing: null, text: 'probes were disabled for this run' } as const
  const notices = targets.length + carried.length === 0 ? [] : [notice]
  const untested = [...carried, ...targets].map(resourceKey)
  return { ...nothingTried, ended: [], untested, due: [], unprobed: [], removed: [], notices }
}

/** A probe that is about nothing anywhere tests nothing, as after a slip in its selector. */
export async function noteUnmatchedProbes(
  draft: ScanDraft,
  probes: readonly Probe[],
  outcomes: readonly ProjectOutcome[],
): Promise<void> {
  const idle = probes.filter(({ name }) => !outcomes.some(({ probed }) => probed.includes(name)))
  if (outcomes.length === 0 || idle.length === 0) return
  const kinds = idle.map((probe) => functionFields[probe.function].kind)
  const isAllSeen = outcomes.every((outcome) => kinds.every((kind) => isWhole(outcome, kind)))
  const theirs = idle.length === 1 ? 'its selector' : 'their selectors'
  const limits = isAllSeen ? '' : ' in what was scanned'
  const text = `${namesOf(idle.map(({ name }) => name))} did not run: no function matches ${theirs}${limits}`
  await draft.stageNotice(undefined, { code: 'probe_unmatched', listing: null, text })
}

/** One resource as it passed, and the item that it was made of; a stub's functions are not filled. */
interface PassedResource {
  readonly resource: Resource
  readonly item: JsonObject | undefined
}

/**
 * What the probes are about among the resources of a page; what has no function is none of it. The text is taken from
 * the item as it came: what is kept of a function has its secrets sealed and would not run.
 */
export function* findTargets(
  probes: readonly Probe[],
  { ref, labels }: Pick<AuditedProject, 'ref' | 'labels'>,
  passing: Iterable<PassedResource>,
): Generator<ProbeTarget> {
  for (const { resource, item } of passing) {
    for (const probe of probes) {
      if (!probe.matches(ref, labels, resource)) continue
      const { kind, attribute } = functionFields[probe.function]
      const { uid, name } = resource
      const text = textOf(item, attribute, probe.functionText)
      if (text !== null) yield { probe, kind, uid, name, text }
    }
  }
}

const nothingTried: TriedProbes = { resources: [], changes: [], versions: [], notRun: [] }

function readProbeVersions({ before: { versions } }: ProjectScan): ProbeVersion[] {
  return versions.ofKind('probe').flatMap((version) => {
    const body = versions.before(version)
    if (body === undefined) return []
    return [{ id: version.id, uid: version.uid, attributes: body.attributes, sealKeyId: body.sealKeyId }]
  })
}

/**
 * Outcomes that nothing asks for now: the policy dropped the probe, or its target is gone, has no function or does
 * not match. A target that this scan could not show is not one of them.
 */
function findEnded(
  { probes, targets, statuses, unobserved, unseen: unseenOf }: DueProbes,
  probeVersions: readonly ProbeVersion[],
): ReadonlySet<ProbeVersion> {
  if (probeVersions.length === 0) return new Set()
  const names = new Set(probes.map(({ name }) => name))
  const matched = new Set(targets.map((target) => `${target.probe.name} ${resourceKey(target)}`))
  const unseen = new Set<ResourceKey>()
  for (const kind of ['source', 'subscription'] as const) {
    for (const { uid } of unseenOf(kind)) {
      const key = resourceKey({ kind, uid })
      if (!isKindComplete(statuses, kind) || unobserved.has(key)) unseen.add(key)
    }
  }
  return new Set(
    probeVersions.filter((probe) => {
      const target = targetOf(probe)
      if (!names.has(`${probe.attributes.probe}`)) return true
      return !matched.has(`${probe.attributes.probe} ${target}`) && !unseen.has(target)
    }),
  )
}

/** Outcomes that ended: of functions that are still there, and of what this scan removed. */
function sortEnded(
  { removed: gone, asLeft }: Pick<DueProbes, 'removed' | 'asLeft'>,
  ended: readonly ProbeVersion[],
): Pick<ProbeOutcomes, 'unprobed' | 'removed'> {
  const unprobed: ResourceKey[] = []
  const removed: ResourceKey[] = []
  for (const probe of ended) {
    const own = resourceKey({ kind: 'probe', uid: probe.uid })
    const probed = functionFields[`${probe.attributes.function}` as Probe['function']]
    // What we wrote ourselves, of a target that was found.
    const { target_kind, target_uid } = probe.attributes
    const target = asLeft({ kind: target_kind as ProbeTarget['kind'], uid: `${target_uid}` })
    if (gone.has(targetOf(probe))) removed.push(own)
    else if (isCode(target?.attributes[probed.attribute])) unprobed.push(own, targetOf(probe))
  }
  return { unprobed, removed }
}

function targetOf({ attributes: { target_kind, target_uid } }: ProbeVersion): ResourceKey {
  // What we wrote ourselves, of a target that was found.
  return resourceKey({ kind: target_kind as ProbeTarget['kind'], uid: `${target_uid}` })
}

/**
 * Gives each outcome its uid: the probe's name, or `name@TARGET` where several targets match. An outcome keeps
 * its name, so that a second match, or a partial scan, renames none; the name of one that ended is free again.
 */
function nameProbes(
  targets: readonly ProbeTarget[],
  probeVersions: readonly ProbeVersion[],
  ended: ReadonlySet<ProbeVersion>,
): NamedTarget[] {
  const current = probeVersions.filter((probe) => !ended.has(probe))
  const byTarget = new Map(current.map((probe) => [keyOf(probe.attributes), probe]))
  const taken = new Set(current.map(({ uid }) => uid))
  return [...Map.groupBy(targets, ({ probe }) => probe.name)].flatMap(([name, ofProbe]) =>
    ofProbe.map((target): NamedTarget => {
      const same = byTarget.get(`${name} ${resourceKey(target)}`)
      const newUid = ofProbe.length === 1 && !taken.has(name) ? name : `${name}@${target.uid}`
      return { ...target, outcomeUid: same?.uid ?? newUid, lastOutcome: same }
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
function dropUnknownStubs(
  { targets, statuses }: DueProbes,
  probeVersions: readonly ProbeVersion[],
): readonly ProbeTarget[] {
  if (!areSourcesListed(statuses)) return targets
  const familiar = new Set(probeVersions.map((probe) => `${probe.attributes.probe} ${targetOf(probe)}`))
  return targets.filter(
    ({ probe, kind, uid, text }) =>
      kind !== 'source' || text !== undefined || familiar.has(`${probe.name} ${resourceKey({ kind, uid })}`),
  )
}

/** What a reader must know of the probes of a project that gave no result: one notice for each reason. */
function describeSkippedProbes(notRun: readonly SkippedTarget[], carried: readonly ProbeVersion[]): ProjectNotice[] {
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
  const named = uids.slice(0, mostNames).join(', ')
  const omitted = uids.length - mostNames
  return `${uids.length === 1 ? 'the probe' : 'the probes'} ${named}${omitted > 0 ? ` and ${omitted} more` : ''}`
}

/** null: there is no function. */
function textOf(item: JsonObject | undefined, attribute: string, otherwise: string | undefined) {
  const value = item?.[attribute]
  if (value === undefined) return otherwise
  return isCode(value) ? value : null
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
