import type { ControlCoverage } from '../model/compliance.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import type { Kind, Listing } from '../model/resource.ts'

/** How well the kinds that a control's rules judge were looked at. */
export function coverageOf(kinds: ReadonlySet<Kind>, { coverage }: Pick<Report, 'coverage'>): ControlCoverage {
  const wanted = listingsOf(kinds)
  const shown = coverage.filter((walk) => wanted.has(walk.listing) && !isReplaced(walk))
  const complete = shown.filter(({ status }) => status === 'complete')
  return {
    walks: shown.length,
    complete: complete.length,
    pages: sum(shown.map(({ pages }) => pages)),
    items: sum(shown.map(({ items }) => items)),
    duration_ms: sum(shown.map(({ duration_ms }) => duration_ms)),
    gaps: [
      ...shown
        .filter(({ status }) => status !== 'complete')
        .map(({ project, listing, status, reason }) => ({ project, listing, status, reason })),
      ...(wanted.has('project') ? neverAsked(coverage) : []),
    ],
  }
}

/** Projects whose own settings the configuration does not ask for: rules about them judged nothing. */
function neverAsked(coverage: readonly ReportCoverage[]): ControlCoverage['gaps'] {
  const asked = new Set(coverage.filter(({ listing }) => listing === 'project').map(({ project }) => project))
  const left = new Set(coverage.map(({ project }) => project).filter((project) => !asked.has(project)))
  return [...left].map((project) => {
    return { project, listing: 'project', status: 'skipped', reason: 'the configuration does not ask for it' }
  })
}

function listingsOf(kinds: ReadonlySet<Kind>): Set<Listing> {
  const listings = new Set<Listing>()
  if (kinds.has('project')) listings.add('project')
  if (kinds.has('endpoint')) listings.add('endpoints')
  // Where a service does not list its sources, subscriptions show them.
  if (kinds.has('source')) listings.add('sources').add('subscriptions')
  if (kinds.has('subscription') || kinds.has('device')) listings.add('subscriptions')
  return listings
}

function isReplaced({ listing, status }: ReportCoverage): boolean {
  return listing === 'sources' && status === 'skipped'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
