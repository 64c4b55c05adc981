import { nextTimes } from '../app/worker/next-times.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import type { RunInputs } from '../history/sql/read-run.ts'
import { listRunsBefore } from '../history/sql/runs.ts'
import { readResolvedBetween } from '../history/sql/violations.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { countUnsureRules, isSilent } from '../model/gap.ts'
import { globOf } from '../model/glob.ts'
import type { Report } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import { dayMs, showOpenTime } from '../model/time.ts'
import { countSeverities, type FailOn, isOpen, type ViolationState } from '../model/violation.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { readCauses } from '../questions/causes.ts'
import { type RankedGroup, rankViolations, readFirst, sortKeyOf } from '../questions/choose-violations.ts'
import { lostOf } from '../questions/runs.ts'
import {
  countByProject,
  countProjects,
  describeBesides,
  openBesides,
  readStatus,
  type StatusRow,
  scanKey,
} from '../questions/status.ts'
import { type DecidedRow, readDecided, soonMs } from '../questions/waivers.ts'
import type { Answer } from '../report/answer.ts'
import { describeDecision } from '../report/describe-ending.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { checkedExtent, extentOf, type ScanExtent } from '../report/gaps.ts'
import { emptyState, severityChip, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { plotSections } from '../report/html/plots.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { inTableOrder, type ProjectTableRow, projectsTable } from '../report/projects-table.ts'
import { causeItem } from '../report/report-items.ts'
import { showTime } from '../report/text/show-time.ts'
import { describeUnsure, failsRun, losesRun } from '../report/verdict.ts'
import { openOfLastWeek } from './last-week.ts'
import { paths, reportLinks } from './link.ts'
import type { SiteConfiguration, SitePage, SiteRequest } from './page.ts'
import { type CurrentConfiguration, readConfigured, unconfigured } from './read-configured.ts'
import {
  onceForRun,
  readActive,
  readGaps,
  readInputs,
  readProjectEvaluations,
  readScans,
  readTrendOf,
  timeOf,
} from './run-facts.ts'
import { showGaps } from './show-gaps.ts'
import { announceChanges, showChanges, showLastChanges } from './show-last-changes.ts'
import { showStale } from './show-late.ts'
import { showViolationList } from './show-rows.ts'
import { describeVerdict, showVerdictOf } from './show-verdict.ts'

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: 'past',
  async show(request) {
    const { isLatest } = request
    const active = await readActive(request)
    const configured = isLatest ? await readConfigured(request) : unconfigured(timeOf(request))
    const status = await readProjects(request, active, configured)
    const { coverage = [], rows } = status
    const stale = isLatest ? rows.filter((row) => row.stale) : []
    const trend = await readTrendOf(request)
    const unknown = active.filter(({ state }) => state === 'unknown').length
    const unsure = countUnsureRules(await readGaps(request))
    const checked = checkedExtent(coverage, unknown + unsure)
    return {
      title: 'Overview',
      crumbs: [],
      alarm: html`${configured.alarm}${stale.length === 0 ? nothing : showStale(stale)}${await showGaps(request, coverage)}`,
      body: html`${await showLatestVerdict(request, { active, coverage, unsure })}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, active) })}
${await showCauses(request)}${await showLatest(request, { active, checked })}
${showProjectTable(request, { status, active, evaluations: await readProjectEvaluations(request) })}${showOthers(request, active, status)}
${plotSections(await readOwned(request), { trend, links: reportLinks(request.link) }).map(pageSection)}
${await showRest(request, { rules: rankViolations(active.filter(isOpen), ({ rule }) => rule), inputs: await readInputs(request), extent: checked, configuration: configured.configuration })}`,
      same: { command: ['status'] },
    }
  },
}

/** The open violations, each with its owner. */
async function readOwned({ history, run }: SiteRequest) {
  return (await listViolations(history, { run: run.number, withOwners: true })).filter(isOpen)
}

async function readProjects(
  request: SiteRequest,
  active: readonly ListedViolation[],
  { configuration, dueAfter }: CurrentConfiguration,
) {
  const { history, run } = request
  const now = timeOf(request)
  return readStatus(
    history,
    { run, expected: configuration?.expected, projects: [], now, limit: Number.POSITIVE_INFINITY, dueAfter },
    { scansAt: () => readScans(request), activeAt: async () => active },
  )
}

