import { replaceAssigned } from './assigned-secrets.ts'
import { holdsGroups } from './grouped-text.ts'
import { isPlain } from './plain-text.ts'
import { asSeen } from './seen-text.ts'

/**
 * Whether a text is plain, as a reader sees it, and its words together are no secret either: `password: swordfish`, and a
 * key in groups of four, are plain words one by one.
 */
export function isHarmless(text: string): boolean {
  const seen = asSeen(text)
  if (!isPlain(seen)) return false
  return !holdsGroups(seen) && replaceAssigned(seen, () => '') === seen
}
