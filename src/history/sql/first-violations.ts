import { AuditError } from '../../model/errors.ts'
import { globParts } from '../../model/glob.ts'
import { overdueRule } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { byCodePoint, compareText, inGroupOrder } from '../report-order.ts'
import type { Visibility } from '../visibility.ts'
import { lastScanSql } from './fragments.ts'
import { lastRun } from './runs.ts'
import { type Session, type SqlValue, sqlOf, type Transaction } from './session.ts'
import { type ViolationKey, violationsByKey } from './violation-keys.ts'
import {
  activeFrom,
  endedBetween,
  endedLater,
  isEndedForGood,
  isWithoutEnd,
  ownedIn,
  ownerSql,
  projectNamesAt,
  type ResolvedViolation,
  startsOfRuns,
  stateSql,
  wasScannedSql,
} from './violations.ts'

/** Which violations are asked for. Of patterns with `*`, one must match; all pass where there are none. */
export interface ViolationSelection {
  readonly run: number
  /** Whether active violations as of the run are asked for. */
  readonly withActive: boolean
  /** Those resolved in runs after this one, up to `run`, are asked for; undefined: none of them. */
  readonly resolvedAfter: number | undefined
  readonly rules?: readonly string[]
  /** Of what has no owner, the empty text. */
  readonly owners?: readonly string[]
  /** What a name, a message, a uid, a rule, a path or a project contains, in any case. */
  readonly text?: string | undefined
}

/** Of which one rule, one owner, or one resource a group is; `start`: resolved ones were opened by one run, as active ones. */
export type GroupPart = 'rule' | 'owner' | 'resource' | 'start'

export interface GroupChoice extends ViolationSelection {
  readonly by: readonly GroupPart[]
}

export interface ViolationChoice extends ViolationSelection {
  /** Is asked once for each group of the violations that are asked for, unordered. */
  isChosen?(group: ViolationGroup): boolean
  /** What orders them first. Then come active ones in the order of reports, then resolved ones, the latest first. */
  sortKey?(group: ViolationGroup): string
  readonly most: number
  /** What `isChosen` and `sortKey` must know; default: `start`. */
  readonly by?: readonly GroupPart[]
  /** All groups of what is asked for, by the same, where they were visited already. */
  readonly groups?: readonly ViolationGroup[] | undefined
}

export interface PageChoice extends ViolationChoice {
  /** Where the page begins, or ends; absent: it is the first one. */
  readonly cursor?: ViolationCursor | undefined
}

/** A position in an order of violations, where one is or was. */
export interface ViolationCursor
  extends Pick<RecordedViolation, 'severity' | 'state' | 'project' | 'kind' | 'uid' | 'rule' | 'path'> {
  readonly sortKey: string
  /** The run that resolved it; 0 for an active one. */
  readonly run: number
  /** Whether the page is what comes before it, and not what comes after it. */
  readonly isEnd: boolean
}

export interface ViolationPage {
  readonly violations: readonly (RecordedViolation | ResolvedViolation)[]
  /** How many of the chosen ones come before the page, and after it. */
  readonly before: number
  readonly after: number
}

/** Violations that are alike in all of this. */
export interface ViolationGroup
  extends Pick<RecordedViolation, 'rule' | 'severity' | 'state' | 'project' | 'kind' | 'first_seen'> {
  /** Of groups that are not of one rule, it is empty; but active ones of `violation/overdue` have no due date. */
  readonly rule: string
  /** Empty for those without one, and of groups that are not of one owner. */
  readonly owner: string
  /** Of groups of one resource, its; else of those of one rule or owner, the least, compared by code points; else empty. */
  readonly uid: string
  /** The scan that active ones are as of, or the run that resolved them. */
  readonly run: number
  /** undefined unless they are waived. */
  readonly waiver?: true
  /** By which they are found again: the row of their project, and the run that opened them, the first one of several. */
  readonly projectId: number
  readonly firstRun: number
  /** How many there are. */
  readonly violations: number
  /** The last run of the history when they were counted. */
  readonly asOf: number
  /** Their rows, where a text chose them, or runs after the one that is asked about ended them. */
  readonly ids?: readonly number[]
}

export interface RuleInProject {
  readonly project: string
  readonly rule: string
}

/**
 * Visits how many violations are alike, unordered, and holds none: a violation is in one group. Of a past run, those that
 * have ended since are in groups of their own.
 */
