import { recordedPolicyResults } from '../audit/policy-results.ts'
import type { Report } from '../model/report.ts'
import { isOpen } from '../model/violation.ts'
import { factList } from '../report/html/components/facts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { groupByRule } from '../report/html/rule-groups.ts'
import { changeSections } from '../report/html/show-changes.ts'
import { showCoverage } from '../report/html/show-coverage.ts'
import { showProjects } from '../report/html/show-projects.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { showVerdict } from '../report/html/show-verdict.ts'
import { newViolations } from '../report/scanned-extent.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { linksAt, paths } from './link.ts'
import { NotFound, type SitePage } from './page.ts'

const mostShown = 200

/** One run: its report, of which what is long is on pages of its own. */
export const runPage: SitePage = {
  path: '/runs/:number',
  parameters: [],
  isOfRun: false,
  async show({ history, params, link }) {
    const number = Number(params.number)
    const record = /^\d{1,15}$/.test(params.number ?? '') ? await history.readRun(number) : undefined
    if (record === undefined) throw new NotFound(`There is no committed run ${params.number}`)
    const { report } = await recordedPolicyResults(history).resultsOf(number)
    const at = linksAt(number)
    const last = await history.lastRun()
    const { run, drift } = report
    const fresh = newViolations(report)
    const [opened = []] = groupByRule([fresh.slice(0, mostShown)], report)
    const open = report.violations.filter(isOpen).length
    const sections = changeSections({ ...report, drift: drift.slice(0, mostShown) }, opened)
    return {
      title: `Run ${number}`,
      crumbs: [{ title: 'Runs', href: link('/runs') }],
      alarm: showUnscanned(report),
      body: html`${showVerdict(report)}<p class="pager">${number > 1 ? html`<a href="${link(paths.run(number - 1))}" rel="prev">Run ${number - 1}</a> ` : nothing}${last !== undefined && number < last.number ? html`<a href="${link(paths.run(number + 1))}">Run ${number + 1}</a> ` : nothing}<a href="${at('/')}">Everything as of run ${number}</a></p>
${showTotals(report, fresh.length)}${sections.map(pageSection)}${pageSection({ id: 'projects', title: 'Projects', content: showProjects(report) })}
<p><a href="${at('/violations', { state: 'open' })}">${count(open, 'open violation')} as of run ${number}</a></p>
${pageSection({ id: 'coverage', title: 'Coverage', content: showCoverage(report) })}`,
      aside: factList([
        ['Started', showTime(run.started_at)],
        ['Took', showDuration(run.started_at, run.finished_at)],
        ['Exit code', String(report.verdict.exit_code)],
        ['hookdrift', report.tool.version],
        ['Policy', html`<code>${report.digests.policy}</code>`],
        ['Configuration', html`<code>${report.digests.configuration}</code>`],
        ...(report.digests.chain === null ? [] : [['Chain', html`<code>${report.digests.chain}</code>`] as const]),
      ]),
      command: `hookdrift report --run ${number}`,
      json: `/api/v1/report?run=${number}`,
    }
  },
}

function showTotals({ drift, run }: Report, fresh: number): Markup {
  const cut = [
    ...(drift.length > mostShown ? [`the first ${mostShown} of ${drift.length} changes`] : []),
    ...(fresh > mostShown ? [`the first ${mostShown} of ${fresh} new violations`] : []),
  ]
  if (cut.length === 0) return nothing
  return html`<p class="soft">This page shows ${cut.join(' and ')}; <code>hookdrift report --run ${run.number}</code> shows all.</p>
`
}
