import { AuditError, messageOf } from '../model/errors.ts'
import { nearestName } from '../text/nearest-name.ts'
import { views } from './views.ts'

const allowed = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'] as const

/**
 * Refuses a query by its first word, in capitals.
 * @throws AuditError.usage
 */
export function refuseOtherWords(word: string): void {
  if (word === '') throw refusedQuery('it is empty')
  if (!allowed.some((each) => each === word)) throw refusedQuery(`it begins with ${word}`)
}

export function refusedQuery(reason: string): AuditError {
  return AuditError.usage(`the query was refused: ${reason}, expected one statement that reads`, {
    advice: `begin with ${allowed.join(', ')}; \`hookdrift query --views\` lists the views`,
  })
}

const viewsAdvice = '`hookdrift query --views` lists the views and their columns'

/** For an error that the query caused. */
export function failedQuery(error: unknown): AuditError {
  return AuditError.usage(`the query failed: ${messageOf(error)}`, {
    advice: viewsAdvice,
    cause: error,
  })
}

/** The columns of views, by the views' names. */
export type ViewColumns = ReadonlyMap<string, readonly string[]>

export function columnsByView(rows: readonly { readonly view: string; readonly name: string }[]): ViewColumns {
  const byView = Map.groupBy(rows, ({ view }) => view)
  return new Map([...byView].map(([view, columns]) => [view, columns.map(({ name }) => name)]))
}

export interface UnknownName {
  readonly kind: 'view' | 'column'
  readonly name: string
}

/** For a statement that names a view or a column that is not there. */
export function unknownInQuery(
  error: unknown,
  { kind, name }: UnknownName,
  { sql, columnsOf }: { readonly sql: string; readonly columnsOf: ViewColumns },
): AuditError {
  const word = name.slice(name.lastIndexOf('.') + 1)
  const words = new Set(sql.toLowerCase().split(/\W/))
  const named = [...columnsOf].filter(([view]) => words.has(view))
  const ofColumns = named.length > 0 ? named : [...columnsOf]
  const meant = kind === 'view' ? likelyView(word) : likelyName(word, new Set(ofColumns.flatMap(([, names]) => names)))
  const message = `the query failed: ${messageOf(error)}`
  if (meant !== undefined)
    return AuditError.usage(`${message}, did you mean ${meant}?`, { advice: viewsAdvice, cause: error })
  const knownNames =
    kind === 'view'
      ? `the views are ${Object.keys(views).join(', ')}`
      : named.map(([view, columns]) => `${view} has ${columns.join(', ')}`).join('; ')
  return AuditError.usage(message, { advice: knownNames === '' ? viewsAdvice : knownNames, cause: error })
}

/** A view of a similar name, or one that is about what was named: `approvals`. */
function likelyView(name: string): string | undefined {
  const abouts = Object.entries(views).map(([view, about]) => [view, about.split(/\W/)] as const)
  return likelyName(name, Object.keys(views)) ?? mostAlike(name, abouts)
}

/** A name with words that begin as those of the other, such as `violations`, or one that differs by slips of the pen. */
function likelyName(name: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates]
  return (
    mostAlike(
      name,
      names.map((each) => [each, each.split('_')]),
    ) ?? nearestName(name, names)
  )
}

function mostAlike(
  name: string,
  candidates: readonly (readonly [name: string, words: readonly string[]])[],
): string | undefined {
  const words = name.toLowerCase().split('_')
  const alike = candidates.map(([, otherWords]) =>
    words.reduce((sum, word) => sum + Math.max(...otherWords.map((other) => likeness(word, other))), 0),
  )
  const most = Math.max(...alike)
  return most === 0 ? undefined : candidates[alike.indexOf(most)]?.[0]
}

/** How many letters two words begin with alike, where that is half of both. */
function likeness(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length >= 3 && length * 2 >= Math.max(a.length, b.length) ? length : 0
}

export function slowQuery(timeoutMs: number): AuditError {
  return AuditError.usage(`the query was cut: it took more than ${timeoutMs / 1000} s`, {
    advice: 'ask for less: one run, one project, a LIMIT',
  })
}

export function largeQuery(characters: number): AuditError {
  return AuditError.usage(`the query was cut: its rows take more than ${characters} characters`, {
    advice: 'ask for fewer columns or rows',
  })
}

/** Column names; a repeated one gets a number. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let uniqueName = name
    for (let number = 2; taken.has(uniqueName); number += 1) uniqueName = `${name}_${number}`
    taken.add(uniqueName)
    return uniqueName
  })
}
