import { type EndedRun, listEndedRuns, listRunsBefore } from '../history/sql/runs.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { showDuration } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { paths, type SiteLink } from './link.ts'
import type { SitePage } from './page.ts'
import { readRunNumber } from './query.ts'

const rowsPerPage = 50

/** The runs that ended, the latest first. */
export const runsPage: SitePage = {
  path: '/runs',
  parameters: ['before'],
  isOfRun: false,
  async show({ history, run, isLatest, query, link }) {
    const before = readRunNumber(query, 'before')
    // A page as of an earlier run leaves out the later ones.
    const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, isLatest ? Number.MAX_SAFE_INTEGER : run.number + 1)
    const runs = await listRunsBefore(history, end, rowsPerPage + 1)
    const listed = runs.slice(0, rowsPerPage)
    const oldest = runs.length > listed.length ? listed.at(-1) : undefined
    const next = oldest && link('/runs', { before: oldest.number })
    // How many runs there were by an earlier one is not counted: that reads all of them.
    const isWhole = before === undefined && oldest === undefined
    const total = isLatest ? (await listEndedRuns(history, 0)).total : isWhole ? listed.length : undefined
    return {
      title: 'Runs',
      crumbs: [],
      body: html`${listed.length === 0 ? emptyState('There are no earlier runs.', 'none') : showTable(listed, link)}<nav class="pager" aria-label="Pages of the list"><p>${describeExtent(listed, total)}</p>${before !== undefined && html`<a href="${link('/runs')}">First page</a>`} ${next !== undefined && html`<a href="${next}" rel="next">Earlier runs</a>`}</nav>`,
      same: { command: ['runs'] },
      next,
    }
  },
}

/** `total`: of all runs; undefined where they are not counted. */
function describeExtent(runs: readonly EndedRun[], total: number | undefined): string {
  const [newest, oldest] = [runs.at(0), runs.at(-1)]
  const of = total === undefined ? count(runs.length, 'run') : `${runs.length} of ${count(total, 'run')}`
  if (newest === undefined || oldest === undefined || runs.length === total) return of
  return `${of}, run ${newest.number} to run ${oldest.number}`
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
      { title: 'Opened', isNumber: true },
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

/** For readers of some projects a run has no verdict here: then it says how it scanned theirs. */
function outcomeOf({ state, exitCode, walks, incomplete }: EndedRun): readonly [mark: string, word: string] {
  if (state !== 'committed') return ['?', state]
  if (exitCode !== null) return outcomes[exitCode] ?? ['?', `exit code ${exitCode}`]
  if (walks === 0) return ['?', 'nothing scanned']
  return incomplete > 0 ? ['?', 'incomplete'] : ['', 'scanned']
}

function showRow(run: EndedRun, link: SiteLink): Markup {
  const { number, started_at, finished_at, isCommitted, walks, incomplete, changes, opened } = run
  const verdict = outcomeOf(run).join(' ').trim()
  const name = isCommitted ? html`<a href="${link(paths.run(number))}">${number}</a>` : html`${number}`
  const before =
    isCommitted && number > 1 ? html`<a href="${link('/compare', { to: number })}">${changes}</a>` : html`${changes}`
  return html`<tr><th scope="row">${name}</th>${cell('Started', showInstant(started_at))}${cell('Took', showDuration(started_at, finished_at))}${cell('Verdict', verdict)}${cell('Changes', isCommitted ? changes && before : '', 'n')}${cell('Opened', isCommitted ? opened && html`<a href="${link('/violations', { run: number, state: 'opened', since: number })}">${opened}</a>` : '', 'n')}${cell('Walks', isCommitted ? walks : '', 'n')}${cell('Incomplete', isCommitted ? incomplete : '', incomplete > 0 ? 'n unseen' : 'n')}</tr>
`
}
