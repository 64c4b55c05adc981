import { isExactNumber } from '../model/exact-number.ts'
import type { JsonObject } from '../model/json.ts'
import type { Filter } from './filter.ts'
import type { FaultKind } from './service-fault.ts'

interface ItemFault {
  readonly kind: FaultKind
  readonly what: string
}

interface Expectation {
  readonly projectUid: string
  readonly filters: readonly Filter[]
  /** uids of the walk so far; those of the page are added. */
  readonly seen: Set<string>
}

/** Every uid of a walk is kept in memory until its end. */
const longestUid = 1000

/**
 * Why a page proves nothing: an item of another project (service-behaviour.md 7), without an identity, seen before, or
 * outside the filter. A foreign item counts before all else: it says whose key this is.
 */
export function findItemFault(
  items: readonly JsonObject[],
  { projectUid, filters, seen }: Expectation,
): ItemFault | undefined {
  const foreign = items.findIndex(({ project_id: id }) => isName(id) && id !== projectUid)
  if (foreign >= 0)
    return {
      kind: 'foreign',
      what: `item ${foreign + 1} belongs to another project: the key is not one for this project`,
    }
  for (const [index, item] of items.entries()) {
    const what = whatBreaks(item, filters, seen)
    if (what !== undefined) return { kind: 'invalid', what: `item ${index + 1} ${what}` }
  }
  return undefined
}

function whatBreaks(item: JsonObject, filters: readonly Filter[], seen: Set<string>): string | undefined {
  const { uid, project_id: projectId } = item
  if (!isName(projectId)) return 'has no project_id'
  if (!isName(uid) || uid.length > longestUid || !uid.isWellFormed()) return 'has no usable uid'
  if (seen.has(uid)) return 'was listed before in the same walk'
  seen.add(uid)
  const missed = filters.find((filter) => !filter.holds(item))
  return missed && `does not match the ${missed.name} filter: the service ignored it`
}

/** A number names nothing, even one that is kept as its text. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !isExactNumber(value)
}
