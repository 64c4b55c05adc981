import { findRunAfter, findRunBefore } from '../history/sql/runs.ts'
import { diff } from '../questions/diff.ts'
import { emptyState } from '../report/html/components/parts.ts'
import { html } from '../report/html/markup.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { asked, questionPage, showQuestion } from './question-page.ts'

const page = {
  path: '/compare',
  title: 'Compare runs',
  about: 'What differs between two runs: the run of the page and the one before it, unless others are named.',
  ...asked(diff),
  async usual({ history, run }: SiteRequest) {
    const to = run.number
    return { from: (await findRunBefore(history, to))?.number ?? to, to }
  },
  hidden: ['patch'],
}

/** Two runs compared. */
export const comparePage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const { from, to } = await page.usual(request)
    const { query, link, history } = request
    const isAlone = from === to && query.one('from') === undefined
    const content = await showQuestion(
      page,
      request,
      isAlone ? emptyState(`The history has no run before run ${to} with which to compare it.`, 'unknown') : undefined,
    )
    const [first, last] = [Number(query.one('from') ?? from), Number(query.one('to') ?? to)]
    const next = first < last ? await findRunAfter(history, first) : undefined
    const ended = next && link('/violations', { since: next.number, state: 'all', run: last })
    return {
      ...content,
      title: isAlone ? `Run ${to}` : `Run ${query.one('from') ?? from} and run ${query.one('to') ?? to}`,
      crumbs: [{ title: 'Runs', href: link('/runs') }],
      body: html`${content.body}${ended !== undefined && html`<p><a href="${ended}">Violations opened or ended between them</a></p>`}`,
    }
  },
}
