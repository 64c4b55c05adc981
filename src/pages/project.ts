import { nextTimes } from '../app/worker/next-times.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { countUnsureRules } from '../model/gap.ts'
import { globOf } from '../model/glob.ts'
import { kinds } from '../model/resource.ts'
import { countSeverities, isOpen } from '../model/violation.ts'
import { presentScans, toCoverage } from '../questions/as-of.ts'
import { rankViolations, readFirst } from '../questions/choose-violations.ts'
import { countByProject, describeBesides, openBesides, releasesOf } from '../questions/status.ts'
import { findTrend } from '../questions/trend.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { checkedExtent, extentOf, isGap, type ScanExtent, showCount, sizeOf } from '../report/gaps.ts'
import { emptyState, type Fact, factList, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showTime } from '../report/text/show-time.ts'
import { atLastRun } from './find-runs.ts'
import { openOfLastWeek } from './last-week.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readConfigured } from './read-configured.ts'
import { onceForNotes, readGaps, readProjectEvaluations, readResourceCounts, readScans } from './run-facts.ts'
import { readLastComplete, showCauses, showRunAt, unreadKinds } from './show-gaps.ts'
import { showLastChanges } from './show-last-changes.ts'
import { showMissed } from './show-late.ts'
import { showNumbers } from './show-numbers.ts'
import { showViolationList } from './show-rows.ts'
import { showUnevaluated, showUnscanned } from './unscanned.ts'
import { groupKeys, showGroups } from './violation-groups.ts'

/** A project: how its last scan went, what is open and since when, what changed, what it has. */
export const projectPage: SitePage = {
  path: '/projects/:service/:project',
  parameters: [],
  // Schedules say when its next audit is.
  isOfRun: 'past',
  async show(request) {
    const { history, run, params } = request
    const name = `${params.service}/${params.project}`
    const [scan, last] = [await findScan(request, name), await atLastRun(request)]
    if (scan === undefined) throw new NotFound(`As of run ${run.number}, no project ${name} was scanned`)
    const coverage = toCoverage(scan)
    const trend = await onceForNotes(request, `trend of ${name}`, () =>
      findTrend(history, { run, since: undefined, projects: [globOf(name)] }),
    )
    const active = await listViolations(history, { run: run.number, withOwners: true })
    const gaps = await readGaps(request, (project) => project === name)
    const violations = violationsOf(active, scan, countUnsureRules(gaps))
    const numbers = {
      open: countSeverities(violations.open),
      unknown: countSeverities(violations.unknown),
      extent: extentOf(coverage),
    }
    return {
      title: name,
      crumbs: [],
      alarm: showUnscanned({ coverage }),
      body: html`${await showCauses(request, coverage)}${showNumbers(numbers)}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, active, name) })}
${await showOpen(request, violations)}${await showLastChanges(request, name)}${await showOwners(request, violations)}${showCoverage(coverage, gaps)}`,
      aside: factList([
        ...scanFacts(scan),
        ['Open', countOpen(violations)],
        ...earlierFacts(request, active, scan),
        ...(await readScheduleFacts(request, scan)),
        ...(await readReleaseFacts(request, scan)),
        ...(await readResourceFacts(request, name)),
      ]),
      same: { command: ['violations'], options: { open: true, project: globOf(name) } },
      atLast: last !== undefined && (await findScan(last, name)) === undefined ? '/' : undefined,
    }
  },
}

/** A project has the name that it had when the run last scanned it. */
async function findScan(request: SiteRequest, name: string): Promise<RecordedScan | undefined> {
  return (await readScans(request)).find(({ project }) => project.name === name)
}

function scanFacts({ run, incompleteSince }: RecordedScan): Fact[] {
  const complete =
    incompleteSince === undefined
      ? 'yes'
      : `not since run ${incompleteSince.number}, ${showTime(incompleteSince.started_at)}`
  return [
    ['Last scan', html`${showInstant(run.finished_at)}, run ${run.number}`],
    ['Complete', complete],
  ]
}

