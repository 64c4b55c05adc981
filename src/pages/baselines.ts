import { readBaselineDiff } from '../queries/read-baseline-diff.ts'
import { type BaselineRow, readBaselines } from '../queries/read-baselines.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { command } from '../report/html/components/command.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage, SiteRequest } from './page.ts'

const mostShown = 100

/** The states that people approved, and what differs from them in the last run. */
export const baselinesPage: SitePage = {
  path: '/baselines',
  parameters: ['project'],
  isOfRun: false,
  async show(request) {
    const { history, query, link } = request
    const projects = query.all('project')
    const { rows } = await readBaselines(history, { projects, all: false })
    return {
      title: 'Baselines',
      crumbs: [],
      body:
        rows.length === 0
          ? html`${emptyState('No state is approved: drift rules compare with the last complete scan.', 'none')}<p>${command('hookdrift baseline approve --note "…"')} approves the state of the last run.</p>`
          : html`${showApprovals(rows, link)}${await showDifferences(request, projects)}`,
      command: 'hookdrift baseline diff',
      json: link('/api/v1/baseline/diff', { project: projects }),
    }
  },
}

function showApprovals(rows: readonly BaselineRow[], link: SiteLink): Markup {
  const columns = [
    { title: 'Project' },
    { title: 'State of' },
    { title: 'Approved' },
    { title: 'By' },
    { title: 'Note' },
  ]
  return table(
    'Approved baselines',
    columns,
    rows.map((row) => {
      const state = row.run === null ? html`files` : html`<a href="${link(paths.run(row.run))}">run ${row.run}</a>`
      return html`<tr><th scope="row"><a href="${link(paths.project(row.project))}">${row.project}</a></th>${cell('State of', state)}${cell('Approved', showTime(row.approved_at))}${cell('By', row.approved_by)}${cell('Note', row.note)}</tr>
`
    }),
  )
}

async function showDifferences({ history, run, link }: SiteRequest, projects: readonly string[]): Promise<Markup> {
  const { rows, omitted, remarks = [] } = await readBaselineDiff(history, { run, projects, limit: mostShown })
  const left = omitted === 'unknown' ? 0 : omitted
  const total = rows.length + left
  return pageSection({
    ...{ id: 'differences', title: 'What differs in the last run', count: total },
    content: html`${remarks.slice(0, mostShown).map((line) => html`<p class="soft">${line}</p>`)}${
      total === 0
        ? emptyState('Nothing differs from the approved states.', 'none')
        : html`<ul class="rows">${rows.map((row) => changeCard(row, [], link(paths.resource(row.uid), { project: row.project, kind: row.kind })))}</ul>`
    }${left > 0 ? html`<p class="soft">${left} more: <code>hookdrift baseline diff</code> lists them.</p>` : nothing}`,
  })
}
