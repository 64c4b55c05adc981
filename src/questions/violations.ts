import { z } from 'zod'
import { systemClock } from '../app/system.ts'
import { runBefore } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { listOwners } from '../history/sql/list-resources.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { readViolationsByKey } from '../history/sql/violation-keys.ts'
import type { ResolvedViolation } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Gap } from '../model/gap.ts'
import { matchesGlob } from '../model/glob.ts'
import type { JsonObject } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count, countEach } from '../model/text/count.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import type { Column } from '../model/text/table.ts'
import { isoTime } from '../model/time.ts'
import {
  type DueDurations,
  dueDate,
  severities,
  severityCounts,
  type ViolationState,
  violationStates,
} from '../model/violation.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans } from '../report/answer.ts'
import { describeDue } from '../report/describe-due.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { list } from '../report/document/blocks.ts'
import { violationItem } from '../report/report-items.ts'
import { showTime } from '../report/text/show-time.ts'
import { listed } from '../rules/shared/listed.ts'
import { presentScans, selectScans, statingExtent } from './as-of.ts'
import {
  countUnlisted,
  countViolations,
  cutList,
  filterTest,
  listFor,
  readViolatedRules,
  sortKeyOf,
  type ViolationCounts,
  type ViolationFilter,
  type ViolationOrder,
  violationOrders,
} from './choose-violations.ts'
import { type Label, labelTest } from './last-evaluations.ts'
import { pageTokenOf, readCursor } from './list-cursor.ts'
import {
  duration,
  given,
  kindParameter,
  type ListPlace,
  type ParameterValues,
  parameter,
  projectParameter,
  question,
  runNamed,
  runParameter,
} from './question.ts'

export const violationRow = schemas.violation.extend({
  resolved_run: schemas.count.describe('The run that ended it; absent while it is active.').exactOptional(),
  resolved_at: schemas.time.exactOptional(),
})
export type ViolationRow = z.infer<typeof violationRow>

export const violationsForm: AnswerForm = {
  name: 'violations',
  version: 3,
  about: aboutScans,
  row: violationRow,
  more: {
    counts: z
      .object({
        total: schemas.count,
        severities: severityCounts,
        states: z.object({
          opened: schemas.count,
          continuing: schemas.count,
          resolved: schemas.count,
          unknown: schemas.count,
          waived: schemas.count,
        }),
      })
      .describe('Of all selected violations, no matter how many rows there are.'),
    unevaluated: listOf(
      z.object({
        rule: z.string(),
        projects: schemas.count.describe('In how many projects.'),
        reason: z.string().describe('Why, in the first of them.'),
      }),
    )
      .describe(
        'Rules that could not evaluate everything: they may have missed violations. Absent where there are none, or where open violations are not asked for.',
      )
      .exactOptional(),
  },
}

/** What may be asked for by `state`, with what each means. */
const statesIn = {
  open: ['opened', 'continuing'],
  active: ['opened', 'continuing', 'unknown', 'waived'],
  opened: ['opened'],
  continuing: ['continuing'],
  unknown: ['unknown'],
  waived: ['waived'],
  resolved: ['resolved'],
  all: violationStates,
} as const satisfies Readonly<Record<string, readonly ViolationState[]>>

type AskedState = keyof typeof statesIn

// Its keys are what the type says.
const askedStates = Object.keys(statesIn) as AskedState[]

const labels = z
  .array(
    z.string().transform((text, context): Label => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      if (name !== undefined && value !== undefined) return { name, value }
      context.issues.push({ code: 'custom', message: 'Expected a label such as env=prod.', input: text })
      return z.NEVER
    }),
  )
  .readonly()
  .default([])

