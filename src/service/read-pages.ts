import { hash } from 'node:crypto'
import type { RawPage } from '../model/raw-page.ts'
import { askAhead, untilWritten } from './ask-ahead.ts'
import { decodePage } from './decode-envelope.ts'
import { faultOf } from './describe-failure.ts'
import { filtersOf } from './filter.ts'
import { findPageFault } from './find-item-fault.ts'
import { pageGroups } from './page-groups.ts'
import { projectPath } from './project-path.ts'
import type { Ahead } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import type { PagedListing, ProjectAccess } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'
import type { ServiceSettings } from './settings.ts'

/** A page may have 20,000 items even if fewer were requested: some services do not paginate. */
export function mostItemsOf({ pageSize }: Pick<ServiceSettings, 'pageSize'>): number {
  return Math.max(20_000, pageSize)
}

/**
 * Walks a listing (sections 4.1 and 4.2 of the service's document) to its end; only `has_next_page` ends it. A large
 * page is yielded in parts with the same number. The next page is asked for while this one is taken: its answer is read
 * when the last part of this one was taken, and it is not wanted when the walk ends before.
 * @throws ServiceFault when the walk stops being a proof, after the pages before that; nothing of the faulty page is
 * yielded
 */
export async function* readPages(
  ask: SendRequest,
  listing: PagedListing,
  access: ProjectAccess,
  settings: ServiceSettings,
): AsyncGenerator<RawPage, void, void> {
  const path = `${projectPath(access.projectUid)}/${listing}`
  const filters = filtersOf(listing, access.filters, settings.dialect)
  const firstQuery = queryOf(settings, filters)
  const seen = new Set<string>()
  /** Digests: a walk remembers every cursor, and a service may make them long. */
  const cursors = new Set<string>()
  const mostItems = mostItemsOf(settings)
  const request = (cursor: string | null, ahead: Ahead | undefined) => {
    const query = new URLSearchParams(firstQuery)
    if (cursor !== null) query.set(settings.dialect.parameters.nextCursor, cursor)
    return ask({ method: 'GET', path, query, body: null, success: [200], mostItems, ahead }, access)
  }
  let next: ReturnType<typeof askAhead> | undefined
  try {
    for (let number = 1; ; number++) {
      const reply = await (next === undefined ? request(null, undefined) : next.take())
      if (!reply.ok) throw faultOf(reply, `page ${number}`)
      const { requestId } = reply
      const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `page ${number}: ${what}`, reply)
      const pieces = reply.items
      const page = decodePage(reply.value, pieces?.length)
      if (!page.ok) throw fault('malformed', page.reason)
      const { items, nextCursor } = page.value
      if (items.length > mostItems) throw fault('malformed', `has more than ${mostItems} items: ask for smaller pages`)
      const groups = () => (pieces === undefined ? [{ ok: true as const, items }] : pageGroups(pieces))
      const itemFault = findPageFault(groups(), {
        projectUid: access.projectUid,
        key: access.key,
        filters,
        seen,
      })
      if (itemFault !== undefined) throw fault(itemFault.kind, itemFault.what)
      const mark = nextCursor === null ? null : hash('sha256', nextCursor, 'base64')
      if (mark !== null && cursors.has(mark)) throw fault('malformed', 'names a next page that was read before')
      const hasMore = nextCursor !== null && mark !== null
      if (hasMore && number < settings.limits.maxPages) {
        next = askAhead((ahead) => request(nextCursor, ahead))
        await untilWritten()
      }
      let from = 0
      for (const group of groups()) {
        // The same bytes were parsed above.
        if (!group.ok) throw fault('malformed', group.reason)
        yield { number, ...(pieces === undefined ? {} : { from }), items: group.items, requestId }
        from += group.items.length
      }
      if (!hasMore) return
      if (number >= settings.limits.maxPages)
        throw fault('malformed', 'has no end within the configured number of pages')
      cursors.add(mark)
    }
  } finally {
    next?.abandon()
  }
}

function queryOf({ pageSize, dialect }: ServiceSettings, filters: ReturnType<typeof filtersOf>): URLSearchParams {
  const { parameters, sort, direction } = dialect
  const query = new URLSearchParams({ [parameters.pageSize]: String(pageSize) })
  if (sort !== undefined) query.set(parameters.sort, sort)
  if (direction !== undefined) query.set(parameters.direction, direction)
  for (const { parameter, values } of filters) {
    for (const value of values) query.append(parameter, value)
  }
  return query
}
