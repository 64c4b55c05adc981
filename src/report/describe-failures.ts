import type { FaultKind } from '../gateway/service/service-fault.ts'
import { type CoverageCause, type CoverageStatus, readReason } from '../model/coverage.ts'
import type { ReportProject } from '../model/evaluation.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import { isProjectListName } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import type { ControlEvidence } from './compliance/compliance.ts'
import { isGap } from './gaps.ts'

/** A cause of failed walks in words: the headline, and what is known of it. */
interface FailureDescription {
  readonly headline: string
  /** What was not read for it, which is one of the facts. */
  readonly cost: string
  readonly facts: readonly { readonly label: 'asked' | 'url' | 'key' | 'cost' | 'next'; readonly text: string }[]
}

/** Describes a group for a person: every format shows these words. */
export function describeFailures(group: FailureGroup): FailureDescription {
  const { service, what, url, urlOrigin, requestId, keys, cause } = group
  const request = url === null ? [] : [{ label: 'asked' as const, text: `GET ${url}${idOf(requestId)}` }]
  const hidden = keys.length - mostNamed
  const next = cause === null ? null : nextStep(cause, url)
  const cost = describeCost(group)
  return {
    headline: `${service}: ${what}`,
    cost,
    facts: [
      ...request,
      ...(urlOrigin === null ? [] : [{ label: 'url' as const, text: urlOrigin }]),
      ...keys.slice(0, mostNamed).map((text) => ({ label: 'key' as const, text })),
      ...(hidden > 0 ? [{ label: 'key' as const, text: `and ${hidden} more` }] : []),
      { label: 'cost', text: cost },
      ...(next === null ? [] : [{ label: 'next' as const, text: next }]),
    ],
  }
}

/** What to do about a cause; null where the reason itself says it. `url`: what was asked. */
export function nextStep(cause: CoverageCause, url: string | null): string | null {
  return isFault(cause) ? stepAfterFault(cause, url) : doubtSteps[cause]
}

/** Of lists that were read to their end and are not believed. */
const doubtSteps = {
  unseen_fields: 'Request an item of the list with curl: was the service upgraded, or does a proxy leave fields out?',
  contradicted: 'Run the audit again; if it stays, compare both lists with what the service shows to people.',
  unproven: null,
  suspect_loss: null,
  suspect_page: null,
  bug: null,
} as const satisfies Record<Exclude<CoverageCause, FaultKind>, string | null>

/** What to do about a fault of an exchange. */
export function stepAfterFault(kind: FaultKind, url: string | null): string {
  return faultSteps[kind]({ url })
}

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

/** Groups the walks that should be complete and are not by service and cause: one cause is one message. */
export function groupFailures(
  coverage: Report['coverage'],
  projects: readonly Pick<ReportProject, 'project' | 'configured_at'>[],
): readonly FailureGroup[] {
  return groupByCause(coverage.filter(isGap), projects)
}

export function groupByCause(
  walks: Report['coverage'],
  projects: readonly Pick<ReportProject, 'project' | 'configured_at'>[],
): readonly FailureGroup[] {
  const positions = new Map(projects.map(({ project, configured_at: at }) => [project, at && `${at.file}:${at.line}`]))
  const alike = Map.groupBy(walks, (walk) =>
    JSON.stringify([serviceOf(walk), walk.cause, bareReason(walk).toLowerCase()]),
  )
  return [...alike.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [groupOf(first, more, positions)],
  )
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
    .replace(/^(?:page \d{1,9}|project|list of projects|event types|filters): /, '')
    .replace(/^item \d{1,9} /, 'an item ')
    .replace(/ after \d{1,5} tries/, '')
    .replace(', no time left for further tries', '')
}

const mostNamed = 5

function idOf(requestId: string | null): string {
  return requestId === null ? '' : ` (request id ${requestId})`
}

function describeCost({ projects, walks, items }: FailureGroup): string {
  const seen = items === 0 ? 'nothing seen' : `${count(items, 'resource')} seen`
  const [only] = projects
  if (projects.length === 1 && only !== undefined) {
    const each = only.walks.map(({ listing, status }) => `${listing} ${status.toUpperCase()}`)
    return `${only.name}${describePosition(only)} ${each.join(', ')}; ${seen}`
  }
  const names = projects.slice(0, mostNamed).map((project) => `${project.name}${describePosition(project)}`)
  const hidden = projects.length - names.length
  const more = hidden > 0 ? ` and ${hidden} more` : ''
  return `${count(walks, 'listing')} of ${countProjects(projects.map(({ name }) => name))}: ${names.join(', ')}${more}; ${seen}`
}