export const violations = question({
  form: violationsForm,
  parameters: {
    open: parameter('--open', 'only open violations', given),
    resolved: parameter(
      '--resolved',
      'only ended violations: fixed, removed, accepted, approved, switched off or expired',
      given,
    ),
    waived: parameter('--waived', 'only waived violations', given, { isRare: true }),
    unknown: parameter('--unknown', 'only violations that the last scan could not check', given, { isRare: true }),
    state: parameter(
      '--state <state>',
      'only violations in this state; default: active',
      z.enum(askedStates).optional(),
      {
        conflicts: ['open', 'resolved', 'waived', 'unknown'],
        isRare: true,
      },
    ),
    rule: parameter(
      '--rule <id>',
      'only violations of this rule, or of a pattern such as "endpoint/*"',
      z.string().optional(),
    ),
    severity: parameter(
      '--severity <severity>',
      'only violations of this severity or above',
      z.enum(severities).optional(),
    ),
    maxSeverity: parameter(
      '--max-severity <severity>',
      'only violations of this severity or below',
      z.enum(severities).optional(),
      { isRare: true },
    ),
    owner: parameter(
      '--owner <name...>',
      'only resources of this owner (owner_id), or of a pattern such as "tenant-0*"',
      z.array(z.string()).readonly().optional(),
      { isRare: true },
    ),
    text: parameter(
      '--text <text>',
      'only violations with this text in a name, message, uid, rule, path or project, in any case',
      z.string().optional(),
      { isRare: true },
    ),
    label: parameter('--label <name=value...>', 'only projects with this label', labels, {
      writtenDefault: 'all',
      isRare: true,
    }),
    olderThan: parameter(
      '--older-than <duration>',
      'only violations open for longer than this: 12h, 30d, 8w',
      duration.optional(),
      { isRare: true },
    ),
    overdue: parameter('--overdue', 'only violations past their due date', given, { isRare: true }),
    sort: parameter(
      '--sort <order>',
      'age: oldest first; due: soonest due first',
      z.enum(violationOrders).default('severity'),
      { isRare: true },
    ),
    since: parameter(
      '--since <run|time>',
      'only violations opened since then; with --resolved, ended since then',
      z.string().optional(),
    ),
    run: { ...runParameter, isRare: true },
    project: projectParameter,
    kind: kindParameter,
  },
  isOfRun: true,
  isPaged: true,
  async read(history, values, { limit, place, now }) {
    const query = await chooseViolations(history, values, now)
    const answer = await readViolations(history, { ...query, limit, place })
    return { answer, view: violationsViewAt(isoTime(query.now)) }
  },
})

/** What the parameters of the question choose. `now`: what ages and due dates count to, in milliseconds; as of the last run, when it was `asked`. */
export async function chooseViolations(
  history: HistoryReader,
  values: ParameterValues<typeof violations.parameters>,
  asked = systemClock.now(),
): Promise<Omit<ViolationsQuery, 'limit'> & { readonly now: number }> {
  const { rule, severity, maxSeverity, since, kind, owner: owners = [], olderThan, sort, text, project, label } = values
  const run = await runNamed(history, values.run)
  // What was old or overdue as of a past run was so when that run ended.
  const now = values.run === 'latest' ? asked : Date.parse(run.finished_at)
  if (rule !== undefined) await refuseUnknownRule(rule, run.number, history)
  return {
    run,
    now,
    states: statesOf(values),
    after: since === undefined ? 0 : runBefore(await listRuns(history), since, now),
    overdueAt: values.overdue ? now : undefined,
    before: olderThan === undefined ? undefined : now - olderThan,
    rule,
    severity,
    maxSeverity,
    projects: project,
    kind,
    owners,
    labels: label,
    text,
    sort,
  }
}

/**
 * A misspelt rule has no violations, and an empty answer would look like success.
 * @throws AuditError.usage when neither hookdrift, the run's policy nor a past violation has such a rule
 */
export async function refuseUnknownRule(rule: string, run: number, reader: HistoryReader): Promise<void> {
  const { rules } = await import('../rules/rules.ts')
  const evaluating = [...rules, ...((await readRunInputs(reader, run))?.rules ?? [])].map(({ id }) => id)
  if (evaluating.some((id) => matchesGlob(id, rule))) return
  if ((await readViolatedRules(reader, run)).some((id) => matchesGlob(id, rule))) return
  throw AuditError.usage(`there is no rule "${rule}"${suggestName(rule, evaluating)}`, {
    advice: '`hookdrift rules` lists them; a pattern such as "endpoint/*" matches several',
  })
}