export function readViolationGroups(
  history: HistoryReader,
  choice: GroupChoice,
  visit: (group: ViolationGroup) => void,
): Promise<void> {
  const visitSeen = (group: ViolationGroup) => {
    if (history.visibility.isVisible(group.project)) visit(group)
  }
  return history.snapshot((transaction) => groupViolations(transaction, choice, visitSeen))
}

async function groupViolations(
  transaction: Transaction,
  choice: GroupChoice,
  visit: (group: ViolationGroup) => void,
): Promise<void> {
  const nameOf = await projectNamesAt(transaction, choice.run)
  const startOf = await startsOfRuns(transaction, choice.run)
  const asOf = (await lastRun(transaction))?.number ?? 0
  const pass = ({ isWaived, ...row }: GroupRow) => {
    const group = { ...row, project: nameOf(row.projectId), first_seen: startOf(row.firstRun), asOf }
    visit(isWaived === 1 ? { ...group, waiver: true } : group)
  }
  for (const source of sourcesOf(transaction, choice)) {
    if (choice.text !== undefined) await groupByText(transaction, source, { ...choice, text: choice.text }, pass)
    else await visitGroups(transaction, source, choice.by, pass)
  }
}

/** The first of the chosen violations alone. What is not returned is not held, so a million violations cost no memory. */
export async function readFirstViolations(
  history: HistoryReader,
  choice: ViolationChoice,
): Promise<readonly (RecordedViolation | ResolvedViolation)[]> {
  return (await readViolationPage(history, choice)).violations
}

/** The first of the chosen violations, or those next to a cursor, and how many there are around them. */
export function readViolationPage(history: HistoryReader, choice: PageChoice): Promise<ViolationPage> {
  return history.snapshot((transaction) => pageViolations(transaction, history.visibility, choice))
}

/**
 * Counts first, so that only violations are read that are returned: groups of them are chosen and put in order, and of
 * the groups at both ends of the page only what is asked for is read.
 */
async function pageViolations(
  transaction: Transaction,
  { isVisible }: Visibility,
  choice: PageChoice,
): Promise<ViolationPage> {
  const { isChosen, sortKey, most, cursor, groups } = choice
  const isBackwards = cursor?.isEnd === true
  const compare: TierOrder = isBackwards ? (a, b) => compareTiers(b, a) : compareTiers
  const following = firstTiers(most, compare)
  const here: ViolationGroup[] = []
  let [total, passed] = [0, 0]
  const add = (group: ViolationGroup) => {
    if (!isVisible(group.project) || isChosen?.(group) === false) return
    const head = { sortKey: sortKey?.(group) ?? '', group }
    const order = cursor === undefined ? 1 : compare(head, { sortKey: cursor.sortKey, group: cursor })
    total += group.violations
    if (order < 0) passed += group.violations
    else if (order > 0) following.add(head)
    else here.push(group)
  }
  const by = choice.by ?? (['start'] as const)
  if (groups === undefined) await groupViolations(transaction, { ...choice, by }, add)
  else for (const group of groups) add(group)
  const selection = { ...choice, by, isBackwards }
  const near = await rowsNear(transaction, selection, here)
  const { whole, cut, remaining } = following.conclude(most - near.rows.length)
  const rows = [...near.rows, ...(await rowsOfTiers(transaction, selection, whole, undefined))]
  if (cut !== undefined) rows.push(...(await rowsOfTiers(transaction, selection, [cut], remaining)))
  const violations = await violationsByKey(transaction, isBackwards ? rows.toReversed() : rows)
  passed += near.passed
  const ahead = total - passed - rows.length
  return isBackwards ? { violations, before: ahead, after: passed } : { violations, before: passed, after: ahead }
}

/**
 * Which rules the violations of which projects are of, resolved ones too, as of a run. Unordered. In a history that was
 * pruned, it may name rules of violations that ended in runs that are gone.
 */
export function readViolatedRules(history: HistoryReader, run: number): Promise<readonly RuleInProject[]> {
  return history.snapshot(async (transaction) => {
    const nameOf = await projectNamesAt(transaction, run)
    const choice = { run, withActive: true, resolvedAfter: 0, by: ['rule'] as const }
    const byKey = new Map<string, RuleInProject>()
    for (const { statement, columns, values } of sourcesOf(transaction, choice)) {
      const select = `SELECT DISTINCT ${columns.projectId} AS "projectId", x.rule`
      const rows = await transaction.all<Pick<GroupRow, 'projectId' | 'rule'>>(statement(select, []), values)
      for (const { projectId, rule } of rows) byKey.set(`${projectId} ${rule}`, { project: nameOf(projectId), rule })
    }
    return [...byKey.values()].filter(({ project }) => history.visibility.isVisible(project))
  })
}

