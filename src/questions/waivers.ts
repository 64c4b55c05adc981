import { z } from 'zod'
import { systemClock } from '../app/system.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { isInForce } from '../history/acceptances.ts'
import { activeApprovals } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { listViolations } from '../history/sql/list-violations.ts'
import { readPoliciesBetween, readRunInputs } from '../history/sql/read-run.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { type Decision, decision, unsaid } from '../model/decision.ts'
import { decisionOfPolicy, decisionOfWaiver, decisionOfWindow, unknownPolicy } from '../model/policy-facts.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { dayMs } from '../model/time.ts'
import { type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { asSentence, describeDecision, describePosition } from '../report/describe-ending.ts'
import { type Item, list } from '../report/document/blocks.ts'
import { listed } from '../rules/shared/listed.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { projectParameter, question, runNamed, runParameter } from './question.ts'
import { acceptancesAsOf, approvalsAsOf } from './signed-as-of.ts'

/** How soon a waiver ends that ends soon, as `waiver/expiring` has it unless a policy sets other days. */
export const soonMs = 14 * dayMs

const { ticket, run: approved, ...said } = decision.shape
const decidedRow = z.object({
  rule: z
    .string()
    .nullable()
    .describe('What is decided for several rules has a row for each; null: it is not about a rule.'),
  ...said,
  run: approved.nullable(),
  ticket: ticket.nullable(),
  owner: said.by,
  expires: said.until,
  state: z
    .enum(['in_force', 'ends_soon', 'ended'])
    .describe('As of now, or of the end of the run that is named. ends_soon: within 14 days. ended: since the run.'),
  violations: schemas.count.nullable().describe('How many violations of the rule it accepts; null: not counted.'),
  projects: listOf(schemas.project).describe('Where they are, or where it holds; empty: everywhere.'),
})
export type DecidedRow = z.infer<typeof decidedRow>

export const waiversForm: AnswerForm = {
  name: 'waivers',
  version: 2,
  command: 'waivers list',
  about: aboutScans,
  row: decidedRow,
}

export const waivers = question({
  form: waiversForm,
  parameters: { run: runParameter, project: projectParameter },
  isOfRun: false,
  async read(history, { run: named, project: projects }, { limit, now: asked = systemClock.now() }) {
    const run = await runNamed(history, named)
    const isNow = named === 'latest'
    const asOf = { now: isNow ? asked : Date.parse(run.finished_at), signedBy: isNow ? undefined : run }
    const { scans, rows } = await readDecided(history, { run, projects, ...asOf })
    const answer = {
      form: waiversForm,
      ...statingExtent(run, scans),
      ...limited(rows, limit),
      conclusion: [unrecorded],
    }
    return { answer, view: waiversView }
  },
})

interface DecidedQuery {
  readonly run: CommittedRun
  /** By whose end people signed; undefined: until now. */
  readonly signedBy: CommittedRun | undefined
  /** Patterns with `*`; all when empty. */
  readonly projects: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What is decided as of a run, by people and by the policy of the run, the first that ends first. */
export async function readDecided(reader: HistoryReader, { run, signedBy, projects, now }: DecidedQuery) {
  const scans = await readLatestScans(reader, run.number)
  const [{ policy } = { policy: unknownPolicy }] = await readPoliciesBetween(reader, run.number - 1, run.number)
  const evaluations = (await readRunInputs(reader, run.number))?.projects ?? []
  const uses: readonly Use[] = [
    ...(await listViolations(reader, { run: run.number })).flatMap(({ rule, project, waiver }) =>
      waiver === undefined ? [] : [{ ...decisionOfWaiver(waiver, rule, policy), project, violations: 1 }],
    ),
    ...(await acceptancesAsOf(reader, signedBy))
      .filter(isInForce)
      .map(({ project, rule, kind, name, uid, by, reason, at }) => {
        const said = { ...unsaid, kind: 'acceptance' as const, rule, by, reason, at, match: `${kind} ${name || uid}` }
        return { ...said, project: project.name, violations: 1 }
      }),
    ...activeApprovals(await approvalsAsOf(reader, signedBy)).map(({ project, by, note, at, run = null }) => {
      return { ...unsaid, kind: 'baseline' as const, by, reason: note || null, at, run, project: project.name }
    }),
    ...[
      ...policy.exceptions.map((exception) => ({ decided: decisionOfPolicy(exception), of: exception })),
      ...(policy.windows ?? []).map((window) => ({ decided: decisionOfWindow(window), of: window })),
    ].flatMap(({ decided, of: { projects: patterns } }) => {
      const names = scans.map(({ project }) => project.name)
      const named = patterns === null ? [null] : names.filter((name) => matchesProject(name, patterns))
      return named.map((project) => ({ ...decided, project }))
    }),
    ...evaluations.flatMap(({ project, windows = [] }) =>
      windows.map(({ name, ticket, from, to }) => {
        return { ...unsaid, kind: 'window' as const, reason: name, ticket, at: from, until: to, project }
      }),
    ),
  ]
  const chosen = uses.filter(({ project }) => project === null || matchesProject(project, projects))
  const groups = Map.groupBy(chosen, ({ project: _, violations: __, ...decided }) => JSON.stringify(decided))
  const rows = [...groups].flatMap(([key, alike]) =>
    alike.slice(0, 1).map((use) => ({ key, row: toRow(use, alike, now) })),
  )
  rows.sort((a, b) => compareText(a.row.until ?? '~', b.row.until ?? '~') || compareText(a.key, b.key))
  return { scans: selectProjects(scans, projects), rows: rows.map(({ row }) => row) }
}

/** A decision, and a project that it is for; null: every one. */
interface Use extends Decision {
  readonly rule?: string
  readonly project: string | null
  readonly violations?: number
}

function toRow({ project: _, violations, ...decided }: Use, alike: readonly Use[], now: number): DecidedRow {
  return {
    ...decided,
    rule: decided.rule ?? null,
    run: decided.run ?? null,
    ticket: decided.ticket ?? null,
    owner: decided.by,
    expires: decided.until,
    state: stateAt(decided.until, now),
    violations: violations === undefined ? null : alike.length,
    projects: [...new Set(alike.flatMap(({ project }) => project ?? []))].sort(compareText),
  }
}

function stateAt(until: string | null, now: number): DecidedRow['state'] {
  const remainingMs = until === null ? Number.POSITIVE_INFINITY : Date.parse(until) - now
  if (remainingMs <= 0) return 'ended'
  return remainingMs <= soonMs ? 'ends_soon' : 'in_force'
}

const unrecorded = 'Unused and expired waivers are reported as violations (waiver/unused, waiver/expired).'

const waiverStates = {
  in_force: 'in force',
  ends_soon: 'ends soon',
  ended: 'ended',
} as const satisfies Record<DecidedRow['state'], string>

const waiversView: AnswerView<DecidedRow> = {
  columns: [
    { name: 'kind', show: nameKind },
    { name: 'rule', link: 'rule' },
    'by',
    'reason',
    'at',
    'until',
    { name: 'state', show: ({ state }) => waiverStates[state] },
    'violations',
    { name: 'projects', link: 'project' },
    'match',
    'ticket',
    { name: 'configured_at', value: (row) => describePosition(row) ?? null },
  ],
  blocks: ({ rows }) => list('decision', rows.map(itemOf)),
  nothing: 'No waiver, acceptance, approval or exception of the policy is in force.',
}

function nameKind({ kind }: Pick<DecidedRow, 'kind'>): string {
  return kind.replace('_', ' ')
}

function itemOf(row: DecidedRow): Item {
  const { rule, state, violations, projects } = row
  const counted = `${violations === null ? '' : `${count(violations, 'violation')} in `}${listed(projects)}`
  const isOpenAgain = state === 'ended' && violations !== null
  const where = `${counted}${isOpenAgain ? ': open again with the next run' : ''}`
  return {
    text: [nameKind(row), ...(rule === null ? [] : [' ', { code: rule }]), `: ${waiverStates[state]}`],
    below: [asSentence(describeDecision(row)), ...(where === '' ? [] : [where])],
  }
}
