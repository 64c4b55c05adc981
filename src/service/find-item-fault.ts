import { hash } from 'node:crypto'
import { isExactNumber } from '../model/exact-number.ts'
import type { JsonObject } from '../model/json.ts'
import type { ListingFilter } from './filter.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import type { FaultKind } from './service-fault.ts'

interface ItemFault {
  readonly kind: FaultKind
  readonly what: string
}

interface PageExpectation {
  readonly projectUid: string
  /** Must never appear in a message. */
  readonly key: string
  readonly filters: readonly ListingFilter[]
  /** uids of the walk so far; the page's uids are added. */
  readonly seen: Set<string>
}

const longestUid = 1000
/** The uids of a short walk stay in memory until its end; of a longer one, its digest. */
const longestKept = 64

/** Some items of a page at a time, or the reason why they cannot be read. */
type Groups = Iterable<
  { readonly ok: true; readonly items: readonly JsonObject[] } | { readonly ok: false; readonly reason: string }
>

/**
 * Why a page proves nothing: an item is of another project (service-behaviour.md 7), has no identity, was listed
 * before, or is outside the filter. A foreign item comes before all others: it proves whose key this is.
 */
export function findPageFault(groups: Groups, expectation: PageExpectation): ItemFault | undefined {
  let first: ItemFault | undefined
  let from = 0
  for (const group of groups) {
    if (!group.ok) return first ?? { kind: 'malformed', what: group.reason }
    const fault = findForeign(group.items, from, expectation)
    if (fault !== undefined) return fault
    first ??= findBroken(group.items, from, expectation)
    from += group.items.length
  }
  return first
}

/**
 * Why a catalogue of event types proves nothing. Its items do not name their project, so they neither prove whose key
 * this is nor prove that it is another's.
 */
export function findCatalogueFault(groups: Groups, { seen }: Pick<PageExpectation, 'seen'>): ItemFault | undefined {
  let from = 0
  for (const group of groups) {
    if (!group.ok) return { kind: 'malformed', what: group.reason }
    for (const [index, { uid }] of group.items.entries()) {
      const what = whatBreaksUid(uid, seen)
      if (what !== undefined) return { kind: 'malformed', what: `item ${from + index + 1} ${what}` }
    }
    from += group.items.length
  }
  return undefined
}

function findForeign(
  items: readonly JsonObject[],
  from: number,
  { projectUid, key }: PageExpectation,
): ItemFault | undefined {
  for (const [index, item] of items.entries()) {
    if (!isName(item.project_id) || item.project_id === projectUid) continue
    const owner = withoutCredentials(foreignText(item.project_id, key)).replace(/[()"]/g, '')
    const what = `item ${from + index + 1} belongs to another project, ${owner}: the key is not one for this project`
    return { kind: 'foreign', what }
  }
  return undefined
}

function findBroken(
  items: readonly JsonObject[],
  from: number,
  { filters, seen }: PageExpectation,
): ItemFault | undefined {
  for (const [index, item] of items.entries()) {
    const what = whatBreaks(item, filters, seen)
    if (what !== undefined) return { kind: 'malformed', what: `item ${from + index + 1} ${what}` }
  }
  return undefined
}

function whatBreaks(item: JsonObject, filters: readonly ListingFilter[], seen: Set<string>): string | undefined {
  const { uid, project_id: projectId } = item
  if (!isName(projectId)) return 'has no project_id'
  const broken = whatBreaksUid(uid, seen)
  if (broken !== undefined) return broken
  const missed = filters.find((filter) => !filter.holds(item))
  return missed && `does not match the ${missed.name} filter: the service ignored it`
}

function whatBreaksUid(uid: unknown, seen: Set<string>): string | undefined {
  if (!isName(uid) || !uid.isWellFormed()) return 'has no usable uid'
  if (uid.length > longestUid) return `has a uid of more than ${longestUid} characters`
  const mark = uid.length > longestKept ? hash('sha256', uid, 'base64') : uid
  if (seen.has(mark)) return 'was listed before in the same walk'
  seen.add(mark)
  return undefined
}

/** A number is not an identifier, even if it was kept as its text. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !isExactNumber(value)
}
