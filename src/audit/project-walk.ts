import type { IdentifyItem, ProjectAccess } from '../gateway/service/service-client.ts'
import { isStop, ServiceFault } from '../gateway/service/service-fault.ts'
import type { CoverageStatus, ProjectCoverage } from '../model/coverage.ts'
import type { Listing } from '../model/resource.ts'
import type { Clock } from '../model/time.ts'
import type { AuditedProject } from './audited-project.ts'
import { describeFault } from './describe-fault.ts'
import { isOptional } from './due-listings.ts'
import type { FilterWalk } from './filter-walk.ts'
import { countEntries, findListFault } from './find-list-fault.ts'
import { filterText } from './listing-filters.ts'
import type { OpenRun } from './open-run.ts'
import { kindOf, type Page } from './project-scan.ts'

export interface Walk {
  readonly coverage: ProjectCoverage
  /** Whether the last page came empty although the one before it promised more: something may be missing. */
  readonly lacksPromisedPage: boolean
}

type Take = (page: Page, durationMs: number) => Promise<void>

/** Walks the listings of one project, with one key and one budget for waiting. */
export class ProjectWalk {
  /** Its traffic is of nothing yet: each walk counts its own. */
  readonly access: ProjectAccess
  readonly #project: AuditedProject
  readonly #clock: Clock

  constructor(project: AuditedProject, { signal, clock }: Pick<OpenRun, 'signal' | 'clock'>) {
    const { ref, key, filters } = project
    this.#project = project
    this.#clock = clock
    this.access = {
      projectUid: ref.uid,
      key,
      filters,
      signal,
      traffic: { requests: 0, retries: 0 },
      budget: { waitedMs: 0 },
      acceptance: { isAccepted: false },
    }
  }

  /**
   * Walks one listing to its end, handing on the items of each page as it comes, and says what that proved. A fault of
   * the service ends the walk, not the run; what came before it still counts for what it shows. `rows`: adds to pages
   * what is read for them. `identify`: decides which items are known.
   */
  async list(
    listing: Listing,
    take: Take,
    { rows, identify }: { readonly rows: FilterWalk | undefined; readonly identify: IdentifyItem | undefined },
  ): Promise<Walk> {
    const project = this.#project
    /** Without what reading filter rows takes, which is counted apart. */
    const time = () => this.#clock.now() - (rows?.durationMs ?? 0)
    const startedAt = time()
    const traffic = { requests: 0, retries: 0 }
    let pages = 0
    let items = 0
    let lacksPromisedPage = false
    const result = (status: CoverageStatus, fault?: ServiceFault): Walk => {
      const durationMs = Math.round(time() - startedAt)
      const filter = filterText(listing, project.filters)
      const reason = fault === undefined ? null : describeFault(fault, project)
      const why = { cause: fault?.kind ?? null, reason }
      return {
        coverage: { listing, status, ...why, filter, pages, items, ...traffic, duration_ms: durationMs },
        lacksPromisedPage,
      }
    }
    try {
      let askedAt = startedAt
      const listed = pagesOf(listing, project, { ...this.access, traffic, identify })
      for await (const page of rows?.readFor(listed) ?? listed) {
        lacksPromisedPage = page.number > 1 && page.items.length === 0
        await take(page, time() - askedAt)
        pages = page.number
        items += page.items.length
        askedAt = time()
      }
      return result('complete')
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      // What had a first page is offered.
      const isAuto = isOptional(listing) && project.listings[listing] === 'auto'
      if (error.kind === 'not_offered' && pages === 0 && isAuto) return result('skipped', error)
      // Who was stopped has not failed, even before the first page.
      const isPartial = isStop(error.kind) || (pages > 0 && error.kind !== 'foreign')
      return result(isPartial ? 'partial' : 'failed', error)
    }
  }
}

async function* pagesOf(listing: Listing, { client }: AuditedProject, access: ProjectAccess): AsyncGenerator<Page> {
  if (listing === 'project') {
    const project = await client.project(access)
    const fault = findListFault('project', project)
    if (fault !== undefined) throw new ServiceFault('malformed', `project: it ${fault}`)
    yield { number: 1, items: [project] }
    return
  }
  if (listing === 'event_types') {
    for await (const { number, items } of client.eventTypes(access)) yield { number, items }
    return
  }
  const kind = kindOf[listing]
  let counted = { page: 0, entries: 0 }
  for await (const { number, from = 0, items, identities, requestId } of client.pages(listing, access)) {
    const fault = (what: string) => new ServiceFault('malformed', `page ${number}: ${what}`, { requestId })
    let entries = counted.page === number ? counted.entries : 0
    for (const [index, item] of items.entries()) {
      const listFault = findListFault(kind, item)
      if (listFault !== undefined) throw fault(`item ${from + index + 1} ${listFault}`)
      entries += countEntries(kind, item)
    }
    if (entries > mostEntries) throw fault(`its items have more than ${mostEntries} secrets: ask for smaller pages`)
    counted = { page: number, entries }
    yield { number, items, identities }
  }
}

/** Of one page: five for each of the most items that it may hold. */
const mostEntries = 100_000
