import { listApprovals } from '../history/sql/approvals.ts'
import { listBaselines } from '../questions/baselines.ts'
import { command } from '../report/html/components/command.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html, nothing } from '../report/html/markup.ts'
import { approvalPlace, showActive, showPast } from './baselines/show-approvals.ts'
import { showDifferences } from './baselines/show-differences.ts'
import { readRunNames } from './name-run.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { resourcePlace } from './resource-place.ts'
import { hookdriftCommand, type SameAnswer } from './same-answer.ts'
import { approvalsAsOf } from './signed-as-of.ts'

/** The states that people approved, and what differs from them in a run. Each of its two lists goes on by itself. */
export const baselinesPage: SitePage = {
  path: '/baselines',
  parameters: ['project', ...resourcePlace, approvalPlace],
  isOfRun: false,
  async show(request) {
    const { query, link } = request
    const projects = query.all('project')
    const listed = listBaselines(await approvalsAsOf(request), projects)
    const active = listed.filter(({ row }) => row.state === 'active').map(({ row }) => row)
    const names = { link, runs: await readRunNames(request) }
    const past = showPast(
      request,
      listed.filter(({ row }) => row.state !== 'active'),
      names,
    )
    const differing = active.length === 0 ? undefined : await showDifferences(request, projects)
    const common = { title: 'Baselines', crumbs: [], same: await findSame(request, active.length > 0) }
    if (!past.isFirst) return { ...common, body: past.section, ...goOn(past.next) }
    if (differing?.isFirst === false) {
      return { ...common, alarm: differing.alarm, body: differing.section, ...goOn(differing.next) }
    }
    return {
      ...common,
      alarm: differing?.alarm ?? nothing,
      body: html`${differing === undefined ? showNone(request) : html`${showActive(active, names)}${differing.section}`}${past.section}`,
      ...goOn(differing?.next ?? past.next),
    }
  },
}

function goOn(next: string | undefined): { next?: string } {
  return next === undefined ? {} : { next }
}

function showNone({ isLatest }: SiteRequest) {
  if (!isLatest) return emptyState('No state was approved by the end of this run.', 'none')
  const approve = hookdriftCommand(['baseline', 'approve'], { options: { note: 'why' } })
  return html`${emptyState('No state is approved: drift rules compare with the last complete scan.', 'none')}<p>${command(approve)} approves the state of the last run.</p>`
}

/** The command compares with what is approved now, so that without an approval it has nothing to say. */
async function findSame({ history, query, isLatest, run }: SiteRequest, isCompared: boolean): Promise<SameAnswer> {
  const project = query.all('project')
  const now = await listApprovals(history)
  const isApproved = listBaselines(now, project).some(({ row }) => row.state === 'active')
  const end = Date.parse(run.finishedAt)
  const hasChanged = !isLatest && now.some(({ at, revoked }) => Date.parse(revoked?.at ?? at) > end)
  if (isCompared && isApproved) {
    const lacks = hasChanged ? 'It compares with the states that are approved now.' : undefined
    return { command: ['baseline', 'diff'], options: { project }, lacks }
  }
  const lacks = hasChanged ? 'It lists later approvals too.' : undefined
  return { command: ['baseline', 'show'], options: { all: true, project }, isOfNoRun: true, lacks }
}
