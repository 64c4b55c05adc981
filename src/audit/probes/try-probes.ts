import { compareFields } from '../../gateway/inventory/compare-fields.ts'
import { digestsOf, probeResource } from '../../gateway/inventory/probe-resource.ts'
import { reseal } from '../../gateway/inventory/reseal.ts'
import type { Sealer } from '../../gateway/inventory/sealer.ts'
import type { ProjectAccess, ServiceClient, UnknownOutcome } from '../../gateway/service/service-client.ts'
import type { ApprovedBody } from '../../history/approvals.ts'
import type { StagedChange } from '../../history/records.ts'
import type { NewVersion } from '../../history/staged.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Resource } from '../../model/resource.ts'
import type { Probe } from '../../policy/probe.ts'
import { compareResources } from '../compare-resources.ts'
import type { ExpectedState } from '../expected-state.ts'
import type { ProjectScan } from '../project-scan.ts'
import { type FunctionResult, runTwice, tryFunction } from './run-function.ts'

/** A function that a probe is about. */
export interface ProbeTarget {
  readonly probe: Probe
  readonly kind: 'source' | 'subscription'
  readonly uid: string
  readonly name: string
  /** What to run; undefined where its text is not shown and the policy has none. */
  readonly text: string | undefined
}

/** The last outcome of a probe, as the history holds it. */
export interface ProbeVersion {
  /** Of its version. */
  readonly id: number
  readonly uid: string
  readonly attributes: JsonObject
  /** Names the installation key that sealed its digests. */
  readonly sealKeyId: string
}

export interface NamedTarget extends ProbeTarget {
  /** The uid of the probe's outcome. */
  readonly outcomeUid: string
  /** The last outcome of the same probe on the same target. */
  readonly lastOutcome: ProbeVersion | undefined
}

export interface SkippedTarget extends NamedTarget {
  readonly why: string
}

/** Who runs functions, and what was approved of them. */
export interface FunctionAccess {
  readonly client: ServiceClient
  readonly access: ProjectAccess
  /** The approved state that holds, if any. */
  readonly expected: ExpectedState | undefined
}

export interface TriedProbes {
  /** What ran, as rules see it. */
  readonly resources: readonly Resource[]
  readonly changes: readonly StagedChange[]
  readonly versions: readonly NewVersion[]
  readonly notRun: readonly SkippedTarget[]
}

/** After so many in a row that could not run, the service is not asked again: each may cost 15 seconds. */
const mostNotRunInARow = 3

/** Runs functions one after the other. */
export async function tryProbes(
  scan: ProjectScan,
  due: FunctionAccess,
  named: readonly NamedTarget[],
): Promise<TriedProbes> {
  const { sealer, now: startedAt } = scan
  const resources: Resource[] = []
  const changes: StagedChange[] = []
  const versions: NewVersion[] = []
  const notRun: SkippedTarget[] = []
  let inARow = 0
  for (const target of named) {
    const approved = due.expected?.bodyOf({ kind: 'probe', uid: target.outcomeUid })
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
    versions.push(...compareResources(scan, 'probe', 'sources', [now]).versions)
    changes.push(...driftOf(target.lastOutcome, now, sealer.keyId))
    resources.push(withBefore(now, { approved, last: target.lastOutcome, sealer }))
  }
  return { resources, changes, versions, notRun }
}

const tired = {
  ran: { outcome: 'unknown', message: 'those before could not run, so it was not tried', requestId: null },
} as const

async function run(
  { probe, text, kind, uid, lastOutcome }: NamedTarget,
  { client, access, now, sealer }: FunctionAccess & Pick<ProjectScan, 'sealer' | 'now'>,
): Promise<{ readonly ran: FunctionResult | UnknownOutcome; readonly isDeterministic: boolean }> {
  if (text === undefined) {
    const message = 'the service does not show the function, and the policy gives no `function_file`'
    return { ran: { outcome: 'unknown', message, requestId: null }, isDeterministic: false }
  }
  const trial = { client, access, functionText: text, probe, now }
  const digests = digestsOf({ functionText: text, payload: probe.payload }, sealer)
  const same = { ...digests, function: probe.function, type: probe.type, target_kind: kind, target_uid: uid }
  if (!isSameTrial(lastOutcome, same, sealer.keyId)) return runTwice(trial)
  return { ran: await tryFunction(trial), isDeterministic: lastOutcome.attributes.deterministic === true }
}

/** An earlier outcome: the last one, or the one that was approved. */
type Outcome = Pick<ProbeVersion, 'attributes' | 'sealKeyId'>

/**
 * Whether a run with this function and payload is known. Digests under another installation key cannot be compared.
 * `attributes`: those of the run, its digests at least.
 */
function isSameTrial<Last extends Outcome>(
  lastOutcome: Last | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): lastOutcome is Last {
  return (
    isSamePayload(lastOutcome, attributes, sealKeyId) &&
    lastOutcome.attributes.function_digest === attributes.function_digest
  )
}

/** What says of a probe that it is the same: a person who edits the policy makes no drift. */
const samePayload = ['payload_digest', 'type', 'function', 'target_kind', 'target_uid'] as const

function isSamePayload<Last extends Outcome>(
  lastOutcome: Last | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): lastOutcome is Last {
  return (
    lastOutcome !== undefined &&
    lastOutcome.sealKeyId === sealKeyId &&
    samePayload.every((key) => lastOutcome.attributes[key] === attributes[key])
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
function driftOf(lastOutcome: ProbeVersion | undefined, now: Resource, sealKeyId: string): StagedChange[] {
  if (!isSamePayload(lastOutcome, now.attributes, sealKeyId)) return []
  const { kind, uid, name } = now
  const isCompared = lastOutcome.attributes.deterministic === true && now.attributes.deterministic === true
  const compared = isCompared ? /^\/(outcome|output|error)(\/|$)/ : /^\/outcome$/
  const { asSeen } = compareFields('probe', { ...lastOutcome, sealKeyId }, { ...now, sealKeyId })
  const drifted = asSeen.filter(({ path }) => compared.test(path))
  return drifted.length === 0 ? [] : [{ kind, uid, name, change: 'modified', fields: drifted }]
}

interface PastRuns {
  readonly approved: ApprovedBody | undefined
  readonly last: ProbeVersion | undefined
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
