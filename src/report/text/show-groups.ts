import type { ReportViolation } from '../../model/report.ts'
import { countSeverities, isOverdue, severities } from '../../model/violation.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count, countEach } from '../../text/count.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { type Column, cutColumns, layTable } from '../../text/table.ts'
import { describeDue } from '../describe-due.ts'
import { type Grouping, groupViolations } from '../group-by.ts'
import { remediationFor } from '../remediation-for.ts'
import { isShellSafe } from './commands.ts'
import { showOmitted, type TextPage } from './page.ts'
import { shorten, shortenSeals, shortFingerprint } from './shorten.ts'
import { nameResource } from './show-resource.ts'

export interface GroupOptions {
  /** Lines that there is room for. */
  readonly most: number
  /** What a line says of the state of a violation; empty where the heading of the section says it. */
  readonly describe: (violation: ReportViolation) => string
  /** Titles and remediations, by rule. */
  readonly rules: ReadonlyMap<string, { readonly title: string; readonly remediation: string }>
  /** Rules whose remediation the report has shown: each is shown once. */
  readonly explained: Set<string>
}

const longestTable = 30

/** Rows that the table has in any case. */
const reservedRows = 12

const linesOfGroup = 10

const linesOfRemediation = 3

const cutMark = ' …'

/**
 * Violations in groups, the worst first: a line each, with the remediation of the rule. Groups for which there is no room
 * become lines of a table.
 */
export function showGroups(violations: readonly ReportViolation[], page: TextPage, options: GroupOptions): string[] {
  const groups = groupViolations(violations, page.groupBy)
  const lines: string[] = []
  for (const [at, group] of groups.entries()) {
    const explained = new Set(options.explained)
    const next = ['', ...showGroup(group, page, { ...options, explained })]
    const rest = groups.length - at - 1
    if (lines.length + next.length + linesOfTable(rest) > options.most) {
      return [...lines, '', ...showTable(groups.slice(at), page, options.most - lines.length - 1)]
    }
    for (const rule of explained) options.explained.add(rule)
    lines.push(...next)
  }
  return lines
}

function linesOfTable(groups: number): number {
  return groups === 0 ? 0 : 2 + Math.min(groups, reservedRows)
}

function showGroup(group: readonly ReportViolation[], page: TextPage, options: GroupOptions): string[] {
  const [first] = group
  if (first === undefined) return []
  const { describe, rules, explained } = options
  const isByRule = page.groupBy === 'rule'
  const { title = '', remediation = '' } = rules.get(first.rule) ?? {}
  const isExplained = !isByRule || explained.has(first.rule)
  const fix = isExplained ? [] : showRemediation(page.locate(remediationFor(remediation, group)), page)
  if (isByRule) explained.add(first.rule)
  const rows = page.full ? group : group.slice(0, group.length > linesOfGroup ? linesOfGroup - 1 : linesOfGroup)
  const command = commandFor(first, page.groupBy)
  const hidden = group.slice(rows.length)
  return [
    ...headingOf(group, first, title, page),
    ...layRows(rows, page, { describe }),
    ...(hidden.length === 0 ? [] : [`  ${showOmitted(hidden.length, page, command)}`]),
    ...fix,
  ]
}

/** Lists the whole group. A service chooses its owners: one that a shell would read otherwise is not offered. */
function commandFor({ rule, project, owner, uid }: ReportViolation, by: Grouping): string | undefined {
  if (by === 'rule') return `violations --rule ${rule}`
  if (by === 'resource') return isShellSafe(uid) ? `timeline ${uid}` : undefined
  if (by === 'project') return `violations --project ${project}`
  return owner !== null && isShellSafe(owner) ? `violations --owner ${owner}` : undefined
}

function headingOf(group: readonly ReportViolation[], first: ReportViolation, title: string, page: TextPage): string[] {
  if (page.groupBy !== 'rule') {
    const lines = wrapProse(`${nameGroup(first, page.groupBy)}: ${describeSeverities(group, page.at)}`, page.width)
    return lines.map((line) => page.paint('heading', line))
  }
  const { severity, rule } = first
  const about = title === '' || title === rule ? '' : `  ${shorten(neutralise(title), 200)}`
  const [head = '', ...more] = wrapProse(`${neutralise(rule)}${about.replace(/^ {2}/, ' – ')}`, page.width - 10)
  return [
    `${page.paint(severity, severity.padEnd('critical'.length))}  ${page.paint('heading', head)}`,
    ...more.map((line) => `          ${page.paint('heading', line)}`),
  ]
}

function nameGroup(violation: ReportViolation, by: Exclude<Grouping, 'rule'>): string {
  if (by === 'owner' && violation.owner === null) return 'Without an owner'
  const { [by]: noun } = { project: 'Project', owner: 'Owner', resource: 'Resource' }
  return `${noun} ${nameMember(violation, by)}`
}

