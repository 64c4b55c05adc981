import type { RecordedScan } from '../history/sql/scans.ts'
import { globOf } from '../model/glob.ts'
import { describeReleases } from '../model/release-range.ts'
import { toCoverage } from '../questions/as-of.ts'
import { readEvaluations } from '../questions/last-evaluations.ts'
import { findTrend } from '../questions/trend.ts'
import { type Fact, factList } from '../report/html/components/facts.ts'
import { html } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { showTime } from '../report/text/show-time.ts'
import { atLastRun } from './at-last-run.ts'
import { openOfLastWeek } from './last-week.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readScheduleFacts } from './project/schedule-facts.ts'
import { countOpen, countProjectViolations, showOpen, showOwners } from './project/show-open.ts'
import { showWalks } from './project/show-walks.ts'
import { onceForNotes, readActiveOf, readResourceCounts, readScans } from './run-facts.ts'
import { showCauses } from './show-causes.ts'
import { showLastChanges } from './show-last-changes.ts'
import { showNumbers } from './show-numbers.ts'

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
    const extent = extentOf(coverage)
    const trend = await onceForNotes(request, `trend of ${name}`, () =>
      findTrend(history, { run, since: undefined, projects: [name] }),
    )
    const { groups } = await readActiveOf(request)
    const violations = countProjectViolations(groups, scan, extent)
    const numbers = {
      open: violations.open.counts.severities,
      unknown: violations.unknown.counts.severities,
      extent,
    }
    return {
      title: name,
      crumbs: [],
      alarm: showUnscanned({ coverage }),
      body: html`${await showCauses(request, coverage)}${showNumbers(numbers)}${showTrend(trend, { leastDays: 1, stillOpen: openOfLastWeek(request, groups, name) })}
${await showOpen(request, violations)}${await showLastChanges(request, name)}${await showOwners(request, violations)}${showWalks(coverage)}`,
      aside: factList([
        ...scanFacts(scan),
        ['Open', countOpen(violations)],
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
      : `not since run ${incompleteSince.number}, ${showTime(incompleteSince.startedAt)}`
  return [
    ['Last scan', html`<time datetime="${run.finishedAt}">${showTime(run.finishedAt)}</time>, run ${run.number}`],
    ['Complete', complete],
  ]
}

/** The release of its service, as far as its last scan shows it. */
async function readReleaseFacts({ history }: SiteRequest, scan: RecordedScan): Promise<readonly Fact[]> {
  const release = (await readEvaluations(history, [scan])).get(scan.project.name)?.release
  return release === undefined ? [] : [['Release of the service', describeReleases(release)]]
}

/** How many resources of each kind that it has, and where they are listed. */
async function readResourceFacts(request: SiteRequest, name: string): Promise<readonly Fact[]> {
  const counts = (await readResourceCounts(request)).filter(({ project }) => project.name === name)
  return counts.map(({ kind, resources }) => [
    `${kind}s`,
    html`<a href="${request.link('/resources', { project: name, kind })}">${resources}</a>`,
  ])
}