/** `acme/*` is not a project: it is the list of the projects of a service. */
function countProjects(names: readonly string[]): string {
  const projects = names.filter((name) => !isProjectListName(name)).length
  const counted = count(projects, 'project')
  return projects === names.length ? counted : `${counted} and the list of projects`
}

function describePosition({ configuredAt }: FailureGroup['projects'][number]): string {
  return configuredAt === null ? '' : ` (${configuredAt})`
}

const faultSteps = {
  sigint: () => 'Run the audit again.',
  sigterm: () => 'Run the audit again.',
  run_timeout: () => 'Raise `run_timeout`, or audit fewer projects at once.',
  stopped: () => 'Run the audit again.',
  timeout: () =>
    'Check the service and the way to it; for slow pages lower `page_size` or raise `limits.page_timeout`.',
  unknown_host: () => 'Check the host name in `url`, and the name server of this machine.',
  network: ({ url }) => `Check that the service runs and that this machine reaches it: curl -v ${originOf(url)}`,
  wrong_url: () => 'Correct `url` of the service in the configuration.',
  tls: () => 'Correct the certificate at the service, or `url` and `ca_file` in the configuration.',
  rate_limited: () => 'Run again later; lower `concurrency` or raise `limits.retry_budget` if it stays.',
  http: () => 'Check the service and its log, then run the audit again.',
  in_front: () =>
    'Have what answered let these requests and their header `Authorization` through: `hookdrift docs connect-a-service#get-through-networks`.',
  refused_key: () =>
    'Check the key where it is configured, or make a new one. If it worked before, check the service first.',
  forbidden: () => "Give the key's user the right to read these projects, or take another key.",
  not_found: () =>
    'Check that the project was not deleted, that its id is the one in its settings, and what the key may read.',
  not_offered: () => 'Compare `url` with the address that people use, without /api/v1: hookdrift appends it.',
  malformed: ({ url }) => `Check what answers there: curl -v ${originOf(url)}`,
  foreign: () =>
    'Use a personal key for all projects, or give each project its own: a key of a project lists others but reads one.',
} as const satisfies Record<FaultKind, (group: Pick<FailureGroup, 'url'>) => string>

function isFault(cause: CoverageCause): cause is FaultKind {
  return cause in faultSteps
}

function originOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : 'with the `url` of the service'
}

function groupOf(
  first: ReportCoverage,
  more: readonly ReportCoverage[],
  positions: ReadonlyMap<string, string | null>,
): FailureGroup {
  const walks = [first, ...more]
  const facts = walks.map(({ reason }) => readReason(reason ?? ''))
  const requested = facts.find(({ url }) => url !== null) ?? facts[0]
  return {
    service: serviceOf(first),
    cause: first.cause,
    what: bareReason(first),
    url: requested?.url ?? null,
    urlOrigin: facts.find(({ urlOrigin }) => urlOrigin !== null)?.urlOrigin ?? null,
    requestId: requested?.requestId ?? null,
    keys: [...new Set(facts.flatMap(({ key }) => (key === null ? [] : [key])))],
    projects: [...Map.groupBy(walks, ({ project }) => project)].map(([name, ofProject]) => ({
      name,
      configuredAt: positions.get(name) ?? null,
      walks: ofProject.map(({ listing, status, items }) => ({ listing, status, items })),
    })),
    walks: walks.length,
    items: walks.reduce((sum, { items }) => sum + items, 0),
  }
}

export type EvidenceGap = ControlEvidence['coverage']['gaps'][number]

/** Walks that are missing alike: one cause is one message. */
export interface EvidenceGapGroup {
  /** `acme/shipping endpoints, sources; acme/orders endpoints`. */
  readonly where: string
  readonly status: EvidenceGap['status']
  readonly reason: string
}

/** Groups walks by their service and by why they are missing; one that is alone keeps its whole reason. */
export function groupEvidenceGaps(gaps: readonly EvidenceGap[]): readonly EvidenceGapGroup[] {
  return [
    ...Map.groupBy(gaps, (gap) => JSON.stringify([serviceOf(gap), gap.status, bareReason(gap)])).values(),
  ].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const reason = more.length === 0 ? (first.reason ?? 'no reason given') : bareReason(first)
    return [{ where: nameGaps([first, ...more]), status: first.status, reason }]
  })
}

/** `acme/shipping endpoints, sources; acme/orders endpoints`. */
export function nameGaps(gaps: readonly EvidenceGap[]): string {
  return [...Map.groupBy(gaps, ({ project }) => project)]
    .map(([project, alike]) => `${project} ${alike.map(({ listing }) => listing).join(', ')}`)
    .join('; ')
}
