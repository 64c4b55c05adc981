import { hash } from 'node:crypto'
import type { Gap, GapCause } from '../model/gap.ts'
import { type Kind, type ProjectRef, projectKey } from '../model/resource.ts'
import { minuteOf } from '../model/time.ts'
import type { EvaluationOutcome } from '../policy/conclude-fleet-rules.ts'
import type { DoubtedField } from '../policy/doubts.ts'
import { count } from '../text/count.ts'

/** The scan that the gaps are of, and what was a gap before. */
interface ScanOfGaps {
  readonly project: ProjectRef
  readonly run: Gap['since']
  /** Gaps of the project's last scan: what was one then is one since then. */
  readonly before: readonly Gap[]
  kindOf(rule: string): Kind | null
}

/**
 * What rules could not evaluate in a project, as records, each worded once. `failures`: why rules evaluated nothing of
 * it. In a fixed order, so that equal runs store nothing.
 */
export function describeGaps(
  { doubts, rowsUnread }: Pick<EvaluationOutcome, 'doubts' | 'rowsUnread'>,
  failures: Readonly<Record<string, string>>,
  scan: ScanOfGaps,
): readonly Gap[] {
  const known = new Map(scan.before.map(({ id, since }) => [id, since]))
  const make = (cause: GapCause, rule: string, about: Partial<Gap> & Pick<Gap, 'text'>): Gap => {
    const { kind = scan.kindOf(rule), field = null, since } = about
    const id = hash('sha256', JSON.stringify([cause, projectKey(scan.project), rule, kind, field])).slice(0, 16)
    return {
      id,
      cause,
      project: scan.project.name,
      listing: null,
      rule,
      kind,
      field,
      resources: 0,
      uids: [],
      ...about,
      since: since ?? known.get(id) ?? scan.run,
    }
  }
  const failed = Object.entries(failures).map(([rule, reason]) =>
    make('rule_failed', rule, { text: `${rule} was not evaluated: ${reason}` }),
  )
  const others = Object.entries(doubts).flatMap(([rule, { fields }]) => {
    if (Object.hasOwn(failures, rule)) return []
    // Where it is in doubt about no field, it could not conclude from what it saw.
    if (fields.length === 0)
      return [make('nothing_to_compare', rule, { text: `${rule} was not evaluated: what it compares with came empty` })]
    return fields.map(({ kind, field, cause, resources, uids, since }) =>
      make(causeOf[cause], rule, {
        kind,
        field,
        resources,
        uids,
        ...(since === null ? {} : { since }),
        text: `${rule} missed ${describeResources({ kind, field, cause, resources })}${describeSince(since)}`,
      }),
    )
  })
  const unread = Object.entries(rowsUnread).flatMap(([rule, { resources, uids }]) => {
    if (Object.hasOwn(failures, rule) || doubts[rule]?.fields.length === 0) return []
    const text = `${rule} missed ${count(resources, 'subscription')} whose filter rows no run has read`
    return [make('rows_unread', rule, { kind: 'subscription', field: 'filters', resources, uids, text })]
  })
  return [...failed, ...others, ...unread].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ rule, kind, field, cause }: Gap): string {
  return `${rule} ${kind} ${field} ${cause}`
}

const causeOf = {
  malformed: 'field_malformed',
  unseen: 'field_unseen',
  seal_key_changed: 'seal_key_changed',
} as const satisfies Record<DoubtedField['cause'], GapCause>

function describeResources({ kind, field, cause, resources }: Omit<DoubtedField, 'since' | 'uids'>): string {
  if (cause === 'seal_key_changed')
    return `${count(resources, kind)} whose ${field} another installation key, or an earlier version, sealed before`
  const show = resources === 1 ? 'shows' : 'show'
  const what = cause === 'unseen' ? `no ${field}` : `a malformed ${field}`
  return `${count(resources, kind)} that ${show} ${what}`
}

/** ` since run 7 (2026-11-20 03:04 UTC)`; nothing where that is not known. */
export function describeSince(since: Gap['since'] | null | undefined): string {
  return since ? ` since run ${since.run} (${minuteOf(since.at)})` : ''
}
