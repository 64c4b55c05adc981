import type { ReportChange } from '../model/report.ts'
import { readBaselineDiff } from '../queries/read-baseline-diff.ts'
import { type BaselineRow, readBaselines } from '../queries/read-baselines.ts'
import type { Answer } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { command } from '../report/html/components/command.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage } from './page.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'

const mostShown = 100

/** The states that people approved, and what differs from them in the last run. */
export const baselinesPage: SitePage = {
  path: '/baselines',
  parameters: ['project'],
  isOfRun: false,
  async show(request) {
    const { history, run, query, link } = request
    const projects = query.all('project')
    const { rows: all } = await readBaselines(history, { projects, all: true })
    const [rows, past] = [all.filter(({ state }) => state === 'active'), all.filter(({ state }) => state !== 'active')]
    const answer = rows.length === 0 ? undefined : await readBaselineDiff(history, { run, projects, limit: mostShown })
    return {
      title: 'Baselines',
      crumbs: [],
      alarm: showGaps(answer?.coverage ?? [], link),
      body:
        answer === undefined
          ? html`${emptyState('No state is approved: drift rules compare with the last complete scan.', 'none')}<p>${command(hookdriftCommand(['baseline', 'approve'], { options: { note: 'why' } }))} approves the state of the last run.</p>${showPast(past, link)}`
          : html`${showApprovals(rows, link)}${showDifferences(answer, link)}${showPast(past, link)}`,
      same: { command: ['baseline', 'diff'], options: { project: projects } },
    }
  },
}

function showApprovals(rows: readonly BaselineRow[], link: SiteLink): Markup {
  const columns = ['Project', 'State of', 'Approved', 'By', 'Note'].map((title) => ({ title }))
  return table(
    'Approved baselines',
    columns,
    rows.map(
      (row) => html`<tr>${showApproval(row, link)}</tr>
`,
    ),
  )
}

function showApproval(row: BaselineRow, link: SiteLink): Markup {
  const state = row.run === null ? html`files` : html`<a href="${link(paths.run(row.run))}">run ${row.run}</a>`
  return html`<th scope="row"><a href="${link(paths.project(row.project))}">${row.project}</a></th>${cell('State of', state)}${cell('Approved', showTime(row.approved_at))}${cell('By', row.approved_by)}${cell('Note', row.note)}`
}

/** Approvals that no longer count: what drift was once compared with, and who ended that. */
function showPast(past: readonly BaselineRow[], link: SiteLink): Markup {
  if (past.length === 0) return nothing
  const columns = ['Project', 'State of', 'Approved', 'By', 'Note', 'Ended'].map((title) => ({ title }))
  const shown = past.slice(0, mostShown).map((row) => {
    const ended =
      row.revoked_at === null ? 'by a later approval' : `revoked ${showTime(row.revoked_at)} by ${row.revoked_by ?? ''}`
    return html`<tr>${showApproval(row, link)}${cell('Ended', ended)}</tr>
`
  })
  const left = past.length - shown.length
  return pageSection({
    ...{ id: 'past', title: 'Past approvals', count: past.length },
    content: html`${table('Past approvals', columns, shown)}${left > 0 ? html`<p class="soft">${left} more: <code>hookdrift baseline show --all</code> lists them.</p>` : nothing}`,
  })
}

function showDifferences(answer: Answer<ReportChange>, link: SiteLink): Markup {
  const { rows, omitted, remarks = [], coverage = [] } = answer
  const left = omitted === 'unknown' ? 0 : omitted
  const total = rows.length + left
  return pageSection({
    ...{ id: 'differences', title: 'What differs in the last run', count: total },
    content: html`${remarks.slice(0, mostShown).map((line) => html`<p class="soft">${line}</p>`)}${
      total === 0
        ? showNone(coverage.some(isGap))
        : html`<ul class="rows">${rows.map((row) => changeCard(row, [], link(paths.resource(row.uid), { project: row.project, kind: row.kind })))}</ul>`
    }${left > 0 ? html`<p class="soft">${left} more: <code>hookdrift baseline diff</code> lists them.</p>` : nothing}`,
  })
}

function showNone(isIncomplete: boolean): Markup {
  return isIncomplete
    ? emptyState('Nothing differs from the approved states in what was scanned; the rest is unknown.', 'unknown')
    : emptyState('Nothing differs from the approved states.', 'none')
}