const mostCauses = 10

/** What changed alike, or in one update, and is not mended: first, because what follows repeats it. */
async function showCauses(request: SiteRequest): Promise<Markup> {
  const { history, run, link } = request
  const { rows, omitted } = await onceForRun(request, 'causes', () =>
    readCauses(history, { run, projects: [], kind: undefined, limit: mostCauses }),
  )
  if (rows.length === 0) return nothing
  const commandFor = (command: string) => `hookdrift ${command}`
  const items = rows.map((cause) => causeItem(cause, { run: run.number, commandFor }))
  const omittedLine = omitted === 0 ? nothing : html`<p><a href="${link('/causes')}">and ${omitted} more</a></p>`
  return html`<h2 id="causes">Causes</h2>
${asHtml(list('cause', items), reportLinks(link))}${omittedLine}
`
}

/** The verdict in words and numbers, over the last scan of each project, and what changed with the run. */
async function showLatestVerdict(
  request: SiteRequest,
  { active, coverage, unsure }: { active: readonly ListedViolation[]; coverage: Report['coverage']; unsure: number },
): Promise<Markup> {
  const { run, link } = request
  const dueOf = sortKeyOf('due', await readProjectEvaluations(request))
  const open = active.filter(isOpen)
  const inState = (wanted: ViolationState) => active.filter(({ state }) => state === wanted)
  const unknown = inState('unknown')
  const opened = countSeverities(active.filter(testNew(run.number)))
  const ended = await onceForRun(request, 'ended', () => countEnded(request))
  const overdue = open.filter((violation) => dueOf(violation) < timeOf(request)).length
  const extent = extentOf(coverage)
  const failOn = (await readInputs(request))?.fail_on ?? 'never'
  const failing = await countFailing(request, active, failOn)
  const oldest = open.map(({ first_seen }) => Date.parse(first_seen))
  return showVerdictOf({
    words: describeVerdict({ failOn, ...failing, extent, isSure: unknown.length + unsure === 0 }),
    extent,
    open: countSeverities(open),
    unknown: countSeverities(unknown),
    change: { opened, fixed: ended.fixed, otherwise: ended.otherwise },
    oldestMs: timeOf(request) - oldest.reduce((first, time) => Math.min(first, time), timeOf(request)),
    overdue,
    waived: inState('waived').length,
    ofRun: describeUnsure(unsure).map((said) => html`<a href="${link('/rules')}">${said}</a>`),
    listOf: (choice) => link('/violations', choice),
  })
}

/** Whether the run opened violations. */
function testNew(run: number): (violation: ListedViolation) => boolean {
  return (violation) => violation.state === 'opened' && violation.run === run
}

/** What ended with the run, by severity. */
async function countEnded({ history, run }: SiteRequest) {
  const [fixed, otherwise] = [countSeverities([]), countSeverities([])]
  for (const { severity, resolution } of await readResolvedBetween(history, run.number - 1, run.number)) {
    ;(resolution === 'fixed' ? fixed : otherwise)[severity]++
  }
  return { fixed, otherwise }
}

/**
 * Open violations that fail a run which fails on `failOn`, by approvals and by change windows as the run decided. `lost`:
 * those that would, were they still open.
 */
async function countFailing(request: SiteRequest, active: readonly ListedViolation[], failOn: FailOn) {
  const evaluations = await readProjectEvaluations(request)
  const projects = [...evaluations.values()].map(({ project, approved_at }) => ({
    project,
    ...(approved_at === undefined ? {} : { approved_at }),
  }))
  const isNew = testNew(request.run.number)
  const announced = failOn === 'new' ? await readAnnounced(request) : []
  const gaps = await readGaps(request)
  const ofRun = active.map((violation) => {
    // What an earlier run opened where this one did not scan is not new in it.
    const { rule, severity, project, kind, uid, path, first_seen, waiver } = violation
    const state = violation.state === 'opened' && !isNew(violation) ? 'continuing' : violation.state
    return { rule, severity, state, project, kind, uid, path, first_seen, ...(waiver && { waiver }) }
  })
  return {
    failing: ofRun.filter(failsRun(failOn, projects, announced)).length,
    lost: ofRun.filter(losesRun({ failOn, projects, drift: announced, gaps, at: request.run.started_at })).length,
  }
}

