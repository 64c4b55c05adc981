import type { Kind } from '../model/resource.ts'
import { isShellSafe } from './text/commands.ts'

/** What a remediation is shown for. */
interface Subject {
  readonly kind: Kind
  readonly uid: string
  readonly fingerprint: string
}

/**
 * A remediation whose commands are ready to paste: `UID`, `NAME` (of a probe) and `FINGERPRINT` give way to those of the
 * violations that it is shown for, where these share them. What a shell would read otherwise is not filled in.
 */
export function remediationFor(remediation: string, subjects: readonly Subject[]): string {
  const uid = sharedBy(subjects, ({ uid }) => uid)
  const values: Readonly<Record<string, string | undefined>> = {
    UID: uid,
    NAME: subjects.every(({ kind }) => kind === 'probe') ? uid : undefined,
    FINGERPRINT: sharedBy(subjects, ({ fingerprint }) => fingerprint),
  }
  return remediation
    .split('`')
    .map((part, at) =>
      at % 2 === 1 && part.startsWith('hookdrift ')
        ? part.replace(/\b(?:UID|NAME|FINGERPRINT)\b/g, (word) => values[word] ?? word)
        : part,
    )
    .join('`')
}

function sharedBy(subjects: readonly Subject[], of: (subject: Subject) => string): string | undefined {
  const [value, second] = new Set(subjects.map(of))
  return value !== undefined && second === undefined && isShellSafe(value) ? value : undefined
}
