import { asSeen } from '../../model/secrets/plain-text.ts'
import { replaceSecrets } from '../../model/secrets/replace-secrets.ts'
import { escapeForRegExp } from '../../model/text/neutralise.ts'

/** At most this many characters of the service's words go into a message. */
const maxLength = 200

/** Controls, line and paragraph separators, marks that change the writing direction: they could forge a line. */
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** Makes text of the service fit for one line: no controls, at most 200 characters, and never the key. */
export function foreignText(text: string, key: string): string {
  const line = asSeen(text).replace(unprintable, ' ').replace(/\s+/g, ' ').trim().toWellFormed()
  const redacted = withoutKey(line, key)
  if (redacted.length <= maxLength) return redacted
  // A key that was cut would not be recognised.
  return `${redacted
    .slice(0, maxLength - 1)
    .toWellFormed()
    .replace(/(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{1,19}$/, '')}…`
}

/** The service's words without credentials, which it may echo from any request. Identifiers stay. */
export function withoutCredentials(text: string): string {
  return replaceSecrets(text, () => '[credential]')
}

function withoutKey(text: string, key: string): string {
  if (lastKey?.key !== key) lastKey = { key, patterns: patternsOf(key) }
  return lastKey.patterns.reduce((rest, pattern) => rest.replace(pattern, '[key]'), text)
}

/** Every answer of a service is read with the same key. */
let lastKey: { readonly key: string; readonly patterns: readonly RegExp[] } | undefined

/** A key has the form `CO.<mask>.<secret>`: its long parts alone would reveal it too. */
function patternsOf(key: string): readonly RegExp[] {
  const parts = [key, ...key.split('.').filter((part) => part.length >= 16)].filter((part) => part !== '')
  return parts.map((part) => new RegExp(escapeForRegExp(part), 'gi'))
}
