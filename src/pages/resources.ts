import { matchesProject } from '../config/choose-projects.ts'
import { kinds } from '../model/resource.ts'
import { readState } from '../queries/read-state.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { extentOf } from '../report/html/scan-extent.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice, readPosition } from './query.ts'

const rowsPerPage = 50
const mostFound = 500
const parameters = ['q', 'project', 'kind', 'from-row']

interface Listed {
  readonly project: string
  readonly kind: string
  readonly uid: string
  readonly name: string
  /** ISO 8601; empty where it is not known. */
  readonly since: string
}

/** The resources as of a run, or those of a name. */
export const resourcesPage: SitePage = {
  path: '/resources',
  parameters,
  isOfRun: true,
  async show(request) {
    const { run, query, link } = request
    const first = readPosition(query, 'from-row')
    const { rows, total, coverage } = await (query.one('q') === undefined ? listState : search)(request)
    const shown = rows.slice(first, first + rowsPerPage)
    const given = Object.fromEntries(parameters.map((name) => [name, query.all(name)]))
    const to = (row: number) =>
      link('/resources', { ...given, 'from-row': row === 0 ? undefined : row, run: run.number })
    const next = first + shown.length < total && shown.length > 0 ? to(first + rowsPerPage) : undefined
    return {
      title: 'Resources',
      crumbs: [],
      alarm: showUnscanned({ coverage }),
      body: html`${showFilterForm('/resources', query, [textField('q', 'Name or uid', 'billing-011'), textField('project', 'Project', 'acme/*'), choiceField('kind', 'Kind', kinds, 'any')])}
<p class="total"><b>${count(total, 'resource')}</b></p>
${
  shown.length === 0
    ? emptyState(
        query.one('q') === undefined ? 'No resource.' : 'No resource has this name, or a uid that begins so.',
        extentOf(coverage) === 'all' ? 'none' : 'unknown',
      )
    : html`${showTable(shown, link)}<nav class="pager" aria-label="Pages of the list"><p>Rows ${first + 1} to ${first + shown.length} of ${total}</p>${first === 0 ? nothing : html`<a href="${to(0)}">First</a> <a href="${to(Math.max(0, first - rowsPerPage))}" rel="prev">Previous</a>`} ${next === undefined ? nothing : html`<a href="${next}" rel="next">Next</a>`}</nav>`
}`,
      command: 'hookdrift state',
      json: link('/api/v1/state', { project: query.all('project'), kind: query.one('kind') }),
      ...(next === undefined ? {} : { next }),
    }
  },
}

async function listState({ history, run, query }: SiteRequest) {
  const answer = await readState(history, {
    ...{ run, projects: query.all('project'), kind: readChoice(query, 'kind', kinds) },
    limit: readPosition(query, 'from-row') + rowsPerPage,
  })
  const left = answer.omitted === 'unknown' ? 0 : answer.omitted
  const rows: readonly Listed[] = answer.rows
  return { rows, total: rows.length + left, coverage: answer.coverage ?? [] }
}

/** By name, or by the beginning of a uid; removed ones too. */
async function search({ history, run, query }: SiteRequest) {
  const [kind, projects] = [readChoice(query, 'kind', kinds), query.all('project')]
  const found = (await history.search(query.one('q') ?? '', run.number)).filter(
    (each) => matchesProject(each.project.name, projects) && (kind === undefined || each.kind === kind),
  )
  const rows = found.slice(0, mostFound).map(({ project, kind, uid, name }): Listed => {
    return { project: project.name, kind, uid, name, since: '' }
  })
  return { rows, total: rows.length, coverage: [] }
}

function showTable(rows: readonly Listed[], link: SiteLink): Markup {
  const columns = [
    { title: 'Name' },
    { title: 'Kind' },
    { title: 'Project' },
    { title: 'uid' },
    { title: 'As it is since' },
  ]
  return table(
    'Resources',
    columns,
    rows.map(({ project, kind, uid, name, since }) => {
      const href = link(paths.resource(uid), { project, kind })
      return html`<tr><th scope="row"><a href="${href}">${name === '' ? shorten(uid, 80) : shorten(name, 120)}</a></th>${cell('Kind', kind)}${cell('Project', html`<a href="${link(paths.project(project))}">${project}</a>`)}${cell('uid', html`<code>${shorten(uid, 80)}</code>`)}${cell('As it is since', since === '' ? '' : html`<time datetime="${since}">${showTime(since)}</time>`)}</tr>
`
    }),
  )
}
