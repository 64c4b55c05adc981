import { changeTypes } from '../model/change.ts'
import { isCoverageComplete, readReason } from '../model/coverage.ts'
import type { Report, ReportCause, ReportCoverage, ReportDrift, ReportViolation } from '../model/report.ts'
import { count, countEach } from '../model/text/count.ts'
import {
  type AcceptedViolation,
  countSeverities,
  isAtLeast,
  isOpen,
  isOverdue,
  severities,
} from '../model/violation.ts'
import { groupGaps } from './compliance/gap-sentences.ts'
import { withoutCauses } from './describe-cause.ts'
import { countEndings, describeEnding, describeWaiver } from './describe-ending.ts'
import { changesOfCause, notesNamed, sayMeanwhile, timesOf } from './describe-notes.ts'
import { describeNotice } from './describe-notice.ts'
import { describeWindows } from './describe-window.ts'
import {
  anchorOf,
  type Block,
  type Document,
  type Inline,
  joined,
  list,
  type SectionBlock,
  section,
  severityChip,
  type TableBlock,
  text,
  type VerdictBlock,
} from './document/blocks.ts'
import { rulesOf } from './evaluated-rules.ts'
import {
  describeFirstScans,
  describeNoDrift,
  describeSeen,
  extentOf,
  listingWalks,
  newViolations,
  showCount,
} from './gaps.ts'
import { type Grouping, groupViolations, worstFirst } from './group-by.ts'
import { remediationFor } from './remediation-for.ts'
import { coverageOf, projectsOf } from './report-appendix.ts'
import type { RenderOptions } from './report-format.ts'
import { causeItem, changeItem, gapItems, violationItem } from './report-items.ts'
import { isShellSafe, locateCommands, locatingOptions } from './text/commands.ts'
import { shorten } from './text/shorten.ts'
import { showDuration, showTime } from './text/show-time.ts'
import { type Suggestion, suggestNext } from './what-next.ts'

type Options = Pick<RenderOptions, 'full' | 'isScreen' | 'groupBy' | 'locating' | 'next'> & {
  /** Whether it is a page, which folds: everything is in it, with tables and links within it that other forms have no use for. */
  readonly isPage?: boolean
}

/** So many causes are named; what follows from the others is listed one by one. */
const mostCauses = 8
const mostNamed = 5
const mostListed = 10
/** A screen lists so many high and critical ones that are new; a file or a pipe lists all. */
const mostUrgent = 30
const mostRows = 10
/** A page shows so many groups of a section at first, and so many names in a line. */
const [mostUnfolded, mostOnPage] = [8, 40]

/**
 * What the report of a run says to people: the verdict, what could not be read, what happened (causes: changes that hit
 * many resources at once), what is new, what changed, then all else. What is new and severe is listed whole; what there
 * is much of is a table, unless everything is asked for.
 */