/** The changes of the run that may have been made in a change window. */
async function readAnnounced(request: SiteRequest) {
  const { changes = [], projects = [] } = (await readInputs(request)) ?? {}
  const windows = new Map(projects.map((evaluation) => [evaluation.project, evaluation.windows]))
  return changes.flatMap((change) => {
    const window = windowTimeOf(windows.get(change.project), change.between)
    return window === undefined ? [] : [{ ...change, window: window.name }]
  })
}

const [mostNew, mostChanged] = [10, 5]

/** What the run opened, and what it found changed. */
async function showLatest(
  request: SiteRequest,
  { active, checked }: { readonly active: readonly ListedViolation[]; readonly checked: ScanExtent },
): Promise<Markup> {
  const { history, run, link } = request
  const fresh = active.filter(testNew(run.number))
  const rows = await readFirst(history, fresh, { most: mostNew })
  const { changes = [], projects = [] } = (await readInputs(request)) ?? {}
  const heading = html`<h2 id="new">New and changed in run ${run.number}</h2>
`
  if (fresh.length + changes.length === 0) {
    return html`${heading}${showNothing(checked)}
${await showLastChanges(request)}`
  }
  const opened =
    fresh.length === 0
      ? nothing
      : html`<h3>Opened <span class="count">${describeShare(rows.length, fresh.length)}</span></h3>
${await showViolationList(request, rows)}${
  fresh.length > rows.length
    ? html`<p><a href="${link('/violations', { state: 'opened', since: run.number })}">All ${count(fresh.length, 'new violation')}</a></p>`
    : nothing
}`
  const announced = await announceChanges(history, changes.slice(0, mostChanged), projects)
  const changed =
    changes.length === 0
      ? nothing
      : html`<h3>Changed <span class="count">${describeShare(announced.length, changes.length)}</span></h3>
${showChanges(announced, link)}${
  changes.length > announced.length
    ? html`<p><a href="${link(paths.run(run.number))}">All ${count(changes.length, 'change')} of the run</a></p>`
    : nothing
}`
  return html`${heading}${opened}${changed}`
}

function showNothing(checked: ScanExtent): Markup {
  if (checked === 'none') return emptyState('Nothing was scanned: what is new or changed is unknown.', 'unknown')
  return checked === 'all'
    ? emptyState('The run opened no violation, and found no change.', 'none')
    : emptyState('The run opened no violation and found no change in what could be checked.', 'unknown')
}

function describeShare(listed: number, all: number): string {
  return listed === all ? String(all) : `${listed} of ${all}`
}

/** More are behind a link: the page stays small. */
const mostProjects = 50

/** Projects and their open violations by severity, those first that could not be scanned, then the worst. */
function showProjectTable(
  { link }: SiteRequest,
  {
    status,
    active,
    evaluations,
  }: {
    readonly status: Answer<StatusRow>
    readonly active: readonly ListedViolation[]
    readonly evaluations: ReadonlyMap<string, ProjectEvaluation>
  },
): Markup {
  const walks = Map.groupBy(status.coverage ?? [], ({ project }) => project)
  const unknown = Map.groupBy(
    active.filter(({ state }) => state === 'unknown'),
    scanKey,
  )
  const all = inTableOrder(
    status.rows.map(({ project, run, at, incomplete_since, violations }): ProjectTableRow => {
      const walksOfProject = walks.get(project) ?? []
      return {
        project,
        extent: extentOf(walksOfProject),
        open: violations,
        unknown: countSeverities(unknown.get(scanKey({ project, run })) ?? []),
        walks: walksOfProject,
        omissionsAt: { href: `${link(paths.project(project))}#coverage` },
        notEvaluated: (evaluations.get(project)?.gaps ?? []).filter(isSilent).length,
        // A project that was never scanned has no page.
        hasPage: run !== null,
        // The name of a list of projects is a pattern that fits all of them.
        listOf: (severity, state) =>
          link('/violations', { project: globOf(project), severity, 'max-severity': severity, state }),
        scannedAt: at,
        incompleteSince: incomplete_since,
      }
    }),
  )
  const projects = countProjects(all)
  const listed = all.slice(0, mostProjects)
  const omitted = all.length - listed.length
  return html`<h2 id="projects">Projects <span class="count">${omitted > 0 ? `${listed.length} of ${all.length}, the worst first` : String(projects)}</span></h2>
${asHtml([projectsTable(listed)], reportLinks(link))}${
  omitted > 0
    ? html`<p>${omitted} more: <a href="${link('/violations', { 'group-by': 'project' })}">all projects with violations</a></p>`
    : nothing
}`
}

