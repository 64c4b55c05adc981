/** Shorter secrets could be any word. */
const leastLength = 6
const leastRest = 4

/**
 * Replaces known secrets wherever a text quotes one: verbatim, as JSON writes it, or cut off by an ellipsis.
 * `secrets`: longest first, because one may contain another.
 */
export function replaceSecrets(text: string, secrets: readonly string[], seal: (secret: string) => string): string {
  let out = text
  for (const secret of secrets) {
    for (const written of new Set([secret, JSON.stringify(secret).slice(1, -1)])) {
      if (out.includes(written)) out = out.replaceAll(written, () => seal(secret))
      if (out.includes('…')) out = withoutRests(out, written, seal(secret))
    }
  }
  return out
}

/** The secrets that are long enough to search for, longest first. */
export function inOrderOfLength(secrets: Iterable<string>): readonly string[] {
  return [...secrets].filter(({ length }) => length >= leastLength).sort((a, b) => b.length - a.length)
}

/** A message cuts a long quotation, so the rest of a secret before an ellipsis is replaced too. */
function withoutRests(text: string, secret: string, sealed: string): string {
  return text
    .split('…')
    .map((part, index, parts) => {
      if (index === parts.length - 1) return part
      for (let length = Math.min(secret.length, part.length); length >= leastRest; length--) {
        if (part.endsWith(secret.slice(0, length))) return part.slice(0, part.length - length) + sealed
      }
      return part
    })
    .join('…')
}
