import { composeReport } from '../audit/compose-report.ts'
import { requireRunRecord } from '../history/sql/read-run.ts'
import { type CommittedRun, findCommittedRun, findRunAfter, findRunBefore } from '../history/sql/runs.ts'
import type { Report } from '../model/report.ts'
import { isOpen } from '../model/violation.ts'
import { newViolations } from '../report/gaps.ts'
import { command, factList } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { causeSection } from '../report/html/show-causes.ts'
import { changeSections } from '../report/html/show-changes.ts'
import { showCoverage, showUnscanned } from '../report/html/show-coverage.ts'
import { showProjects } from '../report/html/show-projects.ts'
import { groupByRule } from '../report/html/show-rules.ts'
import { showVerdict } from '../report/html/show-verdict.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { linksAt, paths, reportLinks } from './link.ts'
import { NotFound, type SiteHistory, type SitePage } from './page.ts'
import { onceForNotes, readActive } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'

const mostShown = 200

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
    const { alarm, verdict, sections, facts } = await onceForNotes({ history, run }, 'report', () =>
      showRun(history, run),
    )
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
      alarm,
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
  const { run, drift, digests } = report
  const fresh = newViolations(report)
  const [opened = []] = groupByRule([fresh.slice(0, mostShown)], report)
  // Of all projects, as the list has them: the run may be of some.
  const open = (await readActive({ history, run: committed })).filter(isOpen).length
  const links = reportLinks(linksAt(number))
  const changes = changeSections({ ...report, drift: drift.slice(0, mostShown) }, opened, links)
  return {
    alarm: showUnscanned(report),
    verdict: showVerdict(report),
    sections: html`${showTotals(report, fresh.length)}${[...causeSection(report, links), ...changes].map(pageSection)}${pageSection({ id: 'projects', title: 'Projects', content: showProjects(report, links) })}
<p><a href="${linksAt(number)('/violations', { state: 'open' })}">${count(open, 'open violation')} as of run ${number}</a></p>
${pageSection({ id: 'coverage', title: 'Coverage', content: showCoverage(report) })}`,
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

function showTotals({ drift, run }: Report, fresh: number): Markup {
  const cut = [
    ...(drift.length > mostShown ? [`the first ${mostShown} of ${drift.length} changes`] : []),
    ...(fresh > mostShown ? [`the first ${mostShown} of ${fresh} new violations`] : []),
  ]
  if (cut.length === 0) return nothing
  return html`<p class="soft">This page shows ${cut.join(' and ')}; ${command(hookdriftCommand(['report'], { options: { run: run.number } }))} shows all.</p>
`
}
