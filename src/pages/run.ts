import { composeReport } from '../audit/compose-report.ts'
import { requireRunRecord } from '../history/sql/read-run.ts'
import { type CommittedRun, findCommittedRun, findRunAfter, findRunBefore } from '../history/sql/runs.ts'
import { count } from '../model/text/count.ts'
import { isOpen } from '../model/violation.ts'
import { asHtml, asSections } from '../report/document/html.ts'
import { factList } from '../report/html/components/parts.ts'
import { html } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { reportDocument } from '../report/report-document.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { linksAt, paths, reportLinks } from './link.ts'
import { NotFound, type SiteHistory, type SitePage } from './page.ts'
import { onceForNotes, readActive } from './run-facts.ts'

/** One run: its report, of which what is long is on pages of its own. */
export const runPage: SitePage = {
  path: '/runs/:number',
  parameters: [],
  isOfRun: false,
  async show({ history, run: last, params, link }) {
    const number = Number(params.number)
    const run = /^\d{1,15}$/.test(params.number ?? '') ? await findCommittedRun(history, number) : undefined
    if (run === undefined)
      throw new NotFound(`There is no committed run ${params.number}; the last one is ${last.number}`)
    const [previous, following] = [await findRunBefore(history, number), await findRunAfter(history, number)]
    // A page as of an earlier run knows no later one.
    const next = following && following.number <= last.number ? following : undefined
    // The record of a run never changes, and a large one takes seconds to read: what is shown of it is kept.
    const { verdict, sections, facts } = await onceForNotes({ history, run }, 'report', () => showRun(history, run))
    const neighbours = [
      ...(previous === undefined
        ? []
        : [html`<a href="${link(paths.run(previous.number))}" rel="prev">Run ${previous.number}</a> `]),
      ...(next === undefined
        ? []
        : [html`<a href="${link(paths.run(next.number))}" rel="next">Run ${next.number}</a> `]),
    ]
    return {
      title: `Run ${number}`,
      paper: `Run ${number}, ${showTime(run.finished_at)}`,
      crumbs: [{ title: 'Runs', href: link('/runs') }],
      body: html`${verdict}<p class="pager">${neighbours}<a href="${linksAt(number)('/')}">Everything as of run ${number}</a></p>
${sections}`,
      aside: facts,
      same: { command: ['report'], options: { run: number }, isOfNoRun: true },
    }
  },
}

async function showRun(history: SiteHistory, committed: CommittedRun) {
  const { number } = committed
  const report = composeReport(await requireRunRecord(history, number))
  const { run, digests } = report
  const { verdict, about, sections } = reportDocument(report, { full: true, isPage: true })
  const links = reportLinks(linksAt(number))
  // Of all projects, as the list has them: the run may be of some.
  const open = (await readActive({ history, run: committed })).filter(isOpen).length
  return {
    verdict: asHtml([verdict]),
    sections: html`<p><a href="${linksAt(number)('/violations', { state: 'open' })}">${count(open, 'open violation')} as of run ${number}</a></p>
${asHtml(about, links)}${asSections(sections, links).map(pageSection)}`,
    facts: factList([
      ['Started', showTime(run.started_at)],
      ['Took', showDuration(run.started_at, run.finished_at)],
      ['Exit code', String(report.verdict.exit_code)],
      ['hookdrift', report.tool.version],
      ['Policy', html`<code>${digests.policy}</code>`],
      ['Configuration', html`<code>${digests.configuration}</code>`],
      ...(digests.chain === null ? [] : [['Chain', html`<code>${digests.chain}</code>`] as const]),
    ]),
  }
}
