import { canonicalJson } from '../../model/canonical-json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Resource } from '../../model/resource.ts'
import { sealCode } from './seal-code.ts'
import { mapTexts, normaliseFree } from './seal-json.ts'
import { sealWords } from './seal-text.ts'
import { type Sealer, sealKnown } from './sealer.ts'

/** The result of one test run of a function. */
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
  /** False when two runs of the same function and payload had different results, which then prove nothing. */
  readonly isDeterministic: boolean
}

export type ProbeResult =
  | {
      readonly outcome: 'ok'
      readonly output: Json
      /** How the result breaks the probe's expectation; null if it does not, or if nothing is expected. */
      readonly complaint: string | null
    }
  | { readonly outcome: 'failed'; readonly message: string }

/**
 * The resource of a probe's run in the history. Function and payload are kept as seals: against a plain digest of a
 * text with a secret, anyone could try guesses. The log is left out: runs at the same time can mix up their lines.
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
    // Errors of a nondeterministic function are reported, but neither stored nor compared.
    volatile: { error },
    facts: {},
  }
}

/** Seals of the function and the payload, to see whether the same was run on the same. */
export function digestsOf(
  { functionText, payload }: Pick<ProbeRun, 'functionText' | 'payload'>,
  sealer: Sealer,
): { readonly function_digest: string; readonly payload_digest: string } {
  return { function_digest: sealer.seal(functionText), payload_digest: sealer.seal(canonicalJson(payload)) }
}

/** Seals the results of a function: a value, or words of its log and its errors. */
export interface ResultSealer {
  value(result: Json): Json
  text(words: string): string
}

/**
 * Creates a sealer of results. It seals what appears secret, as in any JSON, and also the secrets of the function and its
 * payload under innocent names.
 */
export function createResultSealer(program: string, payload: JsonObject, sealer: Sealer): ResultSealer {
  const secrets = secretsIn(program, payload)
  const withoutSecrets = (text: string) =>
    secrets.reduce((rest, secret) => replaceSecret(rest, secret, sealer), sealKnown(text, sealer))
  // Known secrets first: after one was sealed in part, the rest would not be found.
  return {
    value: (result) => normaliseFree(mapTexts(result, withoutSecrets), '', sealer),
    text: (words) => sealWords(withoutSecrets(words), sealer),
  }
}

/** Characters of canonical JSON. A larger output is kept as its seal, which still shows whether it changed. */
const mostOutput = 64 * 1024

function fitting(output: Json, sealer: Sealer): Json {
  const text = canonicalJson(output)
  return text.length <= mostOutput ? output : sealer.seal(text)
}

/** Characters. Shorter ones occur in many texts by chance. */
const shortestFound = 6

/** Longest first: one may contain another. */
function secretsIn(program: string, payload: JsonObject): readonly string[] {
  const secrets = new Set<string>()
  const listening: Sealer = {
    keyId: '',
    seal(secret) {
      const text = secret.trim()
      if (text.length >= shortestFound) secrets.add(text)
      return ''
    },
  }
  sealCode(program, listening)
  normaliseFree(payload, '', listening)
  return [...secrets].sort((a, b) => b.length - a.length)
}

function replaceSecret(text: string, secret: string, sealer: Sealer): string {
  return text.includes(secret) ? text.replaceAll(secret, () => sealer.seal(secret)) : text
}
