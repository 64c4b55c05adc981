import { globParts } from '../../model/glob.ts'
import { overdueRule, severities } from '../../model/violation.ts'
import type { GroupChoice, ResolvedViolation, ViolationChoice, ViolationGroup } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { compareText } from '../report-order.ts'
import { lastScanSql } from './fragments.ts'
import { type Session, type SqlValue, sqlOf, type Transaction } from './session.ts'
import {
  activeAsOf,
  endedBetween,
  isResolvedSql,
  ownerSql,
  projectNamesAt,
  startsOfRuns,
  stateSql,
} from './violations.ts'
import { foundViolations } from './visit-violations.ts'

export async function groupViolations(
  transaction: Transaction,
  choice: GroupChoice,
  visit: (group: ViolationGroup) => void,
): Promise<void> {
  const nameOf = await projectNamesAt(transaction, choice.run)
  const startOf = await startsOfRuns(transaction, choice.run)
  const pass = ({ isWaived, ...row }: GroupRow) => {
    const group = { ...row, project: nameOf(row.projectId), firstSeen: startOf(row.firstRun) }
    visit(isWaived === 1 ? { ...group, waiver: true } : group)
  }
  for (const statement of statementsOf(transaction, choice)) {
    const sql = `SELECT ${groupColumns}, min(o.uid) AS uid, count(*) AS violations FROM (${statement.sql}) o
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`
    await transaction.each(sql, statement.values, pass)
  }
}

/**
 * Counts first, so that only violations are read that are returned: groups of them are chosen and put in order, and of
 * the last group only what is still asked for is read.
 */
export async function firstViolations(
  transaction: Transaction,
  choice: ViolationChoice,
): Promise<(RecordedViolation | ResolvedViolation)[]> {
  const { isChosen, sortKey, most, groups } = choice
  const first = firstTiers(most)
  const add = (group: ViolationGroup) => {
    if (isChosen?.(group) !== false) first.add(group, sortKey?.(group) ?? '')
  }
  if (groups === undefined) await groupViolations(transaction, { ...choice, byRule: false }, add)
  else for (const group of groups) add(group)
  const { whole, cut, left } = first.conclude()
  const rows = await rowsOfTiers(transaction, choice, whole, undefined)
  if (cut !== undefined) rows.push(...(await rowsOfTiers(transaction, choice, [cut], left)))
  return foundViolations(transaction, rows)
}

type GroupRow = Omit<ViolationGroup, 'project' | 'firstSeen' | 'waiver'> & { readonly isWaived: 0 | 1 }

const groupColumns =
  'o."projectId", o.run, o.kind, o.severity, o.state, o."firstRun", o."isWaived", o."groupRule" AS rule'

interface Statement {
  readonly sql: string
  readonly values: SqlValue[]
}

/** SQL of the active violations that are asked for, and of the resolved ones. */
function statementsOf(
  session: Session,
  { run, withActive, resolvedAfter, rules, owners, byRule }: GroupChoice,
): Statement[] {
  const groupRule = byRule ? 'x.rule' : `CASE x.rule WHEN '${overdueRule}' THEN x.rule ELSE '' END`
  const columns = `x.id, x.project_id AS "projectId", x.kind, x.uid, x.rule, x.path, x.severity,
    x.first_run AS "firstRun", CASE WHEN x.waiver IS NULL THEN 0 ELSE 1 END AS "isWaived", ${groupRule} AS "groupRule"`
  const matching = (text: string, patterns: readonly string[] | undefined, values: SqlValue[]) => {
    if (patterns === undefined || patterns.length === 0) return []
    const like = sqlOf(session, { sqlite: 'GLOB', postgres: 'LIKE' })
    const tests = patterns.map((pattern) => `${text} ${like} $${values.push(patternFor(session, pattern))}::text`)
    return [`(${tests.join(' OR ')})`]
  }
  const ofRules = (values: SqlValue[]) => matching('x.rule', rules, values)
  const ofOwners = (scan: string, values: SqlValue[]) => matching(`coalesce(${ownerSql(scan)}, '')`, owners, values)
  const statements: Statement[] = []
  if (withActive) {
    const values: SqlValue[] = [run]
    const named = [...ofRules(values), ...ofOwners('s.run', values)]
    const where = named.length === 0 ? '' : `WHERE ${named.join(' AND ')}`
    const select = (from: string) => `SELECT ${columns}, s.run, ${stateSql} FROM ${from} ${where}`
    statements.push({ sql: activeAsOf(session, { scans: lastScanSql('$1'), isWhole: false }, select), values })
  }
  if (resolvedAfter !== undefined) {
    const values: SqlValue[] = [resolvedAfter, run]
    // All of them are read in the order of the table: the index on their ends would find a million one by one.
    const how = sqlOf(session, { sqlite: resolvedAfter === 0 ? 'NOT INDEXED' : '', postgres: '' })
    // What is quicker to find out is asked first.
    const isAsked = [...ofRules(values), isResolvedSql(session, endedBetween), ...ofOwners('x.to_run', values)].join(
      ' AND ',
    )
    const sql = `SELECT ${columns}, x.to_run AS run, 'resolved' AS state FROM hookdrift.violation x ${how} WHERE ${isAsked}`
    statements.push({ sql, values })
  }
  return statements
}