/** What is open and unknown of earlier projects of its name. */
function earlierFacts(
  request: SiteRequest,
  active: readonly ListedViolation[],
  { project, run }: RecordedScan,
): readonly Fact[] {
  const listed = [{ project: project.name, run: run.number }]
  const earlier = openBesides(countByProject(active), listed).filter(({ isNamesake }) => isNamesake)
  return earlier.map((other) => {
    const href = request.link('/violations', { project: globOf(project.name), state: other.state })
    return [
      `${other.state === 'open' ? 'Open' : 'Unknown'} of ${describeBesides(other)}`,
      html`<a href="${href}">${other.violations}</a>`,
    ]
  })
}

/** The release of its service, as far as its projects show it. */
async function readReleaseFacts(request: SiteRequest, { project }: RecordedScan): Promise<readonly Fact[]> {
  const scans = presentScans(await readScans(request)).filter((scan) => scan.project.service === project.service)
  const releases = releasesOf(scans, await readProjectEvaluations(request))
  return releases.map(({ said }) => ['Release of the service', said])
}

/** How many resources of each kind that it has, and where they are listed. */
async function readResourceFacts(request: SiteRequest, name: string): Promise<readonly Fact[]> {
  // Projects that had the name, one after the other, are listed together.
  const counts = (await readResourceCounts(request)).filter(({ project }) => project.name === name)
  return [...Map.groupBy(counts, ({ kind }) => kind)].map(([kind, alike]) => {
    const resources = alike.reduce((sum, each) => sum + each.resources, 0)
    return [
      `${kind.replace('_', ' ')}s`,
      html`<a href="${request.link('/resources', { project: name, kind })}">${resources}</a>`,
    ]
  })
}

const mostShown = 20

interface ProjectViolations {
  readonly scan: RecordedScan
  /** How much of it could be checked. */
  readonly extent: ScanExtent
  readonly open: readonly ListedViolation[]
  /** Open when they were last seen; the last scan could not check them. */
  readonly unknown: readonly ListedViolation[]
}

/**
 * The open violations of a project, and those that its last scan could not check. `active`: those of all projects;
 * `doubted`: how many rules could not evaluate everything in it.
 */
function violationsOf(active: readonly ListedViolation[], scan: RecordedScan, doubted: number): ProjectViolations {
  // Not of an earlier project of its name, which another run scanned last.
  const ofProject = active.filter(({ project, run }) => project === scan.project.name && run === scan.run.number)
  const unknown = ofProject.filter(({ state }) => state === 'unknown')
  return {
    scan,
    extent: checkedExtent(toCoverage(scan), unknown.length + doubted),
    open: ofProject.filter(isOpen),
    unknown,
  }
}

/** `10`, `10+ (8 then)`, `? (8 then)`. */
function countOpen({ open, unknown, extent }: ProjectViolations): string {
  const then = unknown.length === 0 ? '' : ` (${unknown.length} then)`
  return `${showCount(open.length, extent)}${then}`
}

/** What is open; and what was open before, as of the last complete scan. */
async function showOpen(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { extent, open, unknown } = violations
  const opened = pageSection({
    id: 'violations',
    title: 'Open violations',
    count: showCount(open.length, extent),
    content: open.length === 0 ? showNone(extent) : await showPage(request, violations, 'open'),
  })
  return unknown.length === 0 ? opened : html`${opened}${await showUnknown(request, violations)}`
}

/** Who owns what is open; nothing where none is. */
async function showOwners(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { scan, open } = violations
  if (open.length === 0) return nothing
  const ranked = rankViolations(open, groupKeys.owner)
  const filters = { project: globOf(scan.project.name) }
  return pageSection({
    id: 'owners',
    title: 'Owners',
    content: await showGroups(request, { ranked, grouping: 'owner', filters }),
  })
}