export function reportDocument(
  report: Report,
  { full, isScreen = false, groupBy = 'rule', locating = {}, next = (steps) => steps, isPage = false }: Options,
): Document {
  const { run, verdict, notices, causes, violations } = report
  const options = locating === null ? null : locatingOptions('report', locating)
  const place: Place = {
    report,
    full,
    isScreen,
    isPage,
    groupBy,
    titles: new Map(rulesOf(report).map((rule) => [rule.id, rule])),
    explained: new Set(),
    commandFor: (command) => (options === null ? null : `hookdrift ${command}${options}`),
    located: (said) => (locating === null ? said : locateCommands(said, locating)),
  }
  const named = full ? causes : causes.slice(0, mostCauses)
  const alone = full ? report : withoutCauses(report, named)
  const fresh = newViolations(alone)
  const isFresh = new Set(fresh)
  const unknown = alone.violations.filter(({ state }) => state === 'unknown')
  const others = alone.violations.filter((one) => !isFresh.has(one) && isOpen(one))
  const areAlone = fresh.length === 0 && named.length === 0
  // What a first scan of a project found is not known to have been there before.
  const titleOfOthers = areAlone ? 'Open' : others.some(({ state }) => state === 'opened') ? 'Also open' : 'Open before'
  const besides = named.length > 0 && !full ? ', besides these causes' : ''
  const took = showDuration(run.started_at, run.finished_at)
  return {
    title: `${subjectOf(report)}: run ${run.number}, ${showTime(run.started_at)}${took === '' ? '' : `, took ${took}`}`,
    verdict: {
      kind: 'verdict',
      outcome: verdict.exit_code === 0 ? 'passed' : verdict.exit_code === 1 ? 'failed' : 'unknown',
      sentence: `${verdict.text} Exit code ${verdict.exit_code}.`,
      isCounted: true,
      numbers: numbersOf(report),
      facts: [],
    },
    about: [...aboutScan(place), ...summaryOf(report), ...aboutDrift(report), ...limitsOf(place)],
    sections: [
      ...causesSection(named, place),
      ...section(2, `New${besides}`, urgentFirst(fresh, place), { id: 'new', count: countAll(fresh, run.started_at) }),
      ...driftSection(alone, besides, place),
      ...(isPage ? section(2, 'Projects', projectsOf(report), { id: 'projects' }) : []),
      ...section(2, titleOfOthers, findings(others, place), {
        id: 'violations',
        count: countAll(others, run.started_at),
      }),
      ...section(2, 'Unknown, because the scan did not check them', findings(unknown, place), {
        id: 'unknown',
        count: countAll(unknown, run.started_at),
      }),
      ...endedSection(violations, place),
      ...waivedSection(violations, place),
      ...acceptedSection(report, place),
      ...section(
        2,
        'Notices',
        list(
          'notice',
          [...new Set(notices.map(describeNotice))].map((said) => ({ text: shorten(said, 600) })),
          most(place, mostListed),
        ),
      ),
      ...section(2, 'What next', nextSteps(next(options === null ? [] : suggestNext(report, options)))),
      ...(isPage ? section(2, 'Coverage', coverageOf(report), { id: 'coverage' }) : []),
    ],
  }
}

/** What composing needs everywhere. */
interface Place {
  readonly report: Report
  readonly full: boolean
  readonly isScreen: boolean
  readonly isPage: boolean
  readonly groupBy: Grouping
  readonly titles: ReadonlyMap<string, { readonly title: string; readonly remediation: string }>
  /** Rules whose remediation the report has shown: each is shown once. */
  readonly explained: Set<string>
  /** A command that reads the same history; null where none can. */
  commandFor(command: string): string | null
  /** A text whose commands read the same history. */
  located(said: string): string
}

/** A page has all of them, the first before a fold. */
function most({ full, isPage }: Place, number: number): number {
  return full && !isPage ? Number.POSITIVE_INFINITY : number
}

/** `acme: orders, payments`, or `acme, globex: 40 projects`. */
export function subjectOf(report: Pick<Report, 'projects' | 'coverage'>): string {
  const projects = [...new Set([...report.projects, ...listingWalks(report.coverage)].map(({ project }) => project))]
  if (projects.length === 0) return 'No project'
  const byService = Map.groupBy(projects.sort(), (project) => project.split('/', 1)[0] ?? project)
  const few = projects.length <= 3
  if (!few)
    return `${byService.size <= 3 ? [...byService.keys()].join(', ') : count(byService.size, 'service')}: ${count(projects.length, 'project')}`
  return [...byService]
    .map(([service, names]) => `${service}: ${names.map((name) => name.slice(service.length + 1)).join(', ')}`)
    .join('; ')
}

/** What was scanned; where walks are missing, why, what it cost, and what to do. */
function aboutScan(place: Place): readonly Block[] {
  const { coverage, projects } = place.report
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const complete = walks.filter(({ status }) => status === 'complete')
  const missing = walks.length - complete.length
  if (missing === 0) {
    const names = new Set(listingWalks(walks).map(({ project }) => project)).size
    return [text(`Scanned ${count(names, 'project')} completely: ${describeTotal(walks)}.`, 'good')]
  }
  return [
    text(
      `INCOMPLETE SCAN: ${missing} of ${count(walks.length, 'listing')} ${missing === 1 ? 'is' : 'are'} not complete.`,
      'alarm',
    ),
    text('Nothing was removed or resolved there:'),
    ...list('cause', gapItems(coverage, projects), most(place, mostUrgent)),
    ...(complete.length === 0
      ? []
      : [text(`Complete: ${count(complete.length, 'listing')}, ${describeTotal(complete)}.`)]),
  ]
}

function describeTotal(walks: readonly ReportCoverage[]): string {
  const listed = listingWalks(walks)
  const total = (member: 'items' | 'pages') => listed.reduce((sum, walk) => sum + walk[member], 0)
  return describeSeen({ items: total('items'), pages: total('pages') })
}

