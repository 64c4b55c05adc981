import type { ApprovedBody } from '../../history/approvals.ts'
import type { StagedChange } from '../../history/records.ts'
import { digestsOf, probeResource } from '../../inventory/probe-resource.ts'
import { reseal } from '../../inventory/reseal.ts'
import type { Sealer } from '../../inventory/sealer.ts'
import type { JsonObject } from '../../model/json.ts'
import { type ResourceKey, resourceKey } from '../../model/keys.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Resource } from '../../model/resource.ts'
import type { Probe } from '../../policy/probe.ts'
import type { NotTried, ProjectAccess, ServiceClient } from '../../service/service-client.ts'
import type { ExpectedState } from '../expected-state.ts'
import type { ProjectScan } from '../project-scan.ts'
import { areSourcesListed, isKindComplete, type Statuses } from '../project-scan.ts'
import { stageResources } from '../stage-resources.ts'
import { driftOf, isSameTrial } from './compare-probe.ts'
import { describeSkippedProbes, type NotRun } from './describe-probes.ts'
import type { ProbeTarget } from './find-targets.ts'
import { type KnownProbe, type NamedTarget, nameProbes } from './name-probes.ts'
import { type Ran, runTwice, tryFunction } from './run-function.ts'

/** What the policy's probes are run with. */
export interface DueProbes {
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

export interface Probed {
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
export async function runProbes(scan: ProjectScan, due: DueProbes): Promise<Probed> {
  const { draft, sealer, now: startedAt } = scan
  const known = await knownProbes(scan)
  const ended = findEnded(scan, due, known)
  const named = nameProbes(dropUnknownStubs(due, known), known, ended)
  const resources: Resource[] = []
  const changes: StagedChange[] = []
  const notRun: NotRun[] = []
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
    notices: describeSkippedProbes({ notRun, carried }),
  }
}

/** Nothing runs and nothing ends: what is known of the probes stays as it is, and nothing new is known. */
export function leaveOutProbes({ known }: ProjectScan, targets: readonly ProbeTarget[]): Probed {
  const carried = known.unseen('probe')
  const notice = { code: 'probes_disabled', listing: null, text: 'probes were disabled for this run' } as const
  const notices = targets.length + carried.length === 0 ? [] : [notice]
  return { resources: [], changes: [], untested: [], notices }
}

const tired = {
  ran: { outcome: 'unknown', message: 'those before could not run, so it was not tried', requestId: null },
} as const

async function run(
  { probe, text, kind, uid, known }: NamedTarget,
  { client, access, now, sealer }: DueProbes & Pick<ProjectScan, 'sealer' | 'now'>,
): Promise<{ readonly ran: Ran | NotTried; readonly isDeterministic: boolean }> {
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

function resourceOf(
  { probe, text, kind, uid, name, outcomeUid }: NamedTarget,
  ran: Ran,
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

async function knownProbes({ draft, project, known }: ProjectScan): Promise<KnownProbe[]> {
  const versions = known.unseen('probe')
  const points = versions.map(({ uid }) => ({ kind: 'probe', uid, run: draft.run - 1 }) as const)
  const bodies = await draft.versionsAt(project, points)
  return versions.flatMap(({ id, uid }, at) => {
    const body = bodies[at]
    return body === undefined ? [] : [{ id, uid, attributes: body.attributes, sealKeyId: body.sealKeyId }]
  })
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

function targetOf({ attributes: { target_kind, target_uid } }: KnownProbe): ResourceKey {
  // What we wrote ourselves, of a target that was found.
  return resourceKey({ kind: target_kind as ProbeTarget['kind'], uid: `${target_uid}` })
}
