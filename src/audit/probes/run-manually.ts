import type { Sealer } from '../../gateway/inventory/sealer.ts'
import { takeInventory } from '../../gateway/inventory/take-inventory.ts'
import type { UnknownOutcome } from '../../gateway/service/service-client.ts'
import { type FaultKind, ServiceFault } from '../../gateway/service/service-fault.ts'
import { AuditError } from '../../model/errors.ts'
import { meantBy } from '../../model/meant-by.ts'
import { resourceKey } from '../../model/resource.ts'
import { neutralise, quote } from '../../model/text/neutralise.ts'
import { functionFields, type Probe } from '../../policy/probe.ts'
import type { AuditedProject } from '../audited-project.ts'
import { type FunctionResult, tryFunction } from './run-function.ts'
import { findTargets } from './run-probes.ts'
import type { ProbeTarget } from './try-probes.ts'

/** A function that was run by hand, and how it went. */
export interface ManualProbeRun {
  readonly project: AuditedProject
  readonly probe: Probe
  /** Whose function it is; undefined for a text of one's own. */
  readonly target: ProbeTarget | undefined
  readonly functionText: string
  readonly result: FunctionResult | UnknownOutcome
}

export interface ManualProbeOptions {
  readonly projects: readonly AuditedProject[]
  readonly probes: readonly Probe[]
  /** Only functions of this source: a uid, a name, or a beginning of one. */
  readonly source?: string | undefined
  readonly sealer: Sealer
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
}

/** Projects whose functions could not be listed. */
export interface UnreadProject {
  readonly project: string
  readonly reason: string
}

/**
 * Runs the probes on their targets in the projects, once each, and keeps nothing.
 * @throws AuditError.usage when several sources are meant
 */
export async function runProbesManually(
  options: ManualProbeOptions,
): Promise<{ readonly runs: readonly ManualProbeRun[]; readonly unlisted: readonly UnreadProject[] }> {
  const matches: { project: AuditedProject; target: ProbeTarget; uid: string; name: string }[] = []
  const unlisted: UnreadProject[] = []
  for (const project of options.projects) {
    const access = accessTo(project, options.signal)
    const { targets, reason } = await findAll(project, options, access)
    if (reason !== undefined) unlisted.push({ project: project.ref.name, reason })
    for (const target of targets) matches.push({ project, target, uid: target.uid, name: target.name })
  }
  const meant = options.source === undefined ? matches : meantBy(matches, options.source)
  const uids = new Set(meant.map(({ uid }) => uid))
  if (options.source !== undefined && uids.size > 1) {
    throw AuditError.usage(`${quote(options.source)} means several sources: ${[...uids].map(neutralise).join(', ')}`, {
      advice: 'use a uid, or choose with --project',
    })
  }
  const runs: ManualProbeRun[] = []
  for (const { project, target } of meant) {
    const { probe, text } = target
    const result = text === undefined ? notShown : await runFunctionText(project, probe, text, options)
    runs.push({ project, probe, target, functionText: text ?? '', result })
  }
  return { runs, unlisted }
}

/** Runs a text of one's own as a probe would run it. */
export async function runFunctionText(
  project: AuditedProject,
  probe: Probe,
  functionText: string,
  { now, signal }: Pick<ManualProbeOptions, 'now' | 'signal'>,
): Promise<FunctionResult | UnknownOutcome> {
  return tryFunction({ client: project.client, access: accessTo(project, signal), functionText, probe, now })
}

const notShown = {
  outcome: 'unknown',
  message: 'the service does not show the function: give its text',
  requestId: null,
} as const

function accessTo({ ref, key, filters }: AuditedProject, signal: AbortSignal) {
  return { projectUid: ref.uid, key, filters, signal, traffic: { requests: 0, retries: 0 }, budget: { waitedMs: 0 } }
}

/** Sources in full where the service lists them, and as subscriptions carry them where it does not. */
async function findAll(
  project: AuditedProject,
  { probes, sealer }: ManualProbeOptions,
  access: ReturnType<typeof accessTo>,
): Promise<{ targets: ProbeTarget[]; reason?: string }> {
  const kinds = new Set(probes.map((probe) => functionFields[probe.function].kind))
  const targets = new Map<string, ProbeTarget>()
  const read = async (listing: 'sources' | 'subscriptions'): Promise<FaultKind | 'read'> => {
    try {
      for await (const { items } of project.client.pages(listing, access)) {
        const { listed, lifted } = takeInventory(listing, items, sealer)
        const passing = [
          ...listed.map((resource, index) => ({ resource, item: items[index] })),
          ...lifted.map((resource) => ({ resource, item: undefined })),
        ]
        for (const target of findTargets(probes, project, passing)) {
          const key = `${target.probe.name} ${resourceKey(target)}`
          // What a list showed in full comes first: a stub adds nothing.
          if (!targets.has(key)) targets.set(key, target)
        }
      }
      return 'read'
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      reason = error.message
      return error.kind
    }
  }
  let reason: string | undefined
  const areSourcesAsked = kinds.has('source') && project.listings.sources !== 'off'
  const sources = areSourcesAsked ? await read('sources') : 'not_offered'
  if (sources !== 'read' && sources !== 'not_offered') return { targets: [...targets.values()], reason: `${reason}` }
  reason = undefined
  if (kinds.has('subscription') || sources === 'not_offered') await read('subscriptions')
  return { targets: [...targets.values()], ...(reason === undefined ? {} : { reason }) }
}
