/** Shorter ones are words that stand anywhere. */
const leastLength = 6
const leastRest = 4

/**
 * Replaces secrets that are known by now wherever a text quotes one: as it is, as JSON writes it, or cut off by an ellipsis.
 * `secrets`: longest first, for one may hold another.
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

/** Those that can be looked for, in the order in which they can be replaced. */
export function inOrderOfLength(secrets: Iterable<string>): readonly string[] {
  return [...secrets].filter(({ length }) => length >= leastLength).sort((a, b) => b.length - a.length)
}

/** A message that quotes a long text cuts it: what is left of a secret before the ellipsis goes too. */
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