/** What the run leaves out although nothing failed: skipped listings, filters, rows not due yet, what no rule could evaluate. */
function limitsOf(place: Place): readonly Block[] {
  const { coverage, gaps } = place.report
  const skipped = alike(
    coverage.filter(({ status }) => status === 'skipped'),
    ({ listing, reason }) => [listing, reason === null ? '' : readReason(reason).what],
    ([listing, why], projects) =>
      `Skipped ${listing} of ${projects}${why === '' ? '' : `: ${shorten(why ?? '', 200)}`}`,
  )
  const inTurn = coverage.flatMap((walk) => {
    const { project, status, items, of = items, oldest_at: oldest } = walk
    return status === 'complete' && items < of
      ? [`${project}: ${describeSeen(walk)}${oldest ? `, the oldest known ones at ${showTime(oldest)}` : ''}`]
      : []
  })
  const narrowed = alike(
    coverage.filter(({ filter }) => filter !== null),
    ({ listing, filter }) => [listing, filter ?? ''],
    ([listing, filter], projects) => `Only ${listing} with ${shorten(filter ?? '', 200)} in ${projects}`,
  )
  const unevaluated = groupGaps(gaps).map(
    ({ text: said, projects }) => `${shorten(said, 300)} (${nameProjects(projects)})`,
  )
  const sentences = [...skipped, ...inTurn, ...narrowed, ...unevaluated]
  const limits = list(
    'limit',
    sentences.map((said) => ({ text: /[.!?]$/.test(said) ? said : `${said}.` })),
    most(place, mostNamed),
  )
  return place.isPage ? section(4, 'What this run leaves out', limits, { id: 'limits', isFolded: false }) : limits
}

/** One sentence for all walks that are alike. */
function alike(
  walks: readonly ReportCoverage[],
  keyOf: (walk: ReportCoverage) => readonly string[],
  say: (key: readonly string[], projects: string) => string,
): string[] {
  const groups = Map.groupBy(walks, (walk) => JSON.stringify(keyOf(walk)))
  return [...groups].map(([key, same]) => say(JSON.parse(key), nameProjects(same.map(({ project }) => project))))
}

function nameProjects(all: readonly string[]): string {
  const names = all.slice(0, 3)
  return all.length === names.length ? names.join(', ') : `${names.join(', ')} and ${all.length - names.length} more`
}

/** Those that a page shows large. */
function numbersOf({ verdict, coverage }: Report): VerdictBlock['numbers'] {
  const extent = extentOf(coverage)
  return (['critical', 'high', 'medium'] as const).map((severity) => ({
    value: showCount(verdict.violations[severity], extent),
    label: severity,
    mark: severity,
  }))
}

/** How many violations of each severity are in each state; `?` where the scan does not say that there are none. */
function summaryOf({ violations, coverage }: Report): readonly Block[] {
  const none = isCoverageComplete(coverage) ? '0' : '?'
  const columns: readonly (readonly [string, (violation: ReportViolation) => boolean])[] = [
    ['opened', ({ state }) => state === 'opened'],
    ['continuing', ({ state }) => state === 'continuing'],
    ['fixed', ({ resolution }) => resolution === 'fixed'],
    ['ended otherwise', ({ state, resolution }) => state === 'resolved' && resolution !== 'fixed'],
    ['unknown', ({ state }) => state === 'unknown'],
    ['waived', ({ state }) => state === 'waived'],
  ]
  const table: TableBlock = {
    kind: 'table',
    name: 'violations by severity and state',
    columns: [{ title: 'Severity' }, ...columns.map(([title]) => ({ title, kind: 'number' as const }))],
    rows: severities.map((severity) => ({
      cells: [
        severity,
        ...columns.map(([title, isIn]) => {
          const number = violations.filter((violation) => violation.severity === severity && isIn(violation)).length
          return number === 0 && title !== 'unknown' && title !== 'waived' ? none : String(number)
        }),
      ],
    })),
    isOverview: true,
  }
  return [table]
}