/**
 * A misspelt label chooses no project, and an empty answer would look like success.
 * @throws AuditError.usage when no project has one of them
 */
function refuseUnknownLabels(evaluations: ReadonlyMap<string, ProjectEvaluation>, asked: readonly Label[]): void {
  const unknown = asked.find((label) => ![...evaluations.keys()].some(labelTest(evaluations, [label])))
  if (unknown === undefined) return
  const inUse = new Set(
    [...evaluations.values()].flatMap(({ labels }) =>
      Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ),
  )
  const label = `${unknown.name}=${unknown.value}`
  throw AuditError.usage(`no project has the label ${label}${suggestName(label, inUse)}`, {
    advice:
      inUse.size === 0 ? '`projects` of the configuration gives labels' : `labels are ${listed([...inUse].sort())}`,
  })
}

/** An owner may have no violation; a misspelt one has none either. */
export async function describeUnknownOwners(
  reader: HistoryReader,
  run: number,
  asked: readonly string[],
): Promise<readonly string[]> {
  const owners = await listOwners(reader, run)
  return asked
    .filter((pattern) => !owners.some((owner) => matchesGlob(owner, pattern)))
    .map((pattern) => `No endpoint belongs to ${pattern}${suggestName(pattern, owners) || '.'}`)
}

function statesOf({ open, resolved, waived, unknown, state = 'active' }: StateFlags): ReadonlySet<ViolationState> {
  const named: ViolationState[] = [
    ...(open ? (['opened', 'continuing'] as const) : []),
    ...(resolved ? (['resolved'] as const) : []),
    ...(waived ? (['waived'] as const) : []),
    ...(unknown ? (['unknown'] as const) : []),
  ]
  return new Set(named.length > 0 ? named : statesIn[state])
}

type StateFlags = Readonly<Partial<Record<'open' | 'resolved' | 'waived' | 'unknown', true | undefined>>> & {
  readonly state?: AskedState | undefined
}

export interface ViolationsQuery extends ViolationFilter {
  readonly run: CommittedRun
  readonly sort: ViolationOrder
  readonly limit: number
  readonly place?: ListPlace | undefined
}

/** A question that chooses nothing out: violations of all kinds, in the order of reports. */
export const everyViolation = {
  after: 0,
  severity: undefined,
  projects: [],
  kind: undefined,
  owners: [],
  labels: [],
  text: undefined,
  before: undefined,
  overdueAt: undefined,
  sort: 'severity',
} as const satisfies Partial<ViolationsQuery>

/**
 * Violations as of the last scan of each project, in the order of reports, then resolved ones, the latest first; or all by
 * age. The counts are of all that were selected, no matter how many are shown.
 */
export async function readViolations(reader: HistoryReader, query: ViolationsQuery): Promise<Answer<ViolationRow>> {
  const { run, states, rule, projects, owners, sort, limit: most, place } = query
  const scans = selectScans(await readLatestScans(reader, run.number), projects)
  const evaluations = await readEvaluations(reader, scans)
  refuseUnknownLabels(evaluations, query.labels)
  const listed = await listFor(reader, run.number, query)
  const chosen = listed.filter(filterTest(query, evaluations))
  const unlisted = countUnlisted(listed, query, evaluations)
  const sortKey = sortKeyOf(sort, evaluations)
  const cursor = place && (await readCursor(reader, place, run.number))
  const cut = cutList(chosen, { sortKey, most, cursor })
  const violations = await readViolationsByKey(reader, cut.page)
  const [first, last] = [violations.at(0), violations.at(-1)]
  const counts = countViolations(chosen)
  const extent = statingExtent(run, scans)
  const present = new Set(presentScans(scans).map(({ project }) => project.name))
  const hasLabels = labelTest(evaluations, query.labels)
  const chosenProjects = [...evaluations.values()].filter(({ project }) => present.has(project) && hasLabels(project))
  const unevaluated = states.has('opened')
    ? findUnevaluated(
        chosenProjects.flatMap(({ gaps }) => gaps),
        rule,
      )
    : []
  const unknown = [
    ...(unlisted === 0
      ? []
      : [`Not listed: ${count(unlisted, 'violation')} that could not be checked (\`--unknown\`).`]),
    ...(unevaluated.length === 0 ? [] : [describeUnevaluatedRules(unevaluated)]),
    ...(counts.total === 0 && owners.length > 0 ? await describeUnknownOwners(reader, run.number, owners) : []),
  ]
  return {
    form: violationsForm,
    ...extent,
    more: { counts, ...(unevaluated.length === 0 ? {} : { unevaluated }) },
    ...(unknown.length === 0 ? {} : { remarks: unknown, unknown }),
    ...(counts.total === 0 ? {} : { conclusion: [describeCounts(counts, chosen)] }),
    rows: violations.map((violation) => toRow(violation, evaluations.get(violation.project)?.due)),
    omitted: cut.after,
    next: last && cut.after > 0 ? pageTokenOf(last, sortKey(last)) : undefined,
    previous: first && cut.before > 0 ? pageTokenOf(first, sortKey(first)) : undefined,
  }
}

