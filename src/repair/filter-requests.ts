import { resourceFields } from '../gateway/fields.ts'
import { displayText } from '../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { cut, quote } from '../text/neutralise.ts'
import { type FilterPlan, type FilterStates, isWithin, pathOf } from './filter-plan.ts'
import { type BodyObject, type Pieces, placeholdersIn } from './pieces.ts'
import { nameOf, type Placeholders, withoutSeals } from './placeholders.ts'
import type { PathPlaceholder, RepairRequest } from './repair.ts'
import { type ManualStep, writeBody } from './write-body.ts'

/** The subscription whose rows the requests change. */
export interface RowOwner {
  /** Its path, with a placeholder where it is made anew. */
  readonly path: Pieces
  readonly pathPlaceholders: readonly PathPlaceholder[]
}

/**
 * Requests that change filter rows: first those that need no uid, because they are the ones that deliver again. The
 * history does not keep the uid of a row, so a list comes before the requests that name one.
 */
export function filterRequests(
  plan: FilterPlan,
  { target, now, changed }: FilterStates,
  owner: RowOwner,
  placeholders: Placeholders,
): { readonly requests: readonly RepairRequest[]; readonly manualSteps: readonly ManualStep[] } {
  const manualSteps: ManualStep[] = []
  const added = plan.added.filter((type) => isNamed(type) || leave(type, unnamed)).map(add)
  const named = (type: string) =>
    isNamed(type) ? withoutSeals(type) === type || leave(type, sealedType) : leave(type, unnamed)
  const updated = plan.updated.filter(named).map(update)
  const deleted = plan.deleted.filter(named).map(remove)
  const list = requestTo('GET', '/filters', 'list the filter rows, for the uids in the requests below')
  return {
    requests: [...added, ...(updated.length + deleted.length === 0 ? [] : [list]), ...updated, ...deleted],
    manualSteps,
  }

  function leave(type: string, reason: string): false {
    manualSteps.push({ path: pathOf(type), reason })
    return false
  }

  function add(type: string): RepairRequest {
    return {
      ...requestTo('POST', '/filters', `add the filter row for ${show(type)}`, type),
      ...bodyOf(type, undefined),
    }
  }

  function update(type: string): RepairRequest {
    return { ...requestToRow('PUT', type, `update the filter row for ${show(type)}`), ...bodyOf(type, now[type]) }
  }

  function remove(type: string): RepairRequest {
    return requestToRow('DELETE', type, `delete the filter row for ${show(type)}`)
  }

  function requestToRow(method: 'PUT' | 'DELETE', type: string, purpose: string): RepairRequest {
    const uid = placeholders.make(nameOf('FILTER_ID', `/${type}`))
    // Whole, because two may begin alike.
    const hint = `the uid of the row whose event_type is ${quote(displayText(type))}, from the answer that lists the rows`
    const request = requestTo(method, '/filters/', purpose, type)
    return {
      ...request,
      path: [...request.path, uid],
      pathPlaceholders: [...request.pathPlaceholders, { name: uid.name, hint }],
    }
  }

  function requestTo(method: RepairRequest['method'], step: string, purpose: string, type?: string): RepairRequest {
    return {
      method,
      path: [...owner.path, step],
      pathPlaceholders: owner.pathPlaceholders,
      body: null,
      placeholders: [],
      purpose,
      restores: type === undefined ? [] : changed.filter((path) => isWithin(path, type)).map(withoutSeals),
      when: null,
    }
  }

  function bodyOf(type: string, before: unknown): Pick<RepairRequest, 'body' | 'placeholders'> {
    const row = target[type]
    const states = { target: isJsonObject(row) ? row : {}, now: isJsonObject(before) ? before : undefined }
    const written = writeBody(resourceFields.subscription.filters.members, states)
    manualSteps.push(...written.manualSteps.map(({ path, reason }) => ({ path: `${pathOf(type)}${path}`, reason })))
    const whole: JsonObject = { event_type: type, ...written.body }
    const body: BodyObject = placeholders.fill(whole)
    return { body, placeholders: placeholdersIn(body).map((each) => ({ ...each, hint: hintFor(each.path) })) }
  }
}

/** Whether a key is an event type: a row without one is keyed by its index. */
function isNamed(type: string): boolean {
  return !/^#\d{1,9}\??$/.test(type)
}

const unnamed = 'The service showed no event type of this row: change it in the dashboard.'
const sealedType = 'Its event type is sealed, so no request can name the row: change it in the dashboard.'
const longestType = 60

function show(type: string): string {
  return quote(cut(displayText(withoutSeals(type)), longestType))
}

/** In filters, the seal of a number or of a pattern is a text, too. */
function hintFor(path: string): string {
  return path === '/event_type' ? 'the event type' : 'the former secret; drop the quotes around it if it is not a text'
}

/** Rows of both states; undefined where one of them was not read. */
export function filterStatesOf(
  target: JsonObject,
  now: JsonObject | undefined,
  changed: readonly string[],
): FilterStates | undefined {
  const rows = now === undefined ? {} : now.filters
  return isJsonObject(target.filters) && isJsonObject(rows) ? { target: target.filters, now: rows, changed } : undefined
}

/** Steps for a person: changes of the rows that no request makes. */
export function manualStepsOfFilters(changed: readonly string[], restored: ReadonlySet<string>): readonly ManualStep[] {
  return changed
    .filter((path) => path.startsWith('/filters/') && path.endsWith('/enabled_at') && !restored.has(withoutSeals(path)))
    .map((path) => ({ path, reason: 'The row is switched on, as it was: only since when differs.' }))
}