/** What happened once and hit many, and updates of several fields: first, because what follows repeats it. */
function causesSection(named: readonly ReportCause[], place: Place): readonly SectionBlock[] {
  const { causes, run } = place.report
  const following = causes.reduce((sum, { violations }) => sum + violations.length, 0)
  const what = `${count(following, 'violation')} that ${following === 1 ? 'follows' : 'follow'}`
  const fresh = causes.filter(({ first_run: first }) => first === run.number).length
  const when = fresh === causes.length ? '' : fresh === 0 ? ' of earlier runs' : ` (${fresh} of this run)`
  const items = causes.map((cause) =>
    causeItem(cause, {
      run: run.number,
      full: place.full,
      most: place.isPage ? mostOnPage : most(place, mostNamed),
      more: meanwhile(changesOfCause(cause, place.report), place.report),
      fix: fixOf(cause, place),
      commandFor: place.commandFor,
    }),
  )
  return section(2, 'Causes', list('cause', items, named.length, place.commandFor('violations --by-cause')), {
    id: 'causes',
    count: `${count(causes.length, 'change')}${when}, and ${what}`,
  })
}

/** How to fix the worst violation that follows from a cause, for all that follow. */
function fixOf({ rules: [worst], violations }: ReportCause, { report, titles, located }: Place): string {
  const following = new Set(violations)
  const subjects = report.violations.filter(({ fingerprint }) => following.has(fingerprint))
  return located(remediationFor((worst && titles.get(worst.rule)?.remediation) ?? '', subjects))
}

/** The change windows that changes may have been made in, and what people did meanwhile. */
function meanwhile(changes: readonly ReportDrift[], { notes, projects }: Report): readonly Inline[] {
  return sayMeanwhile(describeWindows(changes, projects), notesNamed(changes, notes), timesOf(changes))
}

/** `5 (1 high, 4 low), 1 raised from info, 2 overdue`. `at`: ISO 8601 in UTC. */
function countAll(violations: readonly ReportViolation[], at: string): string {
  const each = countEach(severities, countSeverities(violations))
  const overdue = violations.filter((violation) => isOverdue(violation, Date.parse(at))).length
  return [
    `${violations.length} (${each})`,
    ...countRated(violations),
    ...(overdue === 0 ? [] : [`${overdue} overdue`]),
  ].join(', ')
}

/** `1 raised from info`: those whose severity differs from the report before. */
function countRated(violations: readonly ReportViolation[]): readonly string[] {
  const moves = violations.flatMap(({ severity, severity_before: was }) =>
    was === undefined ? [] : [`${isAtLeast(severity, was) ? 'raised' : 'lowered'} from ${was}`],
  )
  return [...Map.groupBy(moves, (move) => move)].map(([move, { length }]) => `${length} ${move}`)
}

/** New ones: those that are high or critical are listed, each, before all others. */
function urgentFirst(fresh: readonly ReportViolation[], place: Place): readonly Block[] {
  const urgent = fresh.filter(({ severity }) => isAtLeast(severity, 'high'))
  const listed = urgent.length <= mostUrgent || !place.isScreen ? new Set(urgent) : new Set<ReportViolation>()
  return [
    ...groups([...listed], place, listed.size),
    ...findings(
      fresh.filter((one) => !listed.has(one)),
      place,
    ),
  ]
}

/** In groups, or as a table of the groups where a list would be longer than a person reads. */
function findings(violations: readonly ReportViolation[], place: Place): readonly Block[] {
  if (violations.length <= mostListed) return groups(violations, place)
  const table = groupTable(violations, place)
  if (place.isPage) return [table, ...groups(violations, place)]
  return place.full ? groups(violations, place) : [table]
}

function groups(
  violations: readonly ReportViolation[],
  place: Place,
  longest = most(place, mostListed),
): readonly Block[] {
  return groupViolations(violations, place.groupBy).flatMap((group, at) => {
    const [first] = group
    if (first === undefined) return []
    const isByRule = place.groupBy === 'rule'
    const { title = '', remediation = '' } = place.titles.get(first.rule) ?? {}
    const named = isByRule
      ? ruleTitle(first, title)
      : `${nameGroup(first, place)}: ${countAll(group, place.report.run.started_at)}`
    const isFirst = isByRule && !place.explained.has(first.rule)
    if (isByRule) place.explained.add(first.rule)
    const anchor = anchorOf('rule', first.rule)
    const items = group.map((violation) =>
      violationItem(violation, { at: place.report.run.started_at, hasRule: !isByRule }),
    )
    return [
      ...section(
        4,
        named,
        [
          ...list('violation', items, longest, commandOf(first, place)),
          ...(isFirst && remediation !== ''
            ? [{ kind: 'fix' as const, text: place.located(remediationFor(remediation, group)) }]
            : []),
          ...(isByRule && !isFirst && place.isPage ? [text({ text: 'How to fix', to: { anchor } }, 'aside')] : []),
        ],
        { ...(isFirst && { id: anchor }), ...(place.isPage && { isFolded: at >= mostUnfolded }) },
      ),
    ]
  })
}

