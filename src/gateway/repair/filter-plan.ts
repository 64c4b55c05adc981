import { isEqual, isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'

/** Filter rows by event type, in the normal form. */
type FilterRows = JsonObject

/** What an update of the subscription, or its creation, says that its filter rows are. */
export interface FilterDeclaration {
  readonly types: ReadonlySet<string>
  readonly conditions: JsonObject
}

export interface FilterStates {
  readonly target: FilterRows
  /** Empty where the subscription is gone. */
  readonly now: FilterRows
  /** JSON Pointers of what differs between both, sorted; not read where the subscription is gone. */
  readonly changed: readonly string[]
}

/** What is to be done about rows, by event type. */
export interface FilterPlan {
  readonly added: readonly string[]
  readonly updated: readonly string[]
  readonly deleted: readonly string[]
  /** What the request for the subscription does by itself. */
  readonly done: readonly string[]
}

/**
 * What brings rows from one state to another. `declared`: what the request for the subscription says that goes first;
 * undefined without one. The service then deletes the rows of types that it does not name, makes those of types that
 * have none with its conditions, and keeps the conditions of all others.
 */
export function planFilters(
  { target, now, changed }: FilterStates,
  declared: FilterDeclaration | undefined,
): FilterPlan {
  const has = (rows: FilterRows, type: string) => Object.hasOwn(rows, type)
  const isKept = (type: string) => has(now, type) && (declared === undefined || declared.types.has(type))
  const isMade = (type: string) => declared?.types.has(type) === true && !has(now, type)
  const isSame = (type: string) =>
    !changed.some(
      (path) =>
        isWithin(path, type) && !(path === `${pathOf(type)}/enabled_at` && isOn(target, type) && isOn(now, type)),
    )
  const isAsMade = (type: string) => hasConditions(target[type] ?? null, declared?.conditions ?? {})
  const wanted = Object.keys(target)
  const there = [...new Set([...Object.keys(now), ...(declared?.types ?? [])])].sort()
  return {
    added: wanted.filter((type) => !isKept(type) && !isMade(type)),
    updated: wanted.filter((type) => (isKept(type) ? !isSame(type) : isMade(type) && !isAsMade(type))),
    deleted: there.filter((type) => !has(target, type) && (isKept(type) || isMade(type))),
    done: [
      ...wanted.filter((type) => isMade(type) && isAsMade(type)),
      ...there.filter((type) => !has(target, type) && !isKept(type) && !isMade(type)),
    ],
  }
}

/** Whether a plan needs uids of rows, which the history does not keep. */
export function needsUids({ updated, deleted }: FilterPlan): boolean {
  return updated.length + deleted.length > 0
}

/** The declaration in a body of the request for the subscription; undefined where it is not known. */
export function readDeclaration(body: JsonObject, now: JsonObject | undefined): FilterDeclaration | undefined {
  const written = body.filter_config
  const filterConfig = isJsonObject(written) ? written : now?.filter_config
  if (!isJsonObject(filterConfig)) return now === undefined ? { types: new Set(['*']), conditions: {} } : undefined
  const before = now?.filter_config
  const types = filterConfig.event_types ?? (isJsonObject(before) ? before.event_types : undefined) ?? []
  if (!Array.isArray(types) || !types.every((type) => typeof type === 'string')) return undefined
  const { filter } = filterConfig
  return {
    types: new Set(now === undefined && types.length === 0 ? ['*'] : types),
    conditions: isJsonObject(filter) ? filter : {},
  }
}

/** Whether a path is that of a row, or of something in it. */
export function isWithin(path: string, type: string): boolean {
  const row = pathOf(type)
  return path === row || path.startsWith(`${row}/`)
}

/** Since when it is on does not matter. */
function isOn(rows: FilterRows, type: string): boolean {
  const row = rows[type]
  return isJsonObject(row) && row.enabled_at !== null
}

export function pathOf(type: string): string {
  return `/filters/${pointerStep(type)}`
}

const scopes = ['headers', 'body', 'query', 'path'] as const

function hasConditions(row: Json, conditions: JsonObject): boolean {
  if (!isJsonObject(row) || row.enabled_at === null) return false
  return scopes.every((scope) => isEqual(row[scope] ?? {}, conditions[scope] ?? {}))
}
