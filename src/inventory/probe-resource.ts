import { canonicalJson } from '../model/canonical-json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Resource } from '../model/resource.ts'
import { createResultSealer } from './seal-result.ts'
import type { Sealer } from './sealer.ts'

/** A test run of a function, as it went. */
export interface ProbeRun {
  readonly uid: string
  readonly probe: string
  readonly target: { readonly kind: 'source' | 'subscription'; readonly uid: string; readonly name: string }
  /** `body`, `header` or `subscription`. */
  readonly function: string
  readonly type: string
  readonly functionText: string
  readonly payload: JsonObject
  readonly result: ProbeResult
  /** False when two runs with the same function and payload differed: then the result says nothing. */
  readonly isDeterministic: boolean
}

export type ProbeResult =
  | {
      readonly outcome: 'ok'
      readonly output: Json
      /** How it breaks the probe's expectation; null where it does not, or where nothing is expected. */
      readonly complaint: string | null
    }
  | { readonly outcome: 'failed'; readonly message: string }

/** Characters of canonical JSON; a larger output is kept as its seal, which still tells whether it changed. */
const mostOutput = 64 * 1024

/**
 * The resource that a probe's run leaves in the history. Function and payload are kept as seals: a plain digest of a text
 * that holds a secret would let anyone try guesses. The log is left out: runs side by side can mix up their lines.
 */
export function probeResource(run: ProbeRun, sealer: Sealer): Resource {
  const { target, result, isDeterministic } = run
  const sealed = createResultSealer(run.functionText, run.payload, sealer)
  const { function_digest, payload_digest } = digestsOf(run, sealer)
  const isOk = result.outcome === 'ok'
  const error = isOk ? null : sealed.text(result.message)
  return {
    kind: 'probe',
    uid: run.uid,
    name: run.probe,
    attributes: {
      deterministic: isDeterministic,
      error: isDeterministic ? error : null,
      function: run.function,
      function_digest,
      outcome: result.outcome,
      output: isOk && isDeterministic ? fitting(sealed.value(result.output), sealer) : null,
      payload_digest,
      probe: run.probe,
      target_kind: target.kind,
      target_name: target.name,
      target_uid: target.uid,
      type: run.type,
      unexpected: isOk && result.complaint !== null ? sealed.text(result.complaint) : null,
    },
    // Texts of a function that says something else each time are told, and neither stored nor compared.
    volatile: { error },
    facts: {},
  }
}

/** What tells whether the same was run on the same. */
export function digestsOf(
  { functionText, payload }: Pick<ProbeRun, 'functionText' | 'payload'>,
  sealer: Sealer,
): { readonly function_digest: string; readonly payload_digest: string } {
  return { function_digest: sealer.seal(functionText), payload_digest: sealer.seal(canonicalJson(payload)) }
}

function fitting(output: Json, sealer: Sealer): Json {
  const text = canonicalJson(output)
  return text.length <= mostOutput ? output : sealer.seal(text)
}
