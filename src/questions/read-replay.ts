import { z } from 'zod'
import { type MemoryHistory, type ReplayRequest, replayPolicy } from '../audit/replay/replay-policy.ts'
import type { UnreplayableRule } from '../audit/replay/unreplayable-rules.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { findRun, runBefore } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import { type CommittedRun, listRuns } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { violationStates } from '../model/violation.ts'
import type { Policy } from '../policy/policy.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans } from '../report/answer.ts'
import { list } from '../report/document/blocks.ts'
import { violationItem } from '../report/report-items.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectScans, statingExtent } from './as-of.ts'
import { everyViolation, readViolations, type ViolationRow, violationColumns, violationRow } from './violations.ts'

const replayRow = violationRow.extend({ first_run: schemas.count, last_run: schemas.count })
export type ReplayRow = z.infer<typeof replayRow>

export const replayForm: AnswerForm = {
  name: 'replay',
  version: 3,
  command: 'policy replay',
  about: aboutScans,
  row: replayRow,
  more: {
    policy: z.object({ digest: z.string() }),
    replayed: z.object({ runs: schemas.count, first_run: z.int().min(0).nullable(), since: schemas.time.nullable() }),
    not_evaluated: listOf(
      z.object({
        rule: z.string(),
        reason: z.string(),
        projects: listOf(schemas.project).describe('Absent: everywhere.').exactOptional(),
      }),
    ).describe('Rules that the history cannot answer.'),
  },
}

export interface ReplayQuery {
  readonly policy: Policy
  /** A run, a time, or a duration back such as `90d`; undefined: all runs. */
  readonly since: string | undefined
  readonly projects: readonly string[]
  readonly limit: number
  readonly clock: () => number
  readonly onRun?: ReplayRequest['onRun']
}

/**
 * What a policy would have found in the runs since a time: violations that are active in the last run, in the order of
 * reports, then resolved ones, the latest first.
 * @throws AuditError.usage when there is no such run, project or time
 */
export async function readReplay(
  history: HistoryReader,
  memory: MemoryHistory,
  { policy, since, projects, limit, clock, onRun }: ReplayQuery,
): Promise<Answer<ReplayRow>> {
  const all = await listRuns(history)
  const now = clock()
  const last = findRun(all, 'latest', now)
  const runs = runsSince(all, last, since, now)
  const scans = selectScans(await readLatestScans(history, last.number), projects)
  const replay = await replayPolicy(history, memory, { policy, runs, clock, onRun })
  const states = new Set(violationStates)
  const found = await readViolations(memory, { ...everyViolation, run: last, states, rule: undefined, projects, limit })
  const notEvaluated = replay.notEvaluated.flatMap((one) => among(one, projects))
  const first = runs.at(0)
  return {
    form: replayForm,
    ...statingExtent(last, scans),
    more: {
      policy: { digest: policy.digest },
      replayed: { runs: runs.length, first_run: first?.number ?? null, since: first?.started_at ?? null },
      not_evaluated: notEvaluated,
    },
    remarks: [
      `Replayed: ${count(runs.length, 'run')} since ${showTime(first?.started_at ?? '')}, as if they had evaluated this policy.`,
      ...describeNotEvaluated(notEvaluated),
    ],
    rows: found.rows.map(toRow(runs)),
    omitted: found.omitted,
  }
}

function runsSince(
  all: readonly CommittedRun[],
  last: CommittedRun,
  since: string | undefined,
  now: number,
): readonly CommittedRun[] {
  if (since === undefined) return all
  const before = runBefore(all, since, now)
  const runs = all.filter(({ number }) => number > before)
  if (runs.length > 0) return runs
  throw AuditError.usage(`no run was committed since ${since}; the last one is ${last.number} (${last.started_at})`)
}

/** The rules that the replay could not evaluate: a sentence for each reason. */
function describeNotEvaluated(rules: readonly UnreplayableRule[]): readonly string[] {
  const alike = Map.groupBy(rules, ({ reason, projects }) => `${whereOf(projects)}: ${reason}.`)
  return [...alike].map(([why, of]) => `Not evaluated: ${of.map(({ rule }) => rule).join(', ')}${why}`)
}

function whereOf(projects: UnreplayableRule['projects']): string {
  if (projects === undefined) return ''
  return ` in some runs of ${projects.length === 1 ? projects[0] : count(projects.length, 'project')}`
}

/** Narrows an entry to the chosen projects; empty when it concerns none of them. */
function among(notEvaluated: UnreplayableRule, patterns: readonly string[]): UnreplayableRule[] {
  if (notEvaluated.projects === undefined) return [notEvaluated]
  const projects = notEvaluated.projects.filter((name) => matchesProject(name, patterns))
  return projects.length === 0 ? [] : [{ ...notEvaluated, projects }]
}

/** With the runs that saw it first and last. */
function toRow(runs: readonly CommittedRun[]): (violation: ViolationRow) => ReplayRow {
  const numbers = new Map(runs.map(({ number, started_at }) => [started_at, number]))
  return (violation) => ({
    ...violation,
    first_run: numbers.get(violation.first_seen) ?? 0,
    last_run: numbers.get(violation.last_seen) ?? 0,
  })
}

export const replayView: AnswerView<ReplayRow> = {
  columns: [...violationColumns, 'first_run', 'last_run', 'resolved_run'],
  blocks: ({ rows }) =>
    list(
      'violation',
      rows.map((row) => violationItem(row, { at: '', hasRule: true, more: [describeRuns(row)] })),
    ),
  nothing: 'The policy would have found nothing in what it could evaluate.',
}

function describeRuns({ first_run: first, last_run: last, resolved_run: gone }: ReplayRow): string {
  const seen = first === last ? `run ${first}` : `runs ${first} to ${last}`
  return gone === undefined ? seen : `${seen}, ended in run ${gone}`
}