const mostOthers = 10

/** The numbers above the table are of these too. */
function showOthers(request: SiteRequest, active: readonly ListedViolation[], { rows }: Answer<StatusRow>): Markup {
  const others = openBesides(countByProject(active), rows)
  if (others.length === 0) return nothing
  const items = others.slice(0, mostOthers).map((other) => {
    const { project, state, violations } = other
    const href = request.link('/violations', { project: globOf(project), state })
    const listed = html`<a href="${href}">${count(violations, `${state} violation`)}</a>`
    return html`<li>${listed} of ${describeBesides(other)}</li>`
  })
  const omitted = others.length - items.length
  return html`<p>Besides these projects:</p><ul class="lines">${items}${omitted > 0 ? html`<li>and those of ${count(omitted, 'other project')}</li>` : nothing}</ul>`
}

const [mostRules, mostWaivers, mostRuns] = [8, 8, 8]

/** Rules with open violations, waivers that end soon, next schedules, and recent runs. */
async function showRest(
  request: SiteRequest,
  {
    configuration,
    ...violated
  }: ViolatedRules & {
    /** As of now; undefined where it is not read, and as of a past run. */
    readonly configuration: SiteConfiguration | undefined
  },
): Promise<Markup> {
  return html`<div class="pair"><section>
${showRules(request, violated)}</section>
<section>
${await showWaivers(request)}${configuration === undefined ? nothing : showSchedules(request, configuration)}</section></div>
${await showRuns(request)}`
}

interface ViolatedRules {
  readonly rules: readonly RankedGroup[]
  readonly inputs: RunInputs | undefined
  readonly extent: ScanExtent
}

function showRules({ link }: SiteRequest, { rules, inputs, extent }: ViolatedRules): Markup {
  const titles = new Map(inputs?.rules.map(({ id, title }) => [id, title]))
  const items = rules.slice(0, mostRules).map(({ first: { rule: id, severity }, violations }) => {
    return html`<li>${severityChip(severity)} <a href="${link(paths.rule(id))}">${titles.get(id) ?? id}</a> <a class="n" href="${link('/violations', { rule: id, state: 'open' })}">${violations.length} open</a></li>
`
  })
  const more =
    rules.length > mostRules
      ? html`<p><a href="${link('/violations', { 'group-by': 'rule', state: 'open' })}">All ${rules.length} rules with open violations</a></p>`
      : html``
  return html`<h2 id="rules">Rules with open violations, worst first</h2>
${rules.length === 0 ? showNoRule(extent) : html`<ul class="lines">${items}</ul>${more}`}`
}

function showNoRule(extent: ScanExtent): Markup {
  return extent === 'all'
    ? emptyState('No violation is open.', 'none')
    : emptyState('No violation is open in what could be checked; the rest is unknown.', 'unknown')
}

