import { kinds } from '../model/resource.ts'
import type { ResourcePlace } from '../questions/diff.ts'
import type { SiteLinkQuery } from './link.ts'
import { noSuchPlace } from './list-page.ts'
import type { SiteQuery } from './page.ts'
import { readChoice } from './query.ts'

/** The parameters that name a resource, after which a list of changes goes on. */
export const resourcePlace = ['after-project', 'after-kind', 'after'] as const

/** @throws AuditError.usage when only a part of a place is named */
export function readResourcePlace(query: SiteQuery): ResourcePlace | undefined {
  const [project, uid] = [query.one('after-project'), query.one('after')]
  const kind = readChoice(query, 'after-kind', kinds)
  if (project === undefined && kind === undefined && uid === undefined) return undefined
  if (project === undefined || kind === undefined || uid === undefined) throw noSuchPlace(...resourcePlace)
  return { project, kind, uid }
}

export function placeAfter({ project, kind, uid }: ResourcePlace): SiteLinkQuery {
  return { 'after-project': project, 'after-kind': kind, after: uid }
}
