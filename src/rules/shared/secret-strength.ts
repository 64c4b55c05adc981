import { canonicalJson } from '../../model/canonical-json.ts'
import { isWithinPointer, type Json } from '../../model/json.ts'
import { isMasked, maskedSeal, type SecretFacts, type Weakness } from '../../model/resource.ts'
import type { Verifier } from '../engine/attributes.ts'
import type { Drift, RuleFinding } from '../engine/rule.ts'

/** Where length classes begin. A secret's own length is not kept, so only these can be asked for. */
export const lengthClasses = [8, 16, 24, 32, 48, 64] as const

const words = {
  common: 'a common word',
  digits: 'digits only',
  'equals-host': 'same as the host of its URL',
  'equals-name': 'same as its name',
  'equals-uid': 'same as its uid',
  'equals-user': 'same as the user name',
  'few-characters': 'few different characters',
  keyboard: 'an alphabet or a row of keys',
  placeholder: 'a placeholder',
  published: 'a published example',
  repetition: 'a repetition',
  variable: 'a variable that was not replaced, or a reference',
} as const satisfies Record<Weakness, string>

/** Reasons to call a sealed secret weak, in words; none for one that is masked or of which nothing is known. */
export function reasonsAgainst(
  seal: string | null | undefined,
  facts: SecretFacts | undefined,
  minCharacters: number,
): readonly string[] {
  if (seal === null || seal === undefined || isMasked(seal) || facts === undefined) return []
  const length =
    facts.min_length < minCharacters ? [`${spelledLength(facts.min_length)} (policy: at least ${minCharacters})`] : []
  return [...length, ...facts.weak.map((weakness) => words[weakness])]
}

/** Whether anyone knows it: strangers try it first. */
export function isWellKnown(facts: SecretFacts | undefined): boolean {
  return facts?.weak.some((weakness) => wellKnown.has(weakness)) === true
}

const wellKnown: ReadonlySet<Weakness> = new Set(['common', 'placeholder', 'published', 'variable'])

/** `16` → `16 to 23 characters`, which is all that is known. */
function spelledLength(minLength: number): string {
  const next = lengthClasses.find((length) => length > minLength)
  if (next === undefined) return `${minLength} characters or more`
  return minLength === 0 ? `under ${next} characters` : `${minLength} to ${next - 1} characters`
}

/** The secret by which a source knows its senders, sealed, and its path. */
interface VerifierSecret {
  readonly what: string
  readonly path: string
  readonly seal: string
}

/** Of the members that the type does not ask for, none counts. */
export function verifierSecretOf(verifier: Verifier | null | undefined): VerifierSecret | undefined {
  switch (verifier?.type) {
    case 'hmac':
      return secretAt('HMAC secret', '/verifier/hmac/secret', verifier.hmac?.secret)
    case 'basic_auth':
      return secretAt('password', '/verifier/basic_auth/password', verifier.basic_auth?.password)
    case 'api_key':
      return secretAt('API key', '/verifier/api_key/header_value', verifier.api_key?.header_value)
    default:
      return undefined
  }
}

function secretAt(what: string, path: string, seal: string | undefined): VerifierSecret | undefined {
  return typeof seal === 'string' ? { what, path, seal } : undefined
}

/** The seals of a value, each once. */
export function sealsIn(value: Json): string[] {
  return [...new Set(canonicalJson(value).match(/sealed:(?:[0-9a-f]{32}|masked)/g))].sort()
}

/**
 * Finds secrets that are back after a loss, with another value than before it. `names`: what is back, by JSON Pointer.
 * Silent where there was no loss, and where it cannot be known.
 */
export function* findReturned(
  names: Readonly<Record<string, string>>,
  { fields, lostSince, areSealsComparable }: Pick<Drift, 'fields' | 'lostSince' | 'areSealsComparable'>,
): Iterable<RuleFinding> {
  if (lostSince === undefined || !areSealsComparable) return
  for (const { path, before, after } of fields) {
    const name = Object.keys(names).find((pointer) => isWithinPointer(path, pointer))
    const [old, now] = [sealsIn(before), sealsIn(after)]
    if (name === undefined || old.length === 0 || now.length === 0 || [...old, ...now].includes(maskedSeal)) continue
    yield { path, message: `${names[name]} is back, with another value than in run ${lostSince}`, severity: 'low' }
  }
}
