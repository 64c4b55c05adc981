import { hash } from 'node:crypto'
import { describeResources, describeSince } from '../gateway/inventory/describe-unknown.ts'
import type { RecordedWalk } from '../history/records.ts'
import { type Gap, type GapCause, mostGapUids } from '../model/gap.ts'
import { type Listing, type ProjectRef, projectKey, type ResourceKey } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import type { EvaluationOutcome } from '../policy/conclude-fleet-rules.ts'
import type { DoubtedField } from '../policy/doubts.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { kindOf, type Statuses } from './project-scan.ts'

/** The scan that the gaps are of, and what was a gap before. */
interface ScanOfGaps {
  readonly project: ProjectRef
  readonly run: Gap['since']
  /** Gaps of the project's last scan: what was one then is one since then. */
  readonly before: readonly Gap[]
  readonly statuses: Statuses
  /** Functions that should have been tested, and their outcomes, of probes that did not run. */
  readonly untested: readonly ResourceKey[]
  /** Those that the policy has on. */
  readonly rules: readonly Pick<Rule, 'id' | 'kind' | 'needs'>[]
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
  const kinds = new Map(scan.rules.map(({ id, kind }) => [id, kind]))
  const make = (cause: GapCause, rule: string, about: Partial<Gap> & Pick<Gap, 'text'>, decision?: string): Gap => {
    const { kind = kinds.get(rule) ?? null, field = null, since } = about
    const id = idOf([cause, projectKey(scan.project), rule, kind, field, ...(decision === undefined ? [] : [decision])])
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
    return fields.map(({ kind, field, cause, resources, uids, since, decision }) => {
      const missed = decision === undefined ? `${rule} missed` : `${decision} could not be applied to`
      const about = {
        kind,
        field,
        resources,
        uids,
        ...(since === null ? {} : { since }),
        text: `${missed} ${describeResources({ kind, field, cause, resources })}${describeSince(since)}`,
      }
      return make(decision === undefined ? causeOf[cause] : 'selector_unknown', rule, about, decision)
    })
  })
  const unread = Object.entries(rowsUnread).flatMap(([rule, { resources, uids }]) => {
    if (Object.hasOwn(failures, rule) || doubts[rule]?.fields.length === 0) return []
    const about = { kind: 'subscription', field: 'filters', resources } as const
    const text = `${rule} missed ${describeResources({ ...about, cause: 'rows_unread' })}`
    return [make('rows_unread', rule, { ...about, uids, text })]
  })
  const probes = uidsOf(scan.untested)
  const untested = scan.rules.flatMap(({ id, needs }) => {
    if (probes.length === 0 || !needs.includes('probe') || Object.hasOwn(failures, id)) return []
    const { length: resources } = probes
    const text = `${id} missed ${count(resources, 'probe')} that did not run`
    return [make('probe_not_run', id, { kind: 'probe', resources, uids: probes.slice(0, mostGapUids), text })]
  })
  const unlisted = scan.rules.flatMap((rule) =>
    Object.hasOwn(failures, rule.id)
      ? []
      : unlistedFor(rule, scan.statuses).map(({ cause, listing }) =>
          make(cause, rule.id, {
            kind: kindOf[listing],
            listing,
            text: `${rule.id} missed what only the ${nameOf(listing)} shows: ${saysOf[cause]}`,
          }),
        ),
  )
  return [...failed, ...others, ...unread, ...untested, ...unlisted].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Uids of the probes among these, and of functions that no probe has tested yet. */
function uidsOf(untested: readonly ResourceKey[]): readonly string[] {
  const byKind = Map.groupBy(untested, (key) => key.startsWith('probe '))
  const keys = byKind.get(true) ?? byKind.get(false) ?? []
  return keys.map((key) => key.slice(key.indexOf(' ') + 1))
}

/** The gap that a walk left which was not read to its end. */
export function gapOfWalk({ project, listing, reason, status, since }: RecordedWalk, run: Gap['since']): Gap {
  return {
    id: idOf(['walk_incomplete', project, listing]),
    cause: 'walk_incomplete',
    project,
    listing,
    rule: null,
    kind: null,
    field: null,
    resources: 0,
    uids: [],
    since: since ?? run,
    text: `the walk of ${listing} is ${status}${reason === null ? '' : `: ${reason}`}`,
  }
}

function idOf(parts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 16)
}

/**
 * Listings that alone show what a rule evaluates, and that were not read because the configuration does not request them,
 * or the service does not offer them.
 */
function unlistedFor({ id, needs }: Pick<Rule, 'id' | 'needs'>, statuses: Statuses) {
  const kinds = new Set(needs)
  const wanted: readonly [Listing, boolean][] = [
    ['project', kinds.has('project')],
    ['event_types', kinds.has('event_type')],
    ['sources', ofListedSources.has(id)],
  ]
  return wanted.flatMap(([listing, isWanted]) => {
    const status = statuses[listing]
    if (!isWanted || (status !== undefined && status !== 'skipped')) return []
    return [{ listing, cause: status === undefined ? 'listing_off' : 'listing_not_offered' } as const]
  })
}

/** Rules about fields of sources that the copies in subscriptions do not show. */
const ofListedSources: ReadonlySet<string> = new Set([
  'source/dead-letter-missing',
  'source/event-type-unsigned',
  'source/idempotency-missing',
  'source/idempotency-broken',
  'source/queue-duplicate',
  'source/queue-plaintext',
  'source/queue-static-keys',
  'source/verifier-broken',
])

const saysOf = {
  listing_off: 'the configuration does not request it',
  listing_not_offered: 'the service does not offer it',
}

function nameOf(listing: Listing): string {
  return listing === 'project' ? 'request for the project' : `list of ${listing.replace('_', ' ')}`
}

function keyOf({ rule, kind, field, cause }: Gap): string {
  return `${rule} ${kind} ${field} ${cause}`
}

const causeOf = {
  malformed: 'field_malformed',
  unseen: 'field_unseen',
  seal_key_changed: 'seal_key_changed',
} as const satisfies Record<DoubtedField['cause'], GapCause>
