import type { StagedChange } from '../../history/records.ts'
import { type ResourceKey, resourceKey } from '../../model/keys.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Resource } from '../../model/resource.ts'
import type { Probe } from '../../policy/probe.ts'
import { areSourcesListed, isKindComplete, type ProjectScan, type Statuses } from '../project-scan.ts'
import { describeSkippedProbes } from './describe-probes.ts'
import type { ProbeTarget } from './find-targets.ts'
import { type KnownProbe, nameProbes } from './name-probes.ts'
import type { FunctionAccess, ProbeOutcomes } from './try-probes.ts'

/** What the policy's probes are run with. */
export interface DueProbes extends FunctionAccess {
  readonly probes: readonly Probe[]
  readonly targets: readonly ProbeTarget[]
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

/**
 * Runs the probes of a project, one after the other, and stages what came of them. One that cannot run leaves what is
 * known of it as it is; one that the policy no longer asks for, or whose function is gone, leaves the state.
 */
export async function runProbes(scan: ProjectScan, due: DueProbes): Promise<Probed> {
  const { draft } = scan
  const known = await knownProbes(scan)
  const ended = findEnded(scan, due, known)
  const named = nameProbes(dropUnknownStubs(due, known), known, ended)
  const { resources, changes, notRun } =
    named.length === 0 ? nothing : await (await import('./try-probes.ts')).tryProbes(scan, due, named)
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

const nothing: ProbeOutcomes = { resources: [], changes: [], notRun: [] }

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
