import { composeReport } from '../audit/compose-report.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { count } from '../model/text/count.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import { type BuiltInFrameworkId, builtInFrameworkIds } from '../report/compliance/built-in-frameworks.ts'
import type { Compliance } from '../report/compliance/compliance.ts'
import { complianceDocument } from '../report/compliance/compliance-document.ts'
import { builtInFramework } from '../report/compliance/framework.ts'
import { assessRun, gatherCompliance } from '../report/compliance/gather-compliance.ts'
import { asHtml, asSections } from '../report/document/html.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { paths, reportLinks, type SiteLink } from './link.ts'
import { NotFound, type SiteContent, type SitePage, type SiteRequest } from './page.ts'
import { onceForRun } from './run-facts.ts'
import type { SameAnswer } from './same-answer.ts'
import { showAllGaps, showGaps } from './show-gaps.ts'

/** The frameworks that come with the program. */
export const compliancePage: SitePage = {
  path: '/compliance',
  parameters: [],
  isOfRun: true,
  async show(request): Promise<SiteContent> {
    const { link } = request
    return {
      title: 'Compliance',
      crumbs: [],
      alarm: await showAllGaps(request),
      body: html`<p class="meta">${count(builtInFrameworkIds.length, 'framework')}. This is evidence for an assessment, not the assessment itself.</p>
${table(
  'Frameworks',
  columns,
  builtInFrameworkIds.map((id) => showCard(id, link)),
)}
<p>A framework of your own is a YAML file: <code>hookdrift report --framework FILE</code> reports by it.</p>
`,
      same: {
        command: ['report'],
        options: { framework: 'soc2' },
        lacks: 'It reports by one framework; `hookdrift report --help` names them all.',
      },
    }
  },
}

const columns = [
  { title: 'Framework' },
  { title: 'Title' },
  { title: 'Controls', isNumber: true },
  { title: 'With evidence', isNumber: true },
  { title: 'Period' },
]

const periods = [
  ['30 days', '30d'],
  ['90 days', '90d'],
  ['a year', '365d'],
] as const

function showCard(id: BuiltInFrameworkId, link: SiteLink): Markup {
  const { title, controls } = builtInFramework(id)
  const covered = controls.filter(({ evidence }) => evidence.length > 0)
  const page = paths.framework(id)
  const ofPeriods = periods.map(
    ([name, from]) => html`<a href="${link(page, { from })}" aria-label="${title}, ${name}">${name}</a> `,
  )
  return html`<tr><th scope="row"><a href="${link(page)}">${id}</a></th>${cell('Title', title)}${cell('Controls', controls.length, 'n')}${cell('With evidence', covered.length, 'n')}${cell('Period', html`<span>${ofPeriods}</span>`)}</tr>
`
}

const mostViolations = 100

/** A framework, of a run or over a period: to be read and to be printed and signed. */
export const frameworkPage: SitePage = {
  path: '/compliance/:framework',
  parameters: ['from', 'to'],
  // A period such as `30d` ends now.
  isOfRun: false,
  async show(request): Promise<SiteContent> {
    const { params, query, link } = request
    // Only by these names: a path from an address would be a file to read.
    const id = builtInFrameworkIds.find((each) => each === params.framework)
    if (id === undefined) throw new NotFound('There is no such framework')
    const [from, to] = [query.one('from'), query.one('to')]
    // Without a period it is about one run, whose report takes seconds to read when it is large: what is shown is kept.
    const { title, paper, alarm, about, verdict, sections } =
      from === undefined && to === undefined
        ? await onceForRun(request, `framework ${id} ${request.isLatest}`, () => showFramework(request, id))
        : await showFramework(request, id)
    return {
      title,
      paper,
      crumbs: [{ title: 'Compliance', href: link('/compliance') }],
      alarm,
      body: html`${about}${verdict}${showPeriodForm(request, paths.framework(id))}${sections}`,
      same: sameReport(request, id),
    }
  },
}

async function showFramework(request: SiteRequest, id: (typeof builtInFrameworkIds)[number]) {
  const { history, link } = request
  const compliance = await compose(request, id)
  const { title: paper, about, verdict, sections } = complianceDocument(compliance, mostViolations)
  const links = reportLinks(link)
  return {
    title: compliance.title,
    paper,
    // A period may end before the run of the page.
    alarm: await showGaps(request, toCoverageOfAll(await readLatestScans(history, compliance.run.number))),
    about: asHtml(about),
    verdict: asHtml([verdict]),
    sections: html`${asSections(sections, links).map(pageSection)}`,
  }
}

async function compose(request: SiteRequest, id: (typeof builtInFrameworkIds)[number]): Promise<Compliance> {
  const { history, run, now, query } = request
  const framework = builtInFramework(id)
  const [from, to] = [query.one('from'), query.one('to')]
  if (from === undefined) {
    if (to !== undefined) throw AuditError.usage('the parameter "to" needs "from"')
    return assessRun(history, framework, run.number, composeReport)
  }
  return gatherCompliance(history, framework, { from, to: to ?? endOf(request), now }, composeReport)
}

/** A period ends with the run of the page, unless the address says otherwise. */
function endOf({ isLatest, run }: SiteRequest): string {
  return isLatest ? 'latest' : String(run.number)
}

function sameReport(request: SiteRequest, framework: string): SameAnswer {
  const [from, to] = [request.query.one('from'), request.query.one('to')]
  if (from === undefined) return { command: ['report'], options: { framework } }
  const end = request.isLatest ? to : (to ?? endOf(request))
  return { command: ['report'], options: { framework, from, to: end }, isOfNoRun: true }
}

function showPeriodForm({ query, isLatest, run }: SiteRequest, path: string): Markup {
  const stay = !isLatest && html`<input type="hidden" name="run" value="${run.number}">`
  const field = (name: string, label: string, hint: string) =>
    html`<label>${label} <input name="${name}" size="12" value="${query.one(name) ?? ''}" placeholder="${hint}"></label> `
  return html`<form class="filters" method="get" action="${path}">${stay}${field('from', 'Period from', 'a date, or 90d')}${field('to', 'to', 'the last run')}<button>Report the period</button></form>
`
}
