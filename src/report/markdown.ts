import { groupGaps } from '../compliance/gap-sentences.ts'
import { changeTypes } from '../model/change.ts'
import { isCoverageComplete } from '../model/coverage.ts'
import type { Report, ReportCoverage, ReportDrift, ReportViolation } from '../model/report.ts'
import { formatExpiry } from '../model/time.ts'
import { severities } from '../model/violation.ts'
import { count, countEach } from '../text/count.ts'
import { acceptedBefore } from './accepted-before.ts'
import { describeCause, describeFollowing, describeRepairs } from './describe-cause.ts'
import { describeDue } from './describe-due.ts'
import { describeEnding } from './describe-ending.ts'
import { describeFailures, type FailureGroup, groupFailures } from './describe-failures.ts'
import { changesOfCause, describeNotes, notesNamed, timesOf } from './describe-notes.ts'
import { describeWindows } from './describe-window.ts'
import { describeFirstScans, describeNoDrift, describeSeen, gapsOf } from './gaps.ts'
import { code, prose, showResource } from './markdown-prose.ts'
import { fill, type MarkdownSection, row, table } from './markdown-table.ts'
import { remediationFor } from './remediation-for.ts'
import type { ReportFormat } from './report-format.ts'
import { showTime } from './text/show-time.ts'
import { showValues } from './text/show-values.ts'

/** A comment on a pull request has at most 65,536 characters; the rest is for lines that the poster adds. */
const mostCharacters = 64_500

/** For a pull request or a chat: counts first, then the most severe, cut to the size of a comment. */
export const markdown: ReportFormat = (report) => {
  const { run, verdict, digests } = report
  const top = [
    `## hookdrift, run ${run.number}`,
    '',
    ...summary(report),
    '',
    `**${verdict.text}** Exit code ${verdict.exit_code}.`,
    ...aboutDrift(report).flatMap((sentence) => ['', sentence]),
  ]
  const bottom = ['', `${showTime(run.started_at)}, policy \`${digests.policy.slice(0, 12)}\`.`]
  const room = mostCharacters - [...top, ...bottom].join('\n').length
  const howToSeeAll = `\`hookdrift report --run ${run.number} --format json\` shows all`
  return `${[...top, ...fill(sectionsOf(report), room, howToSeeAll), ...bottom].join('\n')}\n`
}

/** What the report says of drift when there is none to list. */
function aboutDrift(report: Report): string[] {
  const none = report.drift.length === 0 ? describeNoDrift(report) : ''
  return [none, describeFirstScans(report)].filter((sentence) => sentence !== '').map((sentence) => prose(sentence))
}

/**
 * How many violations of each severity are in each state. After an incomplete scan, none is `?`: nothing is known of what
 * was not scanned.
 */
function summary({ violations, coverage }: Pick<Report, 'violations' | 'coverage'>): string[] {
  const none = isCoverageComplete(coverage) ? '0' : '?'
  const countOf = (severity: string, name: string, isOfColumn: (violation: ReportViolation) => boolean) => {
    const number = violations.filter((violation) => violation.severity === severity && isOfColumn(violation)).length
    return number === 0 && dependsOnScan(name) ? none : String(number)
  }
  return [
    row(['severity', ...columns.map(([name]) => name)]),
    row(['---', ...columns.map(() => '---:')]),
    ...severities.map((severity) => row([severity, ...columns.map(([name, test]) => countOf(severity, name, test))])),
  ]
}

type SummaryColumn = readonly [name: string, isOfColumn: (violation: ReportViolation) => boolean]

/** The states, and of violations that ended those that were fixed apart from all others. */
const columns: readonly SummaryColumn[] = [
  ...(['opened', 'continuing'] as const).map(columnOf),
  ['fixed', ({ resolution }) => resolution === 'fixed'],
  ['ended otherwise', ({ state, resolution }) => state === 'resolved' && resolution !== 'fixed'],
  ...(['unknown', 'waived'] as const).map(columnOf),
]

function columnOf(name: ReportViolation['state']): SummaryColumn {
  return [name, ({ state }) => state === name]
}

function dependsOnScan(state: string): boolean {
  return state !== 'unknown' && state !== 'waived'
}