function ruleTitle({ severity, rule }: ReportViolation, title: string): Inline {
  const about = title === '' || title === rule ? '' : `: ${shorten(title, 200)}`
  return [severityChip(severity), ' ', { code: rule }, about]
}

function nameGroup(violation: ReportViolation, { groupBy: by }: Place): string {
  const { project, kind, name, uid, owner } = violation
  if (by === 'project') return `Project ${project}`
  if (by === 'owner') return owner === null ? 'Without an owner' : `Owner ${shorten(owner, 60)}`
  return `Resource ${project} ${kind} ${name === '' ? '' : `"${shorten(name, 60)}" `}${shorten(uid, 64)}`
}

/** Lists the whole group. A service chooses its owners: one that a shell would read otherwise is not offered. */
function commandOf({ rule, project, owner, uid }: ReportViolation, { groupBy: by, commandFor }: Place): string | null {
  if (by === 'rule') return commandFor(`violations --rule ${rule}`)
  if (by === 'project') return commandFor(`violations --project ${project}`)
  if (by === 'resource') return isShellSafe(uid) ? commandFor(`timeline ${uid}`) : null
  return owner !== null && isShellSafe(owner) ? commandFor(`violations --owner ${owner}`) : null
}

/** A row for each group, the worst first. */
function groupTable(violations: readonly ReportViolation[], place: Place): TableBlock {
  const { groupBy: by } = place
  const isInMany = by === 'rule' || by === 'owner'
  const ofGroup = (group: readonly ReportViolation[]) => {
    const [first] = group
    if (first === undefined) return []
    const { rule, project, kind, name: called, uid, owner } = first
    const resource = `${project} ${kind} ${shorten(called === '' ? uid : called, 60)}`
    const name = { rule, project, owner: shorten(owner ?? 'none', 60), resource }[by]
    const projects = new Set(group.map(({ project }) => project)).size
    const oldest = group.map(({ first_seen }) => first_seen).sort()[0] ?? ''
    const numbers = isInMany ? [group.length, projects] : [group.length]
    const code = by === 'rule' && place.isPage ? { code: name, to: { anchor: anchorOf('rule', name) } } : { code: name }
    return [{ cells: [severityChip(first.severity), code, ...numbers.map(String), oldest.slice(0, 10)] }]
  }
  const worst = violations.find(({ severity }) => severity === 'critical') === undefined ? '' : ' --severity high'
  return {
    kind: 'table',
    name: `violations by ${by}`,
    columns: [
      { title: 'Severity' },
      { title: by },
      { title: 'Violations', kind: 'number' },
      ...(isInMany ? [{ title: 'Projects', kind: 'number' as const }] : []),
      { title: 'Oldest' },
    ],
    rows: groupViolations(violations, by).flatMap(ofGroup),
    most: mostRows,
    noun: by,
    command: place.commandFor(`violations --open${worst}`),
  }
}

/** Why no change is listed, and what is compared from now on. */
function aboutDrift(report: Report): readonly Block[] {
  const none = report.drift.length === 0 ? describeNoDrift(report) : ''
  return [none, describeFirstScans(report)].filter((sentence) => sentence !== '').map((sentence) => text(sentence))
}

/** What changed since the last complete scan, with its fields where few resources changed. */
function driftSection(alone: Report, besides: string, place: Place): readonly Block[] {
  const { report, full } = place
  const { drift } = alone
  const isWhole = full || drift.length <= mostListed
  const items = drift.map((change) =>
    changeItem(change, {
      hasFields: isWhole,
      more: [...meanwhile([change], report), ...(place.isPage ? openedWith(change, report) : [])],
    }),
  )
  const counts = { added: 0, removed: 0, modified: 0 }
  for (const { change } of drift) counts[change] += 1
  const between = isWhole ? [] : meanwhile(drift, report).map((sentence) => text(sentence, 'aside'))
  return [
    ...section(
      2,
      `Changed since the last complete scan${besides}`,
      drift.length === 0
        ? []
        : [
            ...between,
            ...list(
              'change',
              items,
              most(place, isWhole ? mostListed : mostNamed),
              place.commandFor(`diff ${report.run.number}`),
            ),
          ],
      { id: 'drift', count: countEach(changeTypes, counts) },
    ),
  ]
}

