import { groupGaps } from '../../compliance/gap-sentences.ts'
import { readReason } from '../../model/coverage.ts'
import type { Notice } from '../../model/notice.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import { describeFailures, type FailureGroup, groupFailures } from '../describe-failures.ts'
import { describeNotice } from '../describe-notice.ts'
import { listingWalks } from '../gaps.ts'
import { fitEntries, showEntries, showOmitted, type TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { showDuration, showTime } from './show-time.ts'

/** The coverage of the run. It comes first in the report, because it limits the meaning of the rest. */
export function showCoverage(report: Report, page: TextPage): string[] {
  const { coverage, run } = report
  const complete = coverage.filter(({ status }) => status === 'complete')
  const skipped = coverage.filter(({ status }) => status === 'skipped')
  const incomplete = coverage.filter(({ status }) => status !== 'complete' && status !== 'skipped')
  const walks = complete.length + incomplete.length

  return [
    ...(incomplete.length === 0
      ? showCompleteScan(coverage, page)
      : showIncompleteScan(report, { incomplete: incomplete.length, walks }, page)),
    ...(incomplete.length === 0 || complete.length === 0 ? [] : [`Complete: ${sizeOf(complete)}.`]),
    ...showSkipped(skipped, page),
    ...showFiltersInTurn(coverage, page),
    ...showNarrowed(coverage, page),
    ...showUnevaluated(report, page),
    page.paint('aside', showRun(run)),
  ]
}

/** In at most so many lines. */
export function showNotices(notices: readonly Notice[], page: TextPage, most: number): string[] {
  if (notices.length === 0) return []
  const showNotice = (notice: Notice) => {
    const [first = '', ...rest] = wrapProse(shorten(neutralise(describeNotice(notice)), 600), page.width - 4)
    return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
  }
  return ['', page.paint('heading', 'Notices'), '', ...fitEntries(notices, page, { most: most - 3, show: showNotice })]
}

function showCompleteScan(coverage: readonly ReportCoverage[], page: TextPage): string[] {
  const walks = listingWalks(coverage)
  const projects = new Set(walks.map(({ project }) => project)).size
  const size = `${count(total(walks, 'items'), 'item')} in ${count(total(walks, 'pages'), 'page')}`
  return wrapProse(`Scanned ${count(projects, 'project')} completely: ${size}.`, page.width).map((line) =>
    page.paint('good', line),
  )
}

function showIncompleteScan(
  report: Report,
  { incomplete, walks }: { readonly incomplete: number; readonly walks: number },
  page: TextPage,
): string[] {
  const are = incomplete === 1 ? 'is' : 'are'
  const headline = `INCOMPLETE SCAN: ${incomplete} of ${count(walks, 'walk')} ${are} not complete.`
  return [
    ...wrapProse(headline, page.width).map((line) => page.paint('alarm', line)),
    'Nothing was removed or resolved there:',
    '',
    ...showFailures(report, page),
    '',
  ]
}

/** One sentence for all walks that were skipped for the same reason. */
function showSkipped(skipped: readonly ReportCoverage[], page: TextPage): string[] {
  const whatOf = ({ reason }: ReportCoverage) => (reason === null ? null : readReason(reason).what)
  const alike = Map.groupBy(skipped, (walk) => JSON.stringify([walk.listing, whatOf(walk)]))
  return [...alike.values()].flatMap((walks) => {
    const [walk] = walks
    if (walk === undefined) return []
    const what = whatOf(walk)
    const reason = what === null ? '' : `: ${shorten(neutralise(what), 200)}`
    const sentence = `Skipped ${neutralise(walk.listing)} of ${nameProjects(walks)}${reason}`
    return wrapProse(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`, page.width)
  })
}

/** Projects of which not all filter rows were read in this run: what is known of the others is older. */
function showFiltersInTurn(coverage: readonly ReportCoverage[], page: TextPage): string[] {
  return coverage.flatMap(({ project, status, items, of, oldest_at: oldest }) => {
    if (status !== 'complete' || of === undefined || items >= of) return []
    const age = oldest === undefined || oldest === null ? '' : `, the oldest known ones at ${showTime(oldest)}`
    return wrapProse(
      `Read the filters of ${items} of ${count(of, 'subscription')} of ${neutralise(project)}${age}.`,
      page.width,
    )
  })
}

/** The listings that were read through a filter: resources outside it were not scanned. */
function showNarrowed(coverage: readonly ReportCoverage[], page: TextPage): string[] {
  const narrowed = coverage.filter(({ filter }) => filter !== null)
  const alike = Map.groupBy(narrowed, ({ listing, filter }) => JSON.stringify([listing, filter]))
  return [...alike.values()].flatMap((walks) => {
    const [walk] = walks
    if (walk === undefined) return []
    const filter = shorten(neutralise(walk.filter ?? ''), 200)
    return wrapProse(`Only ${neutralise(walk.listing)} with ${filter} in ${nameProjects(walks)}.`, page.width)
  })
}

const mostGaps = 5

/** What rules could not evaluate, each sentence once. */
function showUnevaluated(report: Report, page: TextPage): string[] {
  const grouped = groupGaps(report.gaps)
  const listed = page.full ? grouped : grouped.slice(0, mostGaps)
  const lines = listed.flatMap(({ text, projects }) => {
    const where = nameProjects(projects.map((project) => ({ project })))
    return wrapProse(`${shorten(neutralise(text), 300)} (${where}).`, page.width)
  })
  return [...lines, ...(listed.length === grouped.length ? [] : [showOmitted(grouped.length - listed.length, page)])]
}

function nameProjects(all: readonly { readonly project: string }[]): string {
  const names = all.slice(0, 3).map(({ project }) => neutralise(project))
  const omitted = all.length - names.length
  return omitted === 0 ? names.join(', ') : `${names.join(', ')} and ${omitted} more`
}

function showRun({ number, started_at, finished_at }: Report['run']): string {
  const duration = showDuration(started_at, finished_at)
  return `Run ${number}, ${showTime(started_at)}${duration === '' ? '' : `, took ${duration}`}.`
}

function sizeOf(walks: readonly ReportCoverage[]): string {
  const listed = listingWalks(walks)
  return `${count(walks.length, 'walk')}, ${count(total(listed, 'items'), 'item')} in ${count(total(listed, 'pages'), 'page')}`
}

function total(walks: readonly ReportCoverage[], member: 'items' | 'pages'): number {
  return walks.reduce((sum, walk) => sum + walk[member], 0)
}

/** The causes of incomplete walks: one message each, with what was asked, what it cost, and what to do. */
export function showFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>, page: TextPage): string[] {
  return showEntries(groupFailures(coverage, projects), page, (group) => showGroup(group, page))
}

/** The same on stderr: a line for each cause and each of its facts. */
export function explainFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): string[] {
  const groups = groupFailures(coverage, projects)
  const hidden = groups.length - mostExplained
  const lines = groups.slice(0, mostExplained).flatMap((group) => {
    const { headline, facts } = describeFailures(group)
    return [headline, ...facts.map(({ label, text }) => `  ${label.padEnd(7)}${text}`)].map(neutralise)
  })
  return hidden > 0 ? [...lines, `and ${count(hidden, 'more cause')}, see the report`] : lines
}

/** The first of them in one line, with where the URL or the key is configured; undefined where there is none. */
export function summariseFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): string | undefined {
  const [first, ...others] = groupFailures(coverage, projects)
  if (first === undefined) return undefined
  const origin =
    first.urlOrigin === null ? first.keys.slice(0, 1).map((key) => `key ${key}`) : [`url ${first.urlOrigin}`]
  const more = others.length === 0 ? [] : [`${count(others.length, 'more cause')}`]
  const text = shorten(neutralise(describeFailures(first).headline), 300)
  return [`${text}${origin.length === 0 ? '' : ` (${neutralise(origin.join(''))})`}`, ...more]
    .join('; and ')
    .concat('.')
}

const mostExplained = 20

function showGroup(group: FailureGroup, page: TextPage): string[] {
  const { headline, facts } = describeFailures(group)
  const lines = wrapProse(shorten(neutralise(page.locate(headline)), 600), page.width - 2)
  return [
    ...lines.map((line) => `  ${page.paint('alarm', line)}`),
    ...facts.flatMap(({ label, text }) => showFact(label, shorten(neutralise(text), 600), page)),
  ]
}

function showFact(label: string, text: string, page: TextPage): string[] {
  const [first = '', ...rest] = wrapProse(text, page.width - 11)
  return [`    ${label.padEnd(7)}${first}`, ...rest.map((line) => `           ${line}`)]
}
