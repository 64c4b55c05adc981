import { amendedApprovalsOf, approvalsOf } from '../../src/audit/approve-run.ts'
import type { Random } from '../../src/demo/random.ts'
import { activeApprovals } from '../../src/history/approvals.ts'
import type { History } from '../../src/history/history.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Report, ReportChange } from '../../src/model/report.ts'
import { readBaselineDiff } from '../../src/questions/baseline-diff.ts'
import { readEndedBy } from '../../src/questions/ended-by-approval.ts'
import { runNamed } from '../../src/questions/question.ts'

type ViolationPlace = Pick<Report['violations'][number], 'project' | 'rule' | 'kind' | 'uid' | 'path'>

/** What a person asks of approved states between two runs: `hookdrift baseline approve`, `revoke` or `diff`. */
export type BaselineRequest =
  | {
      readonly act: 'approve'
      readonly run: number
      readonly projects: readonly string[]
      /** Single resources; empty: all of the projects' states. */
      readonly uids: readonly string[]
      readonly note: string
    }
  | { readonly act: 'revoke'; readonly projects: readonly string[] }
  | { readonly act: 'diff'; readonly run: number; readonly projects: readonly string[] }

/** With the time of it. All are Lee's. */
export type SignedRequest = BaselineRequest & { readonly at: string }

/** What hookdrift answers: whether it refused, what it says to end with the next run, and what differs. */
export interface BaselineAnswer {
  readonly is_refused: boolean
  readonly ends: readonly ViolationPlace[]
  readonly differences: readonly ReportChange[]
}

const refused: BaselineAnswer = { is_refused: true, ends: [], differences: [] }
const done: BaselineAnswer = { is_refused: false, ends: [], differences: [] }

/** Runs are approved and approvals revoked at random: in some worlds never, in some after most runs. */
export function startApprovals(random: Random) {
  const eagerness = random.pick([0, 0.4, 0.7, 0.7])

  async function handle(history: History, reports: readonly Report[], now: number) {
    const requests: SignedRequest[] = []
    const answers: BaselineAnswer[] = []
    while (requests.length < 4 && random.chance(eagerness)) {
      const active = activeApprovals(await listApprovals(history)).map(({ project }) => project.name)
      const request = requestOf(reports, active, random)
      if (request === undefined) break
      const signed = { ...request, at: new Date(now + (requests.length + 1) * 1000).toISOString() }
      requests.push(signed)
      answers.push(await answer(history, signed))
    }
    return { requests, answers }
  }

  return handle
}

function requestOf(reports: readonly Report[], active: readonly string[], random: Random): BaselineRequest | undefined {
  const last = reports.at(-1)
  if (last === undefined) return undefined
  const report = random.chance(0.7) ? last : (reports[random.below(reports.length)] ?? last)
  const scanned = [...new Set(report.coverage.map(({ project }) => project))]
  const dice = random.chance(active.length === 0 ? 0.1 : 0.55) ? random.below(10) : 10
  if (dice < 4) return { act: 'revoke', projects: random.chance(0.5) ? active : some(active, random) }
  // Mostly what is accepted; a run that read not all of a project is refused.
  const complete = scanned.filter((name) => isComplete(report, name))
  const projects = complete.length === 0 || random.chance(0.1) ? scanned : complete
  const { number: run } = report.run
  const note = `reviewed after run ${last.run.number}`
  if (active.length > 0 && random.chance(0.3))
    return { act: 'diff', run, projects: random.chance(0.5) || scanned.length === 0 ? active : scanned }
  if (dice === 10)
    return { act: 'approve', run, projects: random.chance(0.6) ? projects : some(projects, random), uids: [], note }
  const uids = uidsOf(last, random)
  return uids.length === 0
    ? undefined
    : { act: 'approve', run, projects: random.chance(0.8) ? scanned : projects, uids, note }
}

function isComplete({ coverage }: Report, name: string): boolean {
  return coverage.every(({ project, status }) => project !== name || status === 'complete' || status === 'skipped')
}

/** Of resources that a report names: such as a person sees, and would approve. */
function uidsOf({ violations, drift }: Report, random: Random): readonly string[] {
  const drifted = violations.filter(({ rule, state }) => rule.startsWith('drift/') && state !== 'resolved')
  const named = random.pick([drifted, drifted, drift, violations]).map(({ uid }) => uid)
  const uids = random.shuffled([...new Set(named)]).slice(0, 1 + random.below(3))
  return random.chance(0.03) ? [...uids, 'no-such-resource'] : uids
}

function some(names: readonly string[], random: Random): readonly string[] {
  return random.shuffled(names).slice(0, 1)
}

/** As the commands do it, but for the question whether the person is sure. */
async function answer(history: History, request: SignedRequest): Promise<BaselineAnswer> {
  try {
    const { act, projects, at } = request
    const isChosen = (name: string) => projects.includes(name)
    if (act === 'revoke') {
      const active = activeApprovals(await listApprovals(history)).filter(({ project }) => isChosen(project.name))
      if (active.length === 0) return refused
      await history.revoke(
        active.map(({ id }) => id),
        { by: 'lee', at },
      )
      return done
    }
    const run = await runNamed(history, String(request.run))
    if (act === 'diff') {
      const approvals = await listApprovals(history)
      const asked = { run, projects, limit: Number.POSITIVE_INFINITY, approvals }
      const { rows } = (await readBaselineDiff(history, asked)).answer
      return { is_refused: false, ends: [], differences: rows }
    }
    const { uids, note } = request
    const signed = { by: 'lee', at, note }
    const approvals =
      uids.length === 0
        ? await approvalsOf(history, run, isChosen, signed)
        : await amendedApprovalsOf(history, run, { uids, isChosen }, signed)
    const ended = await readEndedBy(history, approvals)
    await history.approve(approvals)
    return {
      is_refused: false,
      ends: ended.map(({ project, rule, kind, uid, path }) => ({ project, rule, kind, uid, path })),
      differences: [],
    }
  } catch (error) {
    if (error instanceof AuditError && error.kind === 'usage') return refused
    throw error
  }
}
