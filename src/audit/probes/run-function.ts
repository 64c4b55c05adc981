import type { ProjectAccess, ServiceClient, UnknownOutcome } from '../../gateway/service/service-client.ts'
import { ServiceFault } from '../../gateway/service/service-fault.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Json } from '../../model/json.ts'
import type { Probe } from '../../policy/probe.ts'

export interface FunctionRun {
  readonly client: ServiceClient
  readonly access: ProjectAccess
  readonly functionText: string
  readonly probe: Pick<Probe, 'payload' | 'type' | 'expectation'>
  /** When it happens, in milliseconds since the epoch. */
  readonly now: number
}

/** What a function did with a payload. */
export type FunctionResult =
  | {
      readonly outcome: 'ok'
      readonly output: Json
      readonly log: readonly string[]
      /** How it breaks the expectation; null where it does not, or where there is none. */
      readonly complaint: string | null
    }
  | { readonly outcome: 'failed'; readonly message: string }

/** Runs a function once and holds what it gives against what is expected. */
export async function tryFunction({
  client,
  access,
  functionText,
  probe,
  now,
}: FunctionRun): Promise<FunctionResult | UnknownOutcome> {
  const { payload, type, expectation } = probe
  try {
    const tried = await client.testFunction({ function: functionText, payload, type }, access)
    if (tried.outcome === 'unknown') return tried
    if (tried.outcome === 'failed') return { outcome: 'failed', message: tried.message }
    const result = expectation?.evaluate(tried.payload, now) ?? { is: 'met' }
    if (result.is === 'unknown') return { outcome: 'unknown', message: result.reason, requestId: null }
    const complaint = result.is === 'broken' ? result.complaint : null
    return { outcome: 'ok', output: tried.payload, log: tried.log, complaint }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    return { outcome: 'unknown', message: error.message, requestId: null }
  }
}

/**
 * Runs a function twice: one that answers otherwise the second time has no result that could be compared. The worse of
 * two answers counts, for one good answer does not make up for a bad one.
 */
export async function runTwice(
  trial: FunctionRun,
): Promise<{ readonly ran: FunctionResult | UnknownOutcome; readonly isDeterministic: boolean }> {
  const first = await tryFunction(trial)
  if (first.outcome === 'unknown') return { ran: first, isDeterministic: false }
  const second = await tryFunction(trial)
  if (second.outcome === 'unknown') return { ran: second, isDeterministic: false }
  return { ran: badness(second) > badness(first) ? second : first, isDeterministic: isSame(first, second) }
}

function badness(ran: FunctionResult): number {
  if (ran.outcome === 'failed') return 2
  return ran.complaint === null ? 0 : 1
}

/** The log is not compared: runs side by side can mix up their lines. */
function isSame(first: FunctionResult, second: FunctionResult): boolean {
  if (first.outcome === 'ok' && second.outcome === 'ok') {
    return canonicalJson(first.output) === canonicalJson(second.output)
  }
  return first.outcome === 'failed' && second.outcome === 'failed' && first.message === second.message
}
