import { changeTypes } from '../../model/change.ts'
import type { Report } from '../../model/report.ts'
import { severities } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { describeFailOn } from '../fails-run.ts'
import { showDuration, showTime } from '../text/show-time.ts'
import { html, type Markup, nothing } from './markup.ts'

/** The numbers of the run and a bar of its open violations. */
export function showOverview(report: Report): Markup {
  const { verdict, coverage } = report
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const complete = walks.filter(({ status }) => status === 'complete')
  const changes = countEach(changeTypes, verdict.drift)
  const open = countEach(severities, verdict.violations)
  const took = showDuration(report.run.started_at, report.run.finished_at)
  return html`${showBar(report)}<dl class="facts">
<dt>Run</dt><dd>${report.run.number}, ${showTime(report.run.started_at)}${took === '' ? '' : `, took ${took}`}</dd>
<dt>Coverage</dt><dd>${complete.length} of ${count(walks.length, 'walk')} complete, ${count(sum(coverage.map(({ items }) => items)), 'item')}</dd>
<dt>Open violations</dt><dd>${open === '' ? 'none' : open}; ${describeFailOn(verdict.fail_on)} ${verdict.fail_on === 'new' ? 'fail' : 'fails'} the run</dd>
<dt>Others</dt><dd>${verdict.unknown} unknown, ${verdict.waived} waived, ${verdict.resolved} resolved</dd>
<dt>Drift</dt><dd>${changes === '' ? 'none' : changes}</dd>
</dl>
${showProjects(report)}`
}

/** Open violations by severity, as one bar with a legend. */
function showBar({ verdict }: Report): Markup {
  const total = sum(severities.map((severity) => verdict.violations[severity]))
  if (total === 0) return nothing
  let left = 0
  const parts = severities.flatMap((severity) => {
    const width = (verdict.violations[severity] / total) * 1000
    const part = html`<rect class="${severity}" x="${left.toFixed(1)}" y="0" width="${Math.max(width - 1, 0).toFixed(1)}" height="24"/>`
    left += width
    return verdict.violations[severity] === 0 ? [] : [part]
  })
  const key = severities.flatMap((severity) =>
    verdict.violations[severity] === 0
      ? []
      : [html`<span class="${severity}">${verdict.violations[severity]} ${severity}</span>`],
  )
  return html`<svg viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="Open violations by severity: ${countEach(severities, verdict.violations)}">${parts}</svg>
<p class="key">${key}</p>
`
}

/** Projects with open violations or an incomplete scan, the worst first. */
function showProjects({ violations, coverage }: Report): Markup {
  const open = violations.filter(({ state }) => state === 'opened' || state === 'continuing')
  const byProject = Map.groupBy(open, ({ project }) => project)
  const broken = new Set(
    coverage.filter(({ status }) => status !== 'complete' && status !== 'skipped').map(({ project }) => project),
  )
  const all = new Set(coverage.map(({ project }) => project))
  const shown = [...new Set([...byProject.keys(), ...broken])].map((project) => {
    const found = byProject.get(project) ?? []
    const counts = severities.map((severity) => found.filter((violation) => violation.severity === severity).length)
    return { project, counts, isBroken: broken.has(project) }
  })
  if (shown.length === 0) return nothing
  const rows = shown
    .sort((a, b) => compareCounts(b.counts, a.counts) || (a.project < b.project ? -1 : 1))
    .map(
      ({ project, counts, isBroken }) =>
        html`<tr><th scope="row">${project}</th>${counts.map((number) => html`<td class="n">${number}</td>`)}<td>${isBroken ? html`<span class="bad">incomplete</span>` : 'complete'}</td></tr>
`,
    )
  const left = [...all].filter((project) => !byProject.has(project) && !broken.has(project)).length
  return html`<h3>By project</h3>
<div class="wide" tabindex="0" role="region" aria-label="Violations by project"><table><thead><tr><th scope="col">Project</th>${severities.map((severity) => html`<th scope="col" class="n">${severity}</th>`)}<th scope="col">Scan</th></tr></thead><tbody>
${rows}</tbody></table></div>
${left === 0 ? nothing : html`<p class="soft">${count(left, 'more project')} with a complete scan and no open violation.</p>`}
`
}

function compareCounts(a: readonly number[], b: readonly number[]): number {
  for (const [at, number] of a.entries()) if (number !== b[at]) return number - (b[at] ?? 0)
  return 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