/** The sections of the report, the most important first: the last are cut first. */
function sectionsOf({
  coverage,
  notices,
  drift,
  notes,
  causes,
  violations,
  accepted,
  verdict,
  projects,
  rules,
  run,
  gaps: unevaluated,
}: Report): readonly MarkdownSection[] {
  const show = (violation: ReportViolation) => showViolation(violation, run.started_at)
  const inState = (...states: ReportViolation['state'][]) => violations.filter(({ state }) => states.includes(state))
  const active = inState('opened', 'continuing', 'unknown')
  const gaps = gapsOf(coverage)
  // Most runs have none, and a column that is always empty takes room.
  const noteColumns = notes.length === 0 ? [] : ['in between']
  const showNotes = (changes: readonly ReportDrift[]) =>
    noteColumns.map(() =>
      prose(describeNotes(notesNamed(changes, notes), timesOf(changes)).replace(/^In between: /, ''), 900),
    )
  const windowColumns = drift.some(({ window }) => window !== null) ? ['change window'] : []
  const showWindows = (changes: readonly ReportDrift[]) =>
    windowColumns.map(() => prose(describeWindows(changes, projects).replace(/^Expected: (change window )?/, ''), 900))
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  return [
    table(
      `Incomplete scan: ${gaps.length} of ${count(walks.length, 'walk')}`,
      ['cause', ...factLabels],
      'cause',
      groupFailures(coverage, projects).map(showFailure),
    ),
    table(
      'Causes',
      ['severity', 'cause', 'what follows', 'since run', 'put back with', ...windowColumns, ...noteColumns],
      'cause',
      causes.map((cause) => [
        cause.severity,
        prose(describeCause(cause), 400),
        prose(describeFollowing(cause), 400),
        String(cause.first_run),
        code(`hookdrift restore --cause ${cause.id}`),
        ...showWindows(changesOfCause(cause, { run, drift })),
        ...showNotes(changesOfCause(cause, { run, drift })),
      ]),
    ),
    table('Violations', [...violationColumns, 'state'], 'violation', active.map(show)),
    table('How to fix', ['rule', 'remediation'], 'rule', remediations(rules, active)),
    table(
      `Drift: ${countEach(changeTypes, verdict.drift)}`,
      ['change', 'project', 'resource', 'fields', ...windowColumns, ...noteColumns],
      'change',
      drift.map((change) => [...showChange(change), ...showWindows([change]), ...showNotes([change])]),
    ),
    table('Waived', [...violationColumns, 'state'], 'violation', inState('waived').map(show)),
    table(
      'Accepted before',
      ['rule', 'project', 'resource', 'by', 'since', 'reason'],
      'violation',
      acceptedBefore({ accepted, violations }).map(({ rule, project, by, at, reason, ...resource }) => [
        ...[
          code(rule, 100),
          code(project, 100),
          showResource(resource),
          prose(by, 60),
          showTime(at),
          prose(reason, 300),
        ],
      ]),
    ),
    table('Ended', [...violationColumns, 'state'], 'violation', inState('resolved').map(show)),
    table(
      'Not evaluated',
      ['projects', 'gap'],
      'gap',
      groupGaps(unevaluated).map(({ projects, text }) => [
        projects.map((name) => code(name, 100)).join(', '),
        prose(text, 300),
      ]),
    ),
    table(
      'Notices',
      ['project', 'listing', 'notice'],
      'notice',
      notices.map(({ project, listing, text }) => [
        project === null ? '' : code(project, 100),
        listing ?? '',
        prose(text, 300),
      ]),
    ),
    table('Left out of the scan', ['project', 'listing', 'what'], 'walk', coverage.flatMap(showLimits)),
  ]
}

/** What a walk without a gap leaves out: a skipped listing, all outside of a filter, rows of filters not due yet. */
function showLimits(walk: ReportCoverage): string[][] {
  const { project, listing, status, reason, filter, items, of = items, oldest_at: oldest } = walk
  const limits = [
    ...(status === 'skipped' ? [`skipped: ${reason}`] : []),
    ...(filter === null ? [] : [`only those with ${filter}`]),
    ...(status === 'complete' && items < of
      ? [`${describeSeen(walk)}${oldest ? `, the oldest at ${showTime(oldest)}` : ''}`]
      : []),
  ]
  return limits.map((limit) => [code(project, 100), listing, prose(limit, 300)])
}

const violationColumns = ['severity', 'rule', 'project', 'resource', 'owner', 'message']

function showViolation(violation: ReportViolation, at: string): string[] {
  const { severity, rule, project, path, message } = violation
  const where = path === '' ? '' : ` at ${code(path, 100)}`
  return [
    severity,
    code(rule, 100),
    code(project, 100),
    `${showResource(violation)}${where}`,
    code(violation.owner ?? '', 60),
    prose(message, 300),
    [showState(violation), describeDue(violation, at)].filter((part) => part !== '').join(', '),
  ]
}

function showState(violation: ReportViolation): string {
  const { state, first_seen, last_seen, waiver } = violation
  if (state === 'resolved') return violation.resolution === null ? 'ended' : prose(describeEnding(violation), 400)
  if (state === 'continuing') return `continuing since ${showTime(first_seen)}`
  if (state === 'unknown') return `unknown, last seen ${showTime(last_seen)}`
  if (waiver === undefined) return state
  const ticket = waiver.ticket === undefined ? '' : ` (${code(waiver.ticket, 60)})`
  return `waived by ${prose(waiver.owner, 60)} until ${formatExpiry(waiver.expires)}: ${prose(waiver.reason, 200)}${ticket}`
}

const factLabels = ['asked', 'url', 'key', 'cost', 'next'] as const

function showFailure(group: FailureGroup): string[] {
  const { headline, facts } = describeFailures(group)
  const cells = factLabels.map((name) =>
    facts.filter(({ label }) => label === name).map(({ text }) => prose(text, 400)),
  )
  return [prose(headline, 400), ...cells.map((texts) => texts.join('; '))]
}

/** How to fix the violations of each rule that has some: once. */
function remediations(rules: Report['rules'], active: readonly ReportViolation[]): string[][] {
  const broken = Map.groupBy(active, ({ rule }) => rule)
  return rules
    .filter(({ id, remediation }) => broken.has(id) && remediation !== '')
    .map(({ id, remediation }) => {
      const text = remediationFor(remediation, broken.get(id) ?? [])
      return [code(id, 100), prose(text.replace(/\s*\n\s*/g, ' ').trim())]
    })
}

const mostFields = 5

function showChange({ change, project, fields, repairs, ...resource }: ReportDrift): string[] {
  const values = fields.slice(0, mostFields).map((field) => {
    const { before, after } = showValues(field, 60)
    return `${code(field.path, 100)} ${code(before)} → ${code(after)}`
  })
  const omitted = fields.length - values.length
  if (omitted > 0) values.push(`… and ${count(omitted, 'more field')}`)
  const repaired = describeRepairs({ repairs })
  return [
    change,
    code(project, 100),
    showResource(resource),
    [...values, ...(repaired ? [prose(repaired)] : [])].join('; '),
  ]
}