async function showWaivers(request: SiteRequest): Promise<Markup> {
  const { history, run, link } = request
  const at = timeOf(request)
  const decided = await onceForRun(request, 'waivers', () =>
    readDecided(history, { run, signedBy: run, projects: [], now: at }),
  )
  const rows = decided.rows.filter(({ kind }) => kind === 'waiver')
  const heading = html`<h2 id="waivers">Waivers that end soon</h2>
`
  const all = html`<p><a href="${link('/waivers')}">All waivers</a></p>`
  if (rows.length === 0) return html`${heading}${emptyState('No violation is waived.', 'none')}`
  const ending = Map.groupBy(
    rows.filter(({ state }) => state !== 'in_force'),
    ({ until, by, reason }) => JSON.stringify([until, by, reason]),
  )
  const items = [...ending.values()].slice(0, mostWaivers).map((alike) => showEnding(alike, at))
  if (items.length === 0) {
    return html`${heading}${emptyState(`None ends within ${soonMs / dayMs} days.`, 'none')}${all}`
  }
  return html`${heading}<ul class="lines">${items}</ul>${all}`
}

/** `alike`: what an owner accepts until one time, for one reason. `at`: milliseconds since the epoch. */
function showEnding(alike: readonly DecidedRow[], at: number): Markup {
  const [first] = alike
  if (!first?.until) return nothing
  const violations = alike.reduce((sum, each) => sum + (each.violations ?? 0), 0)
  const remainingMs = Date.parse(first.until) - at
  const when = remainingMs > 0 ? html` (in ${showOpenTime(remainingMs)})` : html` <b class="bad">(over)</b>`
  return html`<li>${count(violations, 'violation')} ${describeDecision({ ...first, match: null, configured_at: null })}${when}</li>
`
}

async function showRuns({ history, link, run, isLatest }: SiteRequest): Promise<Markup> {
  const runs = await listRunsBefore(history, isLatest ? Number.MAX_SAFE_INTEGER : run.number + 1, mostRuns)
  const rows = runs.map(({ number, started_at, state, walks, incomplete, changes }) => {
    const isCommitted = state === 'committed'
    const extent = state === 'committed' ? describeScan(walks, incomplete) : lostOf[state]
    const name = isCommitted ? html`<a href="${link(paths.run(number))}">Run ${number}</a>` : html`Run ${number}`
    return html`<tr><th scope="row">${name}</th>${cell('Began', html`<time datetime="${started_at}">${showTime(started_at)}</time>`)}${cell('Changes', isCommitted ? String(changes) : '?', isCommitted ? 'n' : 'n unseen')}${cell('Scan', extent)}</tr>
`
  })
  if (rows.length === 0) return html``
  const columns = [{ title: 'Run' }, { title: 'Began' }, { title: 'Changes', isNumber: true }, { title: 'Scan' }]
  return html`<h2 id="runs">Last runs</h2>
${table('Last runs', columns, rows)}<p>${more.map(([path, title], at) => html`${at > 0 && ' · '}<a href="${link(path)}">${title}</a>`)}</p>`
}

const more = [
  ['/runs', 'All runs'],
  ['/compare', 'Compare the last two'],
  ['/trend', 'Trend'],
  ['/coverage', 'Coverage'],
  ['/notes', 'Notes'],
] as const

/** Of the projects of a reader, a run may have scanned none. */
function describeScan(walks: number, incomplete: number): string {
  if (walks === 0) return '? nothing scanned'
  return incomplete === 0 ? 'complete' : `? ${incomplete} of ${walks} listings incomplete`
}

const mostSchedules = 5

/** When each schedule begins its next audit, the earliest first, before jitter. */
function showSchedules({ link, now }: SiteRequest, { schedules }: SiteConfiguration): Markup {
  const heading = html`<h2 id="schedules">Next schedules</h2>
`
  if (schedules.length === 0) return html`${heading}${emptyState('The configuration has no schedules.', 'none')}`
  const projectsOf = new Map(schedules.map(({ name, projects }) => [name, projects]))
  const items = nextTimes(schedules, now, 1)
    .slice(0, mostSchedules)
    .map(({ schedule, at }) => {
      const projects = projectsOf.get(schedule) ?? []
      return html`<li data-schedule="${schedule}"><span>${schedule}: ${projects.length === 0 ? 'all projects' : projects.join(', ')}</span> <span class="n">${showInstant(at)}</span></li>
`
    })
  return html`${heading}<ul class="lines">${items}</ul><p><a href="${link('/worker')}">${schedules.length > items.length ? `All ${schedules.length} schedules` : 'Schedules and scans'}</a></p>`
}