type GroupRow = Omit<ViolationGroup, 'project' | 'first_seen' | 'waiver' | 'asOf'> & { readonly isWaived: 0 | 1 }

/** SQL of what differs between groups, of a violation `x`. */
type Columns = Readonly<Record<'projectId' | 'run' | 'state' | 'isWaived' | 'rule' | 'owner', string>>

/** Active violations without an end, those that ended after the scan that they are as of, or resolved ones. */
interface Source {
  readonly columns: Columns
  readonly isResolved: boolean
  /** Whether groups list their rows: no index finds them by what a group is of. */
  readonly hasIds: boolean
  readonly values: SqlValue[]
  /** `end`: what follows the conditions. */
  statement(select: string, conditions: readonly string[], end?: string): string
}

function sourcesOf(session: Session, choice: GroupChoice): Source[] {
  const { withActive, resolvedAfter } = choice
  return [
    ...(withActive ? [activeSource(session, choice), activeSource(session, choice, { ended: endedLater })] : []),
    ...(resolvedAfter === undefined ? [] : [resolvedSource(session, choice, resolvedAfter)]),
  ]
}

type SourceChoice = Pick<GroupChoice, 'run' | 'by' | 'rules' | 'owners' | 'text'>

function activeColumns(by: readonly GroupPart[]): Columns {
  return {
    projectId: 's.id',
    run: 's.run',
    state: stateSql,
    isWaived: 'CASE WHEN x.waiver IS NULL THEN 0 ELSE 1 END',
    rule: by.includes('rule') ? 'x.rule' : `CASE x.rule WHEN '${overdueRule}' THEN x.rule ELSE '' END`,
    owner: by.includes('owner') ? ownerText('s.run') : "''",
  }
}

function resolvedColumns(by: readonly GroupPart[]): Columns {
  return {
    projectId: 'x.project_id',
    run: 'x.to_run',
    state: "'resolved'",
    isWaived: '0',
    rule: by.includes('rule') ? 'x.rule' : "''",
    owner: by.includes('owner') ? ownerText(ownedIn) : "''",
  }
}

const ownerText = (run: string) => `coalesce(${ownerSql(run)}, '')`

interface ActiveChoice {
  /** Default: those without an end. */
  readonly ended?: typeof endedLater
  /** In place of it: those that a run after this one ended. */
  readonly endedAfter?: number
  /** Rows of projects. */
  readonly only?: readonly number[]
}

