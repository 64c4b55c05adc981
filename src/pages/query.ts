import { AuditError } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import type { SiteQuery } from './page.ts'

const longest = 1000

/**
 * Reads the query of an address.
 * @param names the parameters that may be there
 * @throws AuditError.usage for any other, and for a value that is too long
 */
export function readQuery(search: URLSearchParams, names: readonly string[]): SiteQuery {
  for (const [name, value] of search) {
    if (!names.includes(name)) {
      throw AuditError.usage(`unknown parameter "${name}"${suggestName(name, names)}`, {
        advice: names.length === 0 ? 'This page accepts none.' : `This page accepts: ${names.join(', ')}.`,
      })
    }
    if (value.length > longest) throw AuditError.usage(`the parameter "${name}" has more than ${longest} characters`)
  }
  const all = (name: string) => search.getAll(name).filter((value) => value !== '')
  return { all, one: (name) => all(name)[0] }
}

/**
 * One of a few words; undefined when the parameter is absent.
 * @throws AuditError.usage for another word
 */
export function readChoice<Word extends string>(
  query: SiteQuery,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = query.one(name)
  const word = words.find((one) => one === value)
  if (word === undefined && value !== undefined) {
    throw AuditError.usage(`the parameter "${name}" is "${value}", expected one of ${words.join(', ')}`)
  }
  return word
}

/**
 * The number of a run; undefined when the parameter is absent.
 * @throws AuditError.usage when it is not a number
 */
export function readRunNumber(query: SiteQuery, name: string): number | undefined {
  const value = query.one(name)
  if (value === undefined || /^\d{1,15}$/.test(value)) return value === undefined ? undefined : Number(value)
  throw AuditError.usage(`the parameter "${name}" is "${value}", expected the number of a run`)
}