function nameMember({ project, kind, name, uid, owner }: ReportViolation, by: Exclude<Grouping, 'rule'>): string {
  if (by === 'project') return neutralise(project)
  if (by === 'owner') return owner === null ? 'none' : shorten(neutralise(owner), 60)
  const named = name === '' ? '' : ` ${quote(shorten(name, 60))}`
  const whose = owner === null ? '' : `, owner ${shorten(neutralise(owner), 40)}`
  return `${neutralise(project)} ${kind}${named} ${shorten(neutralise(uid), 64)}${whose}`
}

/** `5 (1 high, 4 low), 2 overdue`. `at`: ISO 8601 in UTC. */
export function describeSeverities(violations: readonly ReportViolation[], at: string): string {
  const each = countEach(severities, countSeverities(violations))
  const overdue = violations.filter((violation) => isOverdue(violation, Date.parse(at))).length
  return `${violations.length} (${each})${overdue === 0 ? '' : `, ${overdue} overdue`}`
}

/** How to fix violations of a rule: the beginning, where the page is not shown whole. */
function showRemediation(remediation: string, page: TextPage): string[] {
  const label = 'Fix: '
  const room = page.width - 4 - label.length - cutMark.length
  const texts = itemsOf(remediation).flatMap((item) => wrapProse(neutralise(item), room))
  const lines = texts.map((text, at) => `${at === 0 ? label : ' '.repeat(label.length)}${text}`)
  const listed = page.full ? lines : lines.slice(0, linesOfRemediation)
  const isCut = listed.length < lines.length
  return listed.map((line, at) => page.paint('aside', `    ${line}${isCut && at === listed.length - 1 ? cutMark : ''}`))
}

/** What comes before a list, and its items, each as one line. Remediations of built-in rules are one line already. */
function itemsOf(markdown: string): string[] {
  const items = markdown.split(/(?<=[.;:])\s(?=(?:-|\d{1,2}\.) )|(?<=\n)(?=(?:-|\d{1,2}\.) )/)
  return items.map((item) => item.replaceAll('\n', ' '))
}

interface TableRow {
  readonly group: readonly ReportViolation[]
  readonly first: ReportViolation
}

function showTable(groups: readonly (readonly ReportViolation[])[], page: TextPage, most: number): string[] {
  const rows = groups.flatMap((group) => (group[0] === undefined ? [] : [{ group, first: group[0] }]))
  const room = Math.max(3, Math.min(longestTable, most - 2))
  const [header = [], ...lines] = layTable(tableColumns(page.groupBy), rows.slice(0, room), page.width)
  const listed = rows.slice(0, fitRows(lines, rows.length, room))
  const omitted = rows.length - listed.length
  const rest = rows.slice(listed.length).reduce((sum, { group }) => sum + group.length, 0)
  return [
    ...header.map((line) => page.paint('heading', line)),
    ...lines.slice(0, listed.length).flat(),
    ...(omitted === 0
      ? []
      : [page.paint('aside', `… and ${describeMore(omitted, page.groupBy)} with ${count(rest, 'violation')}`)]),
  ]
}

/** How many rows fit into so many lines, with one that counts the others. */
function fitRows(rows: readonly (readonly string[])[], total: number, room: number): number {
  let remaining = rows.flat().length <= room && rows.length === total ? room : room - 1
  const omitted = rows.findIndex((lines) => {
    remaining -= lines.length
    return remaining < 0
  })
  return Math.max(1, omitted === -1 ? rows.length : omitted)
}

function describeMore(groups: number, by: Grouping): string {
  return count(groups, `more ${by}`)
}

function tableColumns(by: Grouping): Column<TableRow>[] {
  const projects = ({ group }: TableRow) => new Set(group.map(({ project }) => project)).size
  const oldest = ({ group }: TableRow) => group.map(({ first_seen }) => first_seen).sort()[0] ?? ''
  return [
    { name: 'severity', value: ({ first }) => first.severity },
    { name: by, value: ({ first }) => (by === 'rule' ? first.rule : nameMember(first, by)), breaks: true },
    { name: 'violations', value: ({ group }) => group.length, align: 'right' },
    ...(by === 'project' || by === 'resource'
      ? []
      : [{ name: 'projects', value: projects, align: 'right' } satisfies Column<TableRow>]),
    { name: 'oldest', value: (row) => oldest(row).slice(0, 10) },
  ]
}

/** Columns of a line about a violation; those that the heading of the group says are left out. */
const columns = {
  fingerprint: { inHeadingOf: [], widest: 8 },
  severity: { inHeadingOf: ['rule'], widest: 8 },
  rule: { inHeadingOf: ['rule'], widest: 80 },
  project: { inHeadingOf: ['project', 'resource'], widest: 32 },
  resource: { inHeadingOf: ['resource'], widest: 48 },
  owner: { inHeadingOf: ['owner', 'resource'], widest: 26 },
  since: { inHeadingOf: [], widest: 24 },
  due: { inHeadingOf: [], widest: 18 },
} as const satisfies Record<string, { inHeadingOf: readonly Grouping[]; widest: number }>