interface UnevaluatedRule extends JsonObject {
  readonly rule: string
  readonly projects: number
  readonly reason: string
}

/** Which rules could not evaluate everything, of those that a pattern chooses: they may have missed violations. */
export function findUnevaluated(gaps: readonly Gap[], pattern = '*'): readonly UnevaluatedRule[] {
  return [...Map.groupBy(gaps, ({ rule }) => rule ?? '')]
    .filter(([rule]) => matchesGlob(rule, pattern))
    .map(([rule, ofRule]) => {
      const projects = new Set(ofRule.map(({ project }) => project)).size
      return { rule, projects, reason: ofRule[0]?.text ?? '' }
    })
    .sort((a, b) => (a.rule < b.rule ? -1 : 1))
}

function describeUnevaluatedRules(rules: readonly UnevaluatedRule[]): string {
  const names = listed(rules.map(({ rule }) => rule))
  return `${count(rules.length, 'rule')} could not evaluate everything: ${names}. \`hookdrift report\` says why.`
}

/** A resolved one may have been accepted or switched off: people read that it ended. */
const activeStates = ['opened', 'continuing', 'unknown', 'waived'] as const satisfies readonly ViolationState[]

/** `31 violations: 5 critical, 26 high; 30 continuing, 1 waived; the oldest since 2026-11-19 22:15 UTC.` */
function describeCounts(counts: ViolationCounts, chosen: readonly { readonly first_seen: string }[]): string {
  const oldest = chosen.reduce((first, { first_seen }) => (first_seen < first ? first_seen : first), '~')
  const parts = [
    `${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}`,
    countEach([...activeStates, 'ended'], { ...counts.states, ended: counts.states.resolved }),
    `the oldest since ${showTime(oldest)}`,
  ]
  return `${parts.join('; ')}.`
}

export function toRow(violation: RecordedViolation | ResolvedViolation, due: DueDurations | undefined): ViolationRow {
  return { ...violation, due_at: dueDate(violation, due) }
}

export const violationColumns: readonly Column<ViolationRow>[] = [
  'severity',
  { name: 'rule', link: 'violation' },
  'state',
  { name: 'resolution', only: 'csv' },
  { name: 'ended_by', value: (row) => row.ended_by && describeEnding(row) },
  { name: 'project', link: 'project' },
  { name: 'kind', only: 'csv' },
  { name: 'uid', only: 'csv' },
  { name: 'name', link: 'resource' },
  { name: 'owner', link: 'owner' },
  { name: 'path', only: 'csv' },
  'message',
  'first_seen',
  { name: 'last_seen', only: 'csv' },
  { name: 'due_at', only: 'csv' },
  'resolved_at',
  { name: 'waiver', only: 'csv' },
  { name: 'fingerprint', only: 'csv' },
]

/** `at`: the time that due dates are compared with, ISO 8601 in UTC. */
export const violationsViewAt = (at: string): AnswerView<ViolationRow> => ({
  columns: [...violationColumns, { name: 'due', show: (row) => describeDue(row, at), only: 'text' }],
  blocks: ({ rows }) =>
    list(
      'violation',
      rows.map((row) => violationItem(row, { at, hasRule: true })),
    ),
  nothing: 'No such violation.',
})