/** Violations of a changed resource that are new. */
function openedWith({ project, kind, uid }: ReportDrift, { violations }: Report): readonly Inline[] {
  const opened = violations.filter(
    (one) => one.state === 'opened' && one.project === project && one.kind === kind && one.uid === uid,
  )
  const links = opened.map(
    ({ fingerprint, severity, rule }): Inline => [
      severityChip(severity),
      ' ',
      { code: rule, to: { violation: fingerprint } },
    ],
  )
  return links.length === 0 ? [] : [['New with it: ', ...joined(links, ', ')]]
}

/** Each with its ending: fixed, or who or what ended it. */
function endedSection(violations: readonly ReportViolation[], place: Place): readonly SectionBlock[] {
  const ended = violations.filter(({ state }) => state === 'resolved')
  const command = place.commandFor(`violations --resolved --since ${place.report.run.number}`)
  return section(2, 'Ended', plainList(ended, place, command), {
    id: 'ended',
    count: `${ended.length} (${shorten(countEndings(ended), 600)})`,
  })
}

/** By waiver: who accepted what, until when and why, then the violations. */
function waivedSection(violations: readonly ReportViolation[], place: Place): readonly SectionBlock[] {
  const waived = worstFirst(violations.filter(({ state }) => state === 'waived'))
  const byWaiver = [...Map.groupBy(waived, ({ waiver }) => JSON.stringify(waiver ?? null)).values()]
  const command = place.commandFor('violations --waived')
  return section(
    2,
    'Waived',
    byWaiver.flatMap((group) => {
      const [waiver] = group.flatMap((one) => one.waiver ?? [])
      if (waiver === undefined || place.isPage) return plainList(group, place, command)
      return [text(shorten(describeWaiver(waiver), 600)), ...plainList(group, place, command)]
    }),
    { id: 'waived', count: `${count(waived.length, 'violation')}, accepted by the policy` },
  )
}

/** Each in a line; where that is more than a person reads, the command that lists them. */
function plainList(violations: readonly ReportViolation[], place: Place, command: string | null): readonly Block[] {
  if (!place.full && command !== null && violations.length > mostListed) {
    return [text(`\`${command}\` lists them.`, 'aside')]
  }
  const { started_at: at } = place.report.run
  const items = violations.map((violation) => {
    if (place.isPage) return violationItem(violation, { at, hasRule: true })
    const how = violation.resolution === null ? '' : ` (${describeEnding(violation)})`
    const { severity, rule } = violation
    return { text: joined([severityChip(severity), { code: rule }, { resource: violation }], ' ').concat(how) }
  })
  return list('violation', items, most(place, mostListed), command)
}

/** What people accepted and what this run does not list among the violations that ended: each is said once. */
function acceptedBefore({ accepted, violations }: Pick<Report, 'accepted' | 'violations'>): AcceptedViolation[] {
  const ended = new Set(
    violations.flatMap(({ fingerprint, resolution }) => (resolution === 'accepted' ? [fingerprint] : [])),
  )
  return accepted.filter(({ fingerprint }) => !ended.has(fingerprint))
}

/** What people accepted in the history: who, when and why. */
function acceptedSection(report: Report, place: Place): readonly SectionBlock[] {
  const accepted = acceptedBefore(report)
  const items = accepted.map(({ rule, reason, by, at, ...resource }) => ({
    text: joined([{ code: rule }, { resource }], ' of ').concat(
      `, by ${by}, ${at.slice(0, 10)}: ${shorten(reason, 300)}`,
    ),
  }))
  return section(
    2,
    'Accepted before',
    list('violation', items, most(place, mostNamed), place.commandFor('waivers list --acceptances')),
    { id: 'accepted', count: `${count(accepted.length, 'violation')}, by people` },
  )
}

function nextSteps(rows: readonly Suggestion[]): readonly Block[] {
  return rows.length === 0 ? [] : [{ kind: 'commands', rows }]
}
