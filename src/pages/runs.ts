import type { EndedRun } from '../history/reader.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage } from './page.ts'
import { readPosition } from './query.ts'

const rowsPerPage = 50

/** The runs that ended, the latest first. */
export const runsPage: SitePage = {
  path: '/runs',
  parameters: ['from-row'],
  isOfRun: false,
  async show({ history, run, isLatest, query, link }) {
    const first = readPosition(query, 'from-row')
    const last = (await history.lastRun())?.number ?? run.number
    // In time travel, later runs are left out.
    const later = isLatest ? 0 : last - run.number
    const { runs, total } = await history.endedRuns(later + first + rowsPerPage)
    const known = isLatest ? runs : runs.filter(({ number }) => number <= run.number)
    const shown = known.slice(first, first + rowsPerPage)
    const left = total - (runs.length - known.length) - first - shown.length
    const next = left > 0 ? link('/runs', { 'from-row': first + rowsPerPage }) : undefined
    return {
      title: 'Runs',
      crumbs: [],
      body: html`${shown.length === 0 ? emptyState('There are no further runs.', 'none') : showTable(shown, link)}<nav class="pager" aria-label="Pages of the list"><p>${shown.length} of ${total}</p>${first === 0 ? nothing : html`<a href="${link('/runs')}">First</a>`} ${next === undefined ? nothing : html`<a href="${next}" rel="next">Earlier runs</a>`}</nav>`,
      command: 'hookdrift runs',
      json: '/api/v1/runs',
      ...(next === undefined ? {} : { next }),
    }
  },
}

const outcomes: Readonly<Record<number, readonly [mark: string, word: string]>> = {
  0: ['✓', 'passed'],
  1: ['✗', 'violations'],
  3: ['?', 'incomplete'],
  4: ['?', 'failed'],
}

function showTable(runs: readonly EndedRun[], link: SiteLink): Markup {
  const columns = [
    ...[{ title: 'Run' }, { title: 'Started' }, { title: 'Took' }, { title: 'Verdict' }],
    ...[
      { title: 'Changes', isNumber: true },
      { title: 'Walks', isNumber: true },
      { title: 'Incomplete', isNumber: true },
    ],
  ]
  return table(
    'Runs',
    columns,
    runs.map((run) => showRow(run, link)),
  )
}

function showRow(
  { number, startedAt, finishedAt, isCommitted, exitCode, walks, incomplete, changes }: EndedRun,
  link: SiteLink,
): Markup {
  const [mark, word] = isCommitted ? (outcomes[exitCode ?? -1] ?? ['?', `exit code ${exitCode}`]) : ['?', 'interrupted']
  const name = isCommitted ? html`<a href="${link(paths.run(number))}">${number}</a>` : html`${number}`
  const before =
    isCommitted && number > 1
      ? html`<a href="${link('/compare', { from: number - 1, to: number })}">${changes}</a>`
      : html`${changes}`
  return html`<tr><th scope="row">${name}</th>${cell('Started', html`<time datetime="${startedAt}">${showTime(startedAt)}</time>`)}${cell('Took', showDuration(startedAt, finishedAt))}${cell('Verdict', `${mark} ${word}`)}${cell('Changes', isCommitted ? before : '', 'n')}${cell('Walks', isCommitted ? walks : '', 'n')}${cell('Incomplete', isCommitted ? incomplete : '', incomplete > 0 ? 'n unseen' : 'n')}</tr>
`
}
