import { isMasked, type SecretFacts, type Weakness } from '../../model/resource.ts'

/** Where length classes begin. A secret's own length is not kept, so only these can be asked for. */
export const lengthClasses = [8, 16, 24, 32, 48, 64] as const

const words = {
  common: 'a common word',
  'equals-host': 'same as the host of its URL',
  'equals-name': 'same as its name',
  'equals-uid': 'same as its uid',
  'equals-user': 'same as the user name',
  'few-characters': 'few different characters',
  repetition: 'a repetition',
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

/** `16` → `16 to 23 characters`, which is all that is known. */
function spelledLength(minLength: number): string {
  const next = lengthClasses.find((length) => length > minLength)
  if (next === undefined) return `${minLength} characters or more`
  return minLength === 0 ? `under ${next} characters` : `${minLength} to ${next - 1} characters`
}