function showNone(extent: ScanExtent): Markup {
  if (extent === 'all') return emptyState('None.', 'none')
  return emptyState(
    extent === 'none'
      ? 'Nothing was scanned: what is open is unknown.'
      : 'None in what could be checked; the rest is unknown.',
    'unknown',
  )
}

async function showUnknown(request: SiteRequest, violations: ProjectViolations): Promise<Markup> {
  const { scan, unknown } = violations
  const complete = await readLastComplete(request, scan.project, unreadKinds(toCoverage(scan), kinds))
  const asOf = complete !== undefined && html` As of ${showRunAt(complete, request)}, the last complete scan:`
  return pageSection({
    id: 'unknown',
    title: 'Open before, unknown now',
    count: unknown.length,
    content: html`<p class="meta">Run ${scan.run.number} could not check these.${asOf}</p>
${await showPage(request, violations, 'unknown')}`,
  })
}

async function showPage(
  request: SiteRequest,
  { scan, ...violations }: ProjectViolations,
  state: 'open' | 'unknown',
): Promise<Markup> {
  const rows = await readFirst(request.history, violations[state], { most: mostShown })
  const all = request.link('/violations', { project: globOf(scan.project.name), state })
  return html`${await showViolationList(request, rows)}${violations[state].length > rows.length && html`<p><a href="${all}">All of ${violations[state].length}</a></p>`}`
}

/**
 * The walks of the last scan, and what rules could not evaluate. Why some walks are not complete is said at the head of the
 * page, once for each cause.
 */
function showCoverage(coverage: readonly AnswerCoverage[], gaps: Awaited<ReturnType<typeof readGaps>>): Markup {
  const withReason = coverage.some((walk) => walk.reason !== null && !isGap(walk))
  const columns = [
    ...[{ title: 'Listing' }, { title: 'Status' }],
    ...[
      { title: 'Resources', isNumber: true },
      { title: 'Pages', isNumber: true },
    ],
    ...(withReason ? [{ title: 'Reason' }] : []),
  ]
  const rows = coverage.map((walk) => {
    const { listing, status, pages, of } = walk
    const isUnseen = isGap(walk) && pages === 0 && of === undefined
    const statusText = isGap(walk) ? html`<b class="bad">? ${status}</b>` : html`${status}`
    const reason = withReason && cell('Reason', isGap(walk) ? '' : (walk.reason ?? ''))
    return html`<tr><th scope="row">${listing}</th>${cell('Status', statusText)}${isUnseen ? cell('Resources', '?', 'n unseen') : cell('Resources', sizeOf(walk), 'n')}${cell('Pages', pages, 'n')}${reason}</tr>
`
  })
  return pageSection({
    id: 'coverage',
    title: 'Coverage of its last scan',
    content: html`${table('Coverage', columns, rows)}${showUnevaluated(gaps)}`,
  })
}

/** When the project is audited next, and whether it was when that was due; nothing where that is not known, or in the past. */
async function readScheduleFacts(
  request: SiteRequest,
  { project: { name: project }, run }: RecordedScan,
): Promise<Fact[]> {
  const { isLatest, now } = request
  if (!isLatest) return []
  const { configuration, isUnreadable } = await readConfigured(request)
  if (isUnreadable) return [['Schedules', 'unknown: the configuration cannot be read']]
  if (configuration === undefined) return []
  const ofProject = configuration.schedules.filter(({ projects }) => matchesProject(project, projects))
  if (ofProject.length === 0) return [['Schedules', 'none']]
  return ofProject.map((schedule) => {
    const [next] = nextTimes([schedule], now, 1)
    const then = next !== undefined && html`, next ${showInstant(next.at)}`
    const missed = showMissed(schedule, [run.finished_at], now)
    const late = String(missed) !== '' && html`, ${missed}`
    return [`Schedule ${schedule.name}`, html`<code>${schedule.cron}</code> ${schedule.timezone}${late}${then}`]
  })
}
