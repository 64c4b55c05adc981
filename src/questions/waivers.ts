import { z } from 'zod'
import { systemClock } from '../app/system.ts'
import { matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { listViolations } from '../history/sql/list-violations.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { dayMs, formatExpiry } from '../model/time.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import type { TextPage } from '../report/text/page.ts'
import { wrapProse } from '../text/columns.ts'
import { count } from '../text/count.ts'
import { neutralise } from '../text/neutralise.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { projectParameter, question, runNamed, runParameter } from './question.ts'

/** How soon a waiver ends that ends soon, as `waiver/expiring` has it unless a policy sets other days. */
export const soonMs = 14 * dayMs

const waiverRow = z.object({
  rule: z.string().describe('A waiver that accepts violations of several rules has a row for each.'),
  owner: z.string(),
  reason: z.string(),
  ticket: z.string().nullable(),
  expires: schemas.time.describe('The instant from which it holds no more.'),
  state: z
    .enum(['in_force', 'ends_soon', 'ended'])
    .describe('As of now, or of the end of the run that is named. ends_soon: within 14 days. ended: since the run.'),
  violations: schemas.count.describe('How many violations of the rule it accepts.'),
  projects: listOf(schemas.project).describe('Where they are.'),
})
export type WaiverRow = z.infer<typeof waiverRow>

export const waiversForm: AnswerForm = {
  name: 'waivers',
  version: 2,
  command: 'waivers list',
  about: aboutScans,
  row: waiverRow,
}

export const waivers = question({
  form: waiversForm,
  parameters: { run: runParameter, project: projectParameter },
  isOfRun: false,
  async read(history, { run: named, project: projects }, { limit, now: asked = systemClock.now() }) {
    const run = await runNamed(history, named)
    const now = named === 'latest' ? asked : Date.parse(run.finished_at)
    return { answer: await readWaivers(history, { run, projects, now, limit }), view: waiversView }
  },
})

interface WaiversQuery {
  readonly run: CommittedRun
  /** Patterns with `*`; all when empty. */
  readonly projects: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly limit: number
}

/** Waivers that accept violations as of a run, the first that ends first. */
export async function readWaivers(
  reader: HistoryReader,
  { run, projects, now, limit }: WaiversQuery,
): Promise<Answer<WaiverRow>> {
  const scans = selectProjects(await readLatestScans(reader, run.number), projects)
  const waived = (await listViolations(reader, { run: run.number })).flatMap(({ rule, project, waiver }) =>
    waiver === undefined || !matchesProject(project, projects) ? [] : [{ rule, project, waiver }],
  )
  const rows = [...Map.groupBy(waived, ({ rule, waiver }) => keyOfWaiver({ rule, ...waiver })).values()]
    .flatMap((alike): WaiverRow[] => {
      const [use] = alike
      if (use === undefined) return []
      const { owner, reason, expires, ticket = null } = use.waiver
      const where = [...new Set(alike.map(({ project }) => project))].sort(compareText)
      const accepted = { rule: use.rule, owner, reason, ticket, expires }
      return [{ ...accepted, state: stateAt(expires, now), violations: alike.length, projects: where }]
    })
    .sort((a, b) => compareText(a.expires, b.expires) || compareText(keyOfWaiver(a), keyOfWaiver(b)))
  return { form: waiversForm, ...statingExtent(run, scans), ...limited(rows, limit), conclusion: [unrecorded] }
}

/** Equal for what one waiver accepts of one rule. */
export function keyOfWaiver(
  accepted: Pick<WaiverRow, 'rule' | 'owner' | 'reason' | 'expires'> & { readonly ticket?: string | null },
): string {
  const { rule, owner, reason, expires, ticket = null } = accepted
  return JSON.stringify([rule, owner, reason, expires, ticket])
}

function stateAt(expires: string, now: number): WaiverRow['state'] {
  const remainingMs = Date.parse(expires) - now
  if (remainingMs <= 0) return 'ended'
  return remainingMs <= soonMs ? 'ends_soon' : 'in_force'
}

const unrecorded =
  'Waivers that accept nothing are not recorded: waiver/unused and waiver/expired name them among the violations.'

const waiverStates = {
  in_force: 'in force',
  ends_soon: 'ends soon',
  ended: 'ended',
} as const satisfies Record<WaiverRow['state'], string>

export const waiversView: AnswerView<WaiverRow> = {
  columns: [
    { name: 'rule', link: 'rule' },
    'owner',
    'reason',
    'ticket',
    'expires',
    { name: 'state', show: ({ state }) => waiverStates[state] },
    'violations',
    { name: 'projects', link: 'project' },
  ],
  lines: ({ rows }, page) => rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...showWaiver(row, page)]),
  nothing: 'No waiver of the policy accepts a violation.',
}

const mostProjects = 5

function showWaiver(row: WaiverRow, page: TextPage): string[] {
  const { rule, owner, reason, ticket, expires, state, violations, projects } = row
  const until = state === 'ended' ? `ended at ${formatExpiry(expires)}` : `until ${formatExpiry(expires)}`
  const named = projects.slice(0, mostProjects)
  const others = projects.length - named.length
  const where = [...named, ...(others === 0 ? [] : [`${others} more`])].join(', ')
  const wrapped = (text: string) => wrapProse(neutralise(text), page.width - 2).map((line) => `  ${line}`)
  return [
    `${page.paint('heading', neutralise(rule))}: ${page.paint(state === 'in_force' ? 'good' : 'alarm', waiverStates[state])}`,
    ...wrapped(
      `${count(violations, 'violation')} in ${where}${state === 'ended' ? ': open again with the next run' : ''}`,
    ),
    ...wrapped(`accepted by ${owner}, ${until}: ${reason}${ticket === null ? '' : ` (${ticket})`}`),
  ]
}