type ColumnName = keyof typeof columns

const indent = '  '

const narrowestMessage = 24

/**
 * One line for each violation, its message last: cut to the width, or wrapped where the page is shown whole. The message
 * of a single violation that this run opened has lines of its own where it would be cut. Columns for which the line has no room
 * come before the message, on lines of their own.
 */
function layRows(
  violations: readonly ReportViolation[],
  page: TextPage,
  { describe, omit = [] }: { describe: (violation: ReportViolation) => string; omit?: readonly ColumnName[] },
): string[] {
  const names = (Object.keys(columns) as ColumnName[]).filter(
    (name) => !omit.includes(name) && !columns[name].inHeadingOf.some((grouping) => grouping === page.groupBy),
  )
  const isClear = areNamesClear(violations) && !page.full
  const cells = violations.map((violation) => names.map((name) => cellOf(name, violation, { describe, isClear, page })))
  const widths = names.map((name, at) => {
    const widest = cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0)
    return page.full ? widest : Math.min(widest, columns[name].widest)
  })
  const fitting = countFitting(widths, page.width)
  const mayCut = violations.length > 1 || violations[0]?.state !== 'opened'
  return violations.flatMap((violation, at) => {
    const row = (cells[at] ?? []).slice(0, fitting).flatMap((cell, column) => {
      const width = widths[column] ?? 0
      if (width === 0) return []
      const padded = padColumns(cutColumns(cell, width), width)
      if (names[column] === 'severity') return [page.paint(violation.severity, padded)]
      return [names[column] === 'due' && isLate(violation, page) ? page.paint('alarm', padded) : padded]
    })
    const line = `${indent}${row.join(indent)}`
    const others = (cells[at] ?? []).slice(fitting).filter((cell) => cell !== '')
    if (others.length > 0) {
      const more = wrapPieces(others, page.width - 6).map((text) => `      ${text}`)
      return [line.trimEnd(), ...more, ...withMessage('', violation, { page, room: 0, mayCut }).slice(1)]
    }
    const used = widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + indent.length), 0)
    return withMessage(line, violation, { page, room: page.width - used - indent.length, mayCut })
  })
}

function withMessage(
  line: string,
  { message: text }: ReportViolation,
  {
    page,
    room,
    mayCut,
  }: {
    readonly page: TextPage
    /** Columns that the line leaves. */
    readonly room: number
    /** Whether the message may lose its end to stay on the line. */
    readonly mayCut: boolean
  },
): string[] {
  const [shortened] = shortenSeals(text)
  const message = neutralise(shorten(shortened, 600))
  if (widthOf(message) + indent.length <= room) return [`${line}${indent}${message}`]
  const most = page.messageLines
  if (Number.isFinite(most) && mayCut && room >= narrowestMessage) {
    return [`${line}${indent}${cutColumns(message, room - indent.length)}`]
  }
  const lines = wrapProse(message, page.width - 6)
  const last = cutColumns(lines.slice(most - 1).join(' '), page.width - 6)
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), last]
  return [line.trimEnd(), ...shown.map((part) => `      ${part}`)]
}

/** How many of the columns fit into a line. */
function countFitting(widths: readonly number[], width: number): number {
  let used = 0
  const next = widths.findIndex((each) => {
    used += each === 0 ? 0 : each + indent.length
    return used > width
  })
  return next === -1 ? widths.length : Math.max(1, next)
}

function cellOf(
  name: ColumnName,
  violation: ReportViolation,
  {
    describe,
    isClear,
    page,
  }: {
    readonly describe: (violation: ReportViolation) => string
    /** Whether the name alone says which resource it is. */
    readonly isClear: boolean
    readonly page: TextPage
  },
): string {
  if (name === 'resource') return nameResource(violation, isClear)
  if (name === 'since') return describe(violation)
  if (name === 'fingerprint') return shortFingerprint(violation.fingerprint)
  if (name === 'due') return describeDue(violation, page.at)
  if (name === 'owner') return violation.owner === null ? '' : `owner ${shorten(neutralise(violation.owner), 40)}`
  return neutralise(violation[name])
}

function isLate(violation: ReportViolation, { at }: TextPage): boolean {
  return isOverdue(violation, Date.parse(at))
}

/** Whether every resource here has a name of its own. */
function areNamesClear(violations: readonly ReportViolation[]): boolean {
  const uids = new Map<string, string>()
  return violations.every(({ project, kind, name, uid }) => {
    const key = JSON.stringify([project, kind, name])
    const shared = uids.get(key) ?? uid
    uids.set(key, shared)
    return name !== '' && shared === uid
  })
}