/** A pattern with `*` in the words of the database. */
function patternFor(session: Session, pattern: string): string {
  const parts = globParts(pattern)
  return session.dialect === 'sqlite'
    ? parts.map((part) => part.replaceAll(/[*?[]/g, '[$&]')).join('*')
    : parts.map((part) => part.replaceAll(/[\\%_]/g, '\\$&')).join('%')
}

/** Groups that nothing but the kinds, uids, rules and paths of their violations orders. */
interface Tier {
  readonly sortKey: string
  /** One of them. */
  readonly group: ViolationGroup
  readonly groups: ViolationGroup[]
  violations: number
}

/** Holds the groups that come first, until they have `most` violations, and about as many others. */
function firstTiers(most: number) {
  let tiers = new Map<string, Tier>()
  let [held, room] = [0, 1000]
  let last: Tier | undefined
  const cut = (): readonly Tier[] => {
    const sorted = [...tiers].sort(([, a], [, b]) => compareTiers(a, b))
    let violations = 0
    const end = sorted.findIndex(([, tier]) => {
      const isFull = violations >= most
      violations += tier.violations
      return isFull
    })
    const kept = end < 0 ? sorted : sorted.slice(0, end)
    if (end > 0) last = kept.at(-1)?.[1]
    tiers = new Map(kept)
    held = kept.reduce((sum, [, { groups }]) => sum + groups.length, 0)
    room = 2 * held + 1000
    return kept.map(([, tier]) => tier)
  }
  return {
    add(group: ViolationGroup, sortKey: string): void {
      const tier: Tier = { sortKey, group, groups: [], violations: 0 }
      if (last !== undefined && compareTiers(tier, last) > 0) return
      const key = JSON.stringify([sortKey, group.state === 'resolved' && group.run, rankOf(group), group.project])
      const known = tiers.get(key) ?? tier
      tiers.set(key, known)
      known.groups.push(group)
      known.violations += group.violations
      if (++held >= room) cut()
    },
    /** Tiers of which all are among the first, the one of which some are, and how many of it. */
    conclude(): { readonly whole: readonly Tier[]; readonly cut: Tier | undefined; readonly left: number } {
      const kept = cut()
      const end = kept.at(-1)
      const before = kept.slice(0, -1).reduce((sum, { violations }) => sum + violations, 0)
      const isWhole = end === undefined || before + end.violations <= most
      return isWhole
        ? { whole: kept, cut: undefined, left: 0 }
        : { whole: kept.slice(0, -1), cut: end, left: most - before }
    },
  }
}

function compareTiers(a: Tier, b: Tier): number {
  const isResolved = a.group.state === 'resolved'
  return (
    compareText(a.sortKey, b.sortKey) ||
    Number(isResolved) - Number(b.group.state === 'resolved') ||
    (isResolved ? b.group.run - a.group.run : 0) ||
    rankOf(a.group) - rankOf(b.group) ||
    compareText(a.group.project, b.group.project)
  )
}

/** By severity, new before known. */
function rankOf({ severity, state }: ViolationGroup): number {
  return 2 * severities.indexOf(severity) + (state === 'opened' ? 0 : 1)
}

interface FoundRow extends Omit<GroupRow, 'violations'> {
  readonly id: number
  readonly path: string
  readonly ownRule: string
}

/** The violations of some tiers, which are in order; `most`: the first of a tier. */
async function rowsOfTiers(
  session: Session,
  choice: ViolationChoice,
  tiers: readonly Tier[],
  most: number | undefined,
) {
  const places = new Map(tiers.flatMap(({ groups }, at) => groups.map((group) => [keyOfGroup(group), at])))
  const found: FoundRow[] = []
  for (const isResolved of [false, true]) {
    const groups = tiers.flatMap((tier) => tier.groups).filter(({ state }) => (state === 'resolved') === isResolved)
    if (groups.length > 0) found.push(...(await rowsOfGroups(session, choice, { groups, isResolved, most })))
  }
  return found
    .map((row) => ({ row, place: places.get(keyOf(row)) ?? 0 }))
    .sort(
      (a, b) =>
        a.place - b.place ||
        compareText(a.row.kind, b.row.kind) ||
        compareText(a.row.uid, b.row.uid) ||
        compareText(a.row.ownRule, b.row.ownRule) ||
        compareText(a.row.path, b.row.path),
    )
    .map(({ row: { id, run, state }, place }) => {
      return { id, run, project: tiers[place]?.group.project ?? '', isResolved: state === 'resolved' }
    })
}

function keyOfGroup(group: ViolationGroup): string {
  return keyOf({ ...group, isWaived: group.waiver === undefined ? 0 : 1 })
}

function keyOf(row: Omit<GroupRow, 'violations' | 'uid'>): string {
  const { projectId, run, kind, severity, state, firstRun, isWaived, rule } = row
  return JSON.stringify([projectId, run, kind, severity, state, firstRun, isWaived, rule])
}

async function rowsOfGroups(
  session: Session,
  choice: ViolationChoice,
  { groups, isResolved, most }: { groups: readonly ViolationGroup[]; isResolved: boolean; most: number | undefined },
): Promise<FoundRow[]> {
  const runs = groups.map(({ run }) => run)
  const earliest = runs.reduce((first, run) => Math.min(first, run), Number.POSITIVE_INFINITY)
  const latest = runs.reduce((last, run) => Math.max(last, run), 0)
  const asked = isResolved
    ? { run: latest, withActive: false, resolvedAfter: earliest - 1 }
    : { run: choice.run, withActive: true, resolvedAfter: undefined }
  const { rules = [], owners = [] } = choice
  const rows: FoundRow[] = []
  for (const { sql, values } of statementsOf(session, { ...asked, rules, owners, byRule: false })) {
    const among = values.push(`[${groups.map(keyOfGroup).join()}]`)
    const order = most === undefined ? '' : `ORDER BY o.kind, o.uid, o.rule, o.path LIMIT $${values.push(most)}`
    rows.push(
      ...(await session.all<FoundRow>(
        `SELECT o.id, o.uid, o.path, o.rule AS "ownRule", ${groupColumns} FROM (${sql}) o
         WHERE (o."projectId", o.run, o.kind, o.severity, o.state, o."firstRun", o."isWaived", o."groupRule") IN
           (SELECT ${keyColumns} FROM ${groupsSql(session, among)} g) ${order}`,
        values,
      )),
    )
  }
  return rows
}

/** As `keyOf` has them. */
const keyColumns = `(g.value ->> 0)::bigint, (g.value ->> 1)::bigint, g.value ->> 2, g.value ->> 3, g.value ->> 4,
  (g.value ->> 5)::bigint, (g.value ->> 6)::int, g.value ->> 7`

function groupsSql(session: Session, at: number): string {
  return sqlOf(session, { sqlite: `json_each($${at})`, postgres: `jsonb_array_elements($${at}::jsonb)` })
}