function activeSource(
  session: Session,
  choice: SourceChoice,
  { ended = isWithoutEnd, endedAfter, only }: ActiveChoice = {},
): Source {
  const values: SqlValue[] = [choice.run]
  const named = namedSql(session, choice, 's.run', values)
  const projects = only === undefined ? '' : ` AND p.id = ANY($${values.push(only)})`
  const scope = { scans: `${lastScanSql('$1')}${projects}`, isWhole: choice.text !== undefined }
  const after = endedAfter === undefined ? undefined : `$${values.push(endedAfter)}`
  const from = activeFrom(session, scope, after === undefined ? ended : (row) => `${row}.to_run > ${after}`)
  return {
    columns: activeColumns(choice.by),
    isResolved: false,
    hasIds: ended === endedLater,
    values,
    statement(select, conditions, end = '') {
      const all = [...conditions, ...named]
      return `${select} FROM ${from} ${all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`} ${end}`
    },
  }
}

function resolvedSource(session: Session, choice: SourceChoice, resolvedAfter: number): Source {
  const values: SqlValue[] = [resolvedAfter, choice.run]
  const named = namedSql(session, choice, ownedIn, values)
  // Of projects one by one, as the index has them in the order of their groups; all texts in the order of the table.
  const isOfTable = choice.text !== undefined && resolvedAfter === 0
  const table = `hookdrift.violation x ${sqlOf(session, { sqlite: isOfTable ? 'NOT INDEXED' : '', postgres: '' })}`
  const [from, among] = isOfTable ? [table, []] : [`hookdrift.project p CROSS JOIN ${table}`, ['x.project_id = p.id']]
  return {
    columns: { ...resolvedColumns(choice.by), ...(isOfTable ? {} : { projectId: 'p.id' }) },
    isResolved: true,
    hasIds: false,
    values,
    statement(select, conditions, end = '') {
      const all = [...among, endedBetween, isEndedForGood, ...conditions, ...named]
      return `${select} FROM ${from} WHERE ${all.join(' AND ')} ${end}`
    },
  }
}

/** Rows that groups list. */
function listedSource({ run, by }: SourceChoice, ids: readonly number[], isResolved: boolean): Source {
  const scans = `CROSS JOIN (${lastScanSql('$2')}) s`
  const conditions = ['x.id = ANY($1)', ...(isResolved ? [] : ['s.id = x.project_id'])]
  return {
    columns: isResolved ? resolvedColumns(by) : activeColumns(by),
    isResolved,
    hasIds: true,
    values: isResolved ? [ids] : [ids, run],
    statement(select, more, end = '') {
      const all = [...conditions, ...more].join(' AND ')
      return `${select} FROM hookdrift.violation x ${isResolved ? '' : scans} WHERE ${all} ${end}`
    },
  }
}

/** SQL of the patterns of rules and owners. `run`: as of which owners are meant. */
function namedSql(
  session: Session,
  { rules, owners }: SourceChoice,
  run: string,
  values: SqlValue[],
): readonly string[] {
  // What is quicker to find out is asked first.
  return [...matching(session, 'x.rule', rules, values), ...matching(session, ownerText(run), owners, values)]
}

function matching(
  session: Session,
  text: string,
  patterns: readonly string[] | undefined,
  values: SqlValue[],
): readonly string[] {
  if (patterns === undefined || patterns.length === 0) return []
  if (patterns.some(({ length }) => length > longestPattern)) {
    throw AuditError.usage(`a pattern of rules or owners has more than ${longestPattern} characters`)
  }
  const like = sqlOf(session, { sqlite: 'GLOB', postgres: 'LIKE' })
  const tests = patterns.map((pattern) => `${text} ${like} $${values.push(patternFor(session, pattern))}::text`)
  return [`(${tests.join(' OR ')})`]
}

/** SQLite takes 50,000 bytes. */
const longestPattern = 10_000

/** A pattern with `*` in the words of the database. */
function patternFor(session: Session, pattern: string): string {
  const parts = globParts(pattern)
  return session.dialect === 'sqlite'
    ? parts.map((part) => part.replaceAll(/[*?[]/g, '[$&]')).join('*')
    : parts.map((part) => part.replaceAll(/[\\%_]/g, '\\$&')).join('%')
}

/** The columns of groups, as `positions` numbers them. */
const outline = ({ projectId, run, state, isWaived, rule, owner }: Columns) =>
  `${projectId} AS "projectId", ${run} AS run, x.kind, x.severity, ${state} AS state, ${isWaived} AS "isWaived",
    ${rule} AS rule, ${owner} AS owner`

/** What groups are of, and by which their rows are found: first what the index on ended violations is ordered by. */
function keysOf(by: readonly GroupPart[], isResolved: boolean) {
  return [
    ...(['projectId', 'run', 'severity', 'kind'] as const),
    ...(by.includes('resource') ? (['uid'] as const) : []),
    ...(isResolved ? [] : (['state', 'isWaived'] as const)),
    ...(!isResolved || by.includes('start') ? (['firstRun'] as const) : []),
    ...(!isResolved || by.includes('rule') ? (['rule'] as const) : []),
    ...(by.includes('owner') ? (['owner'] as const) : []),
  ]
}

type Key = ReturnType<typeof keysOf>[number]

const positions = {
  projectId: 1,
  run: 2,
  kind: 3,
  severity: 4,
  state: 5,
  isWaived: 6,
  rule: 7,
  owner: 8,
  firstRun: 9,
  uid: 10,
} as const satisfies Record<Key, number>

async function visitGroups(
  transaction: Transaction,
  { columns, isResolved, hasIds, values, statement }: Source,
  by: readonly GroupPart[],
  visit: (group: GroupRow) => void,
): Promise<void> {
  const keys = keysOf(by, isResolved)
  const leastUid = by.includes('rule') || by.includes('owner') ? 'min(x.uid)' : "''"
  const list = sqlOf(transaction, { sqlite: 'json_group_array(x.id)', postgres: 'json_agg(x.id)::text' })
  const select = `SELECT ${outline(columns)}, ${keys.includes('firstRun') ? 'x.first_run' : 'min(x.first_run)'} AS "firstRun",
    ${keys.includes('uid') ? 'x.uid' : leastUid} AS uid, count(*) AS violations${hasIds ? `, ${list} AS ids` : ''}`
  const counted = statement(select, [], `GROUP BY ${keys.map((key) => positions[key]).join()}`)
  const scanned = wasScannedSql(transaction, 'g."projectId"', 'g.run')
  const sql = isResolved ? `SELECT g.* FROM (${counted}) g WHERE ${scanned}` : counted
  await transaction.each<Omit<GroupRow, 'ids'> & { readonly ids?: string }>(sql, values, ({ ids, ...group }) => {
    // It is a list that the statement made.
    visit(ids === undefined ? group : { ...group, ids: JSON.parse(ids) as number[] })
  })
}

function keyOf(row: Pick<GroupRow, Key>, by: readonly GroupPart[]): readonly (string | number)[] {
  return keysOf(by, row.state === 'resolved').map((key) => row[key])
}

function keyOfGroup(group: ViolationGroup, by: readonly GroupPart[]): readonly (string | number)[] {
  return keyOf({ ...group, isWaived: group.waiver === undefined ? 0 : 1 }, by)
}

/** SQL: a violation is of one of some groups. */
function isAmongSql(
  { dialect }: Session,
  { columns, isResolved, values }: Source,
  by: readonly GroupPart[],
  groups: readonly ViolationGroup[],
): string {
  const keys = keysOf(by, isResolved)
  const keyColumns = { ...columns, kind: 'x.kind', severity: 'x.severity', uid: 'x.uid', firstRun: 'x.first_run' }
  const rows = groups.map((group) => keyOfGroup(group, by))
  const names = `(${keys.map((key) => keyColumns[key]).join()})`
  if (dialect === 'sqlite') {
    const list = `$${values.push(JSON.stringify(rows))}`
    return `${names} IN (SELECT ${keys.map((_, at) => `g.value ->> ${at}`).join()} FROM json_each(${list}) g)`
  }
  // Not as JSON, in which PostgreSQL has not every character.
  const lists = keys.map((key, at) => `$${values.push(rows.map((row) => row[at] ?? null))}::${typeOf[key] ?? 'text'}[]`)
  const test = `${names} IN (SELECT * FROM unnest(${lists.join()}))`
  // No index finds active ones by it. Without `IS TRUE`, PostgreSQL would read those of a project once for each group.
  return isResolved ? test : `(${test}) IS TRUE`
}

const typeOf: Readonly<Partial<Record<Key, string>>> = {
  projectId: 'bigint',
  run: 'bigint',
  firstRun: 'bigint',
  isWaived: 'int',
}

interface TextRow extends Omit<GroupRow, 'violations'> {
  readonly id: number
  readonly violationRule: string
  readonly path: string
  readonly name: string
  readonly message: string
}

/** Databases know less of letters: texts are compared here. */
async function groupByText(
  transaction: Transaction,
  { columns, isResolved, values, statement }: Source,
  { run, by, text }: GroupChoice & { readonly text: string },
  visit: (group: GroupRow) => void,
): Promise<void> {
  const nameOf = await projectNamesAt(transaction, run)
  const wanted = text.toLowerCase()
  const groups = new Map<string, { row: TextRow; uid: string; firstRun: number; ids: number[] }>()
  const select = `SELECT ${outline(columns)}, x.first_run AS "firstRun", x.uid, x.id, x.rule AS "violationRule", x.path, x.name,
    x.message`
  const scanned = isResolved ? [wasScannedSql(transaction, columns.projectId, columns.run)] : []
  await transaction.each<TextRow>(statement(select, scanned), values, (row) => {
    const texts = [row.name, row.message, row.uid, row.violationRule, row.path, nameOf(row.projectId)]
    if (!texts.some((one) => one.toLowerCase().includes(wanted))) return
    const key = JSON.stringify(keyOf(row, by))
    const group = groups.get(key) ?? { row, uid: row.uid, firstRun: row.firstRun, ids: [] }
    groups.set(key, group)
    group.ids.push(row.id)
    group.firstRun = Math.min(group.firstRun, row.firstRun)
    if (byCodePoint(row.uid, group.uid) < 0) group.uid = row.uid
  })
  for (const { row, uid, firstRun, ids } of groups.values()) {
    const { projectId, run: scan, kind, severity, state, isWaived, rule, owner } = row
    const group = { projectId, run: scan, kind, severity, state, isWaived, rule, owner, firstRun, ids }
    visit({ ...group, uid: by.length === 0 ? '' : uid, violations: ids.length })
  }
}

/** What is compared before the kinds, uids, rules and paths of violations. */
interface TierHead {
  readonly sortKey: string
  /** One of them. */
  readonly group: Pick<ViolationGroup, 'severity' | 'state' | 'run' | 'project'>
}

/** Groups that nothing else orders. */
interface Tier extends TierHead {
  readonly groups: ViolationGroup[]
  violations: number
}

type TierOrder = (a: TierHead, b: TierHead) => number

function compareTiers(a: TierHead, b: TierHead): number {
  return compareText(a.sortKey, b.sortKey) || inGroupOrder(a.group, b.group)
}

/** Holds the groups that come first, until they have `most` violations, and about as many others. */
function firstTiers(most: number, compare: TierOrder) {
  let tiers = new Map<string, Tier>()
  let [held, room] = [0, 1000]
  let last: Tier | undefined
  const cut = (wanted: number): readonly Tier[] => {
    const sorted = [...tiers].sort(([, a], [, b]) => compare(a, b))
    let violations = 0
    const end = sorted.findIndex(([, tier]) => {
      const isFull = violations >= wanted
      violations += tier.violations
      return isFull
    })
    const neededTiers = end < 0 ? sorted : sorted.slice(0, end)
    if (end > 0) last = neededTiers.at(-1)?.[1]
    tiers = new Map(neededTiers)
    held = neededTiers.reduce((sum, [, { groups }]) => sum + groups.length, 0)
    room = 2 * held + 1000
    return neededTiers.map(([, tier]) => tier)
  }
  return {
    add({ sortKey, group }: { readonly sortKey: string; readonly group: ViolationGroup }): void {
      const tier: Tier = { sortKey, group, groups: [], violations: 0 }
      if (last !== undefined && compare(tier, last) > 0) return
      const { state, severity, project, run } = group
      const isResolved = state === 'resolved'
      const key = JSON.stringify([sortKey, isResolved && run, severity, state === 'opened', project])
      const tierOfKey = tiers.get(key) ?? tier
      tiers.set(key, tierOfKey)
      tierOfKey.groups.push(group)
      tierOfKey.violations += group.violations
      if (++held >= room) cut(most)
    },
    /** Tiers of which all are among the first `wanted`, the one of which some are, and how many of it. */
    conclude(wanted: number): {
      readonly whole: readonly Tier[]
      readonly cut: Tier | undefined
      readonly remaining: number
    } {
      const firstTiers = cut(wanted)
      const end = firstTiers.at(-1)
      const before = firstTiers.slice(0, -1).reduce((sum, { violations }) => sum + violations, 0)
      const isWhole = end === undefined || before + end.violations <= wanted
      return isWhole
        ? { whole: firstTiers, cut: undefined, remaining: 0 }
        : { whole: firstTiers.slice(0, -1), cut: end, remaining: wanted - before }
    },
  }
}

interface RowsChoice extends PageChoice {
  readonly by: readonly GroupPart[]
  readonly isBackwards: boolean
}

/** Of the groups at the cursor of a page: the rows that the page has, and how many of them it is beyond. */
async function rowsNear(
  session: Session,
  choice: RowsChoice,
  groups: readonly ViolationGroup[],
): Promise<{ readonly rows: readonly ViolationKey[]; readonly passed: number }> {
  const { cursor, most } = choice
  if (cursor === undefined || groups.length === 0) return { rows: [], passed: 0 }
  const all = groups.reduce((sum, { violations }) => sum + violations, 0)
  const tier: Tier = { sortKey: cursor.sortKey, group: cursor, groups: [...groups], violations: all }
  const rows = await rowsOfTiers(session, choice, [tier], most, cursor)
  if (rows.length < most) return { rows, passed: all - rows.length }
  let beyond = 0
  for (const { statement, conditions, values } of rowSources(session, choice, groups, cursor)) {
    const sql = `SELECT count(*) FROM (${statement('SELECT x.id', conditions)}) o`
    beyond += (await session.value<number>(sql, values)) ?? 0
  }
  return { rows, passed: all - beyond }
}

interface KeyRow extends Omit<GroupRow, 'violations'> {
  readonly id: number
  readonly path: string
  readonly violationRule: string
}

/** The violations of some tiers, which are in order; `most`: the first of one tier; `cursor`: beyond which they are. */
async function rowsOfTiers(
  session: Session,
  choice: RowsChoice,
  tiers: readonly Tier[],
  most: number | undefined,
  cursor?: ViolationCursor,
): Promise<ViolationKey[]> {
  const { by, isBackwards } = choice
  const groups = tiers.flatMap((tier) => tier.groups)
  const keyRows: KeyRow[] = []
  for (const { statement, conditions, values, columns } of rowSources(session, choice, groups, cursor)) {
    const select = `SELECT ${outline(columns)}, x.first_run AS "firstRun", x.id, x.uid, x.path, x.rule AS "violationRule"`
    const rows = `SELECT o.* FROM (${statement(select, conditions)}) o`
    const direction = isBackwards ? 'DESC' : 'ASC'
    const order = ['kind', 'uid', '"violationRule"', 'path'].map((column) => `o.${column} ${direction}`).join()
    const sql = most === undefined ? rows : `${rows} ORDER BY ${order} LIMIT $${values.push(most)}`
    keyRows.push(...(await session.all<KeyRow>(sql, values)))
  }
  const tierIndexes = new Map(
    tiers.flatMap(({ groups: alike }, at) => alike.map((group) => [JSON.stringify(keyOfGroup(group, by)), at])),
  )
  const turn = isBackwards ? -1 : 1
  return keyRows
    .map((row) => ({ row, at: tierIndexes.get(JSON.stringify(keyOf(row, by))) ?? 0 }))
    .sort((a, b) => a.at - b.at || turn * inTierOrder(a.row, b.row))
    .slice(0, most)
    .map(({ row: { id, run, state }, at }) => {
      return { id, run, project: tiers[at]?.group.project ?? '', isResolved: state === 'resolved' }
    })
}

function inTierOrder(a: KeyRow, b: KeyRow): number {
  return (
    byCodePoint(a.kind, b.kind) ||
    byCodePoint(a.uid, b.uid) ||
    byCodePoint(a.violationRule, b.violationRule) ||
    byCodePoint(a.path, b.path)
  )
}

/** The violations of some groups; those beyond a cursor, where there is one. */
function rowSources(
  session: Session,
  choice: RowsChoice,
  groups: readonly ViolationGroup[],
  cursor: ViolationCursor | undefined,
): (Source & { readonly conditions: readonly string[] })[] {
  const { run, rules = [], owners = [], by, isBackwards } = choice
  const filter = { run, rules, owners, by }
  return [false, true].flatMap((isResolved) => {
    const alike = groups.filter(({ state }) => (state === 'resolved') === isResolved)
    const [listed, others] = [
      alike.filter(({ ids }) => ids !== undefined),
      alike.filter(({ ids }) => ids === undefined),
    ]
    const sources: { source: Source; conditions: string[] }[] = []
    if (listed.length > 0) {
      const ids = listed.flatMap((group) => group.ids ?? [])
      sources.push({ source: listedSource(filter, ids, isResolved), conditions: [] })
    }
    const only = [...new Set(others.map(({ projectId }) => projectId))]
    // Runs may have ended some since they were counted.
    const endedAfter = others.reduce((first, { asOf }) => Math.min(first, asOf), Number.MAX_SAFE_INTEGER)
    const groupSources = isResolved
      ? [resolvedSource(session, filter, 0)]
      : [activeSource(session, filter, { only }), activeSource(session, filter, { only, endedAfter })]
    for (const source of others.length === 0 ? [] : groupSources) {
      sources.push({ source, conditions: [isAmongSql(session, source, by, others)] })
    }
    return sources.map(({ source, conditions }) => {
      if (cursor === undefined) return { ...source, conditions }
      const { kind, uid, rule, path } = cursor
      const named = [kind, uid, rule, path].map((value) => `$${source.values.push(value)}::text`).join()
      const isBeyond = `(x.kind, x.uid, x.rule, x.path) ${isBackwards ? '<' : '>'} (${named})`
      return { ...source, conditions: [...conditions, isBeyond] }
    })
  })
}
