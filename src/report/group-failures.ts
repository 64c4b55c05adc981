import type { CoverageCause, CoverageStatus } from '../model/coverage.ts'
import { readReason } from '../model/failure-reason.ts'
import type { Report, ReportCoverage, ReportProject } from '../model/report.ts'
import { isGap } from './gaps.ts'

/** All walks of a service that failed for one cause. */
export interface FailureGroup {
  readonly service: string
  /** null where no walk gives a cause. */
  readonly cause: CoverageCause | null
  /** What came back, without page, tries and request id. */
  readonly what: string
  /** The first address that was requested, without its query; null when none is known. */
  readonly url: string | null
  /** Where the URL of the service is configured; null unless that is what to check. */
  readonly urlOrigin: string | null
  /** Of that request. */
  readonly requestId: string | null
  /** Where the keys are configured, and what may be said of them; empty unless the cause is the key. */
  readonly keys: readonly string[]
  /** In the order of the report. */
  readonly projects: readonly FailedProject[]
  readonly walks: number
  /** Items that these walks saw before they ended. */
  readonly items: number
}

interface FailedProject {
  readonly name: string
  /** `file:line`; null when it is not configured in a file. */
  readonly configuredAt: string | null
  readonly walks: readonly { readonly listing: string; readonly status: CoverageStatus; readonly items: number }[]
}

/** Groups the walks that are not complete by service and cause: one cause is one message. */
export function groupFailures(
  coverage: Report['coverage'],
  projects: readonly Pick<ReportProject, 'project' | 'configured_at'>[],
): readonly FailureGroup[] {
  const places = new Map(projects.map(({ project, configured_at: at }) => [project, at && `${at.file}:${at.line}`]))
  const alike = Map.groupBy(coverage.filter(isGap), (walk) =>
    JSON.stringify([serviceOf(walk), walk.cause, bareReason(walk).toLowerCase()]),
  )
  return [...alike.values()].flatMap(([first, ...more]) => (first === undefined ? [] : [groupOf(first, more, places)]))
}

function groupOf(
  first: ReportCoverage,
  more: readonly ReportCoverage[],
  places: ReadonlyMap<string, string | null>,
): FailureGroup {
  const walks = [first, ...more]
  const facts = walks.map(({ reason }) => readReason(reason ?? ''))
  const asked = facts.find(({ url }) => url !== null) ?? facts[0]
  return {
    service: serviceOf(first),
    cause: first.cause,
    what: bareReason(first),
    url: asked?.url ?? null,
    urlOrigin: facts.find(({ urlOrigin }) => urlOrigin !== null)?.urlOrigin ?? null,
    requestId: asked?.requestId ?? null,
    keys: [...new Set(facts.flatMap(({ key }) => (key === null ? [] : [key])))],
    projects: [...Map.groupBy(walks, ({ project }) => project)].map(([name, ofProject]) => ({
      name,
      configuredAt: places.get(name) ?? null,
      walks: ofProject.map(({ listing, status, items }) => ({ listing, status, items })),
    })),
    walks: walks.length,
    items: walks.reduce((sum, { items }) => sum + items, 0),
  }
}

export function serviceOf({ project }: Pick<ReportCoverage, 'project'>): string {
  return project.split('/', 1)[0] ?? project
}

/** Why a walk failed, without what differs between those that failed alike. */
export function bareReason({ reason }: Pick<ReportCoverage, 'reason'>): string {
  return reason === null ? 'no reason given' : bareWhat(readReason(reason).what)
}

/** What differs between requests that failed alike is left out: the page, the item, the tries. */
export function bareWhat(what: string): string {
  return what
    .replace(/^(?:page \d{1,9}|project|event types|list of projects): /, '')
    .replace(/^item \d{1,9} /, 'an item ')
    .replace(/ after \d{1,5} tries/, '')
    .replace(', no time left for further tries', '')
}
