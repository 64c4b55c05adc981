import { type BuiltInFrameworkId, builtInFrameworkIds } from '../compliance/built-in-frameworks.ts'
import { builtInFramework } from '../compliance/framework.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { count } from '../text/count.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteContent, SitePage } from './page.ts'
import { showAllGaps } from './show-gaps.ts'

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
  builtInFrameworkIds.map((id) => showFramework(id, link)),
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

function showFramework(id: BuiltInFrameworkId, link: SiteLink): Markup {
  const { title, controls } = builtInFramework(id)
  const covered = controls.filter(({ evidence }) => evidence.length > 0)
  const page = paths.framework(id)
  const ofPeriods = periods.map(
    ([name, from]) => html`<a href="${link(page, { from })}" aria-label="${title}, ${name}">${name}</a> `,
  )
  return html`<tr><th scope="row"><a href="${link(page)}">${id}</a></th>${cell('Title', title)}${cell('Controls', controls.length, 'n')}${cell('With evidence', covered.length, 'n')}${cell('Period', html`<span>${ofPeriods}</span>`)}</tr>
`
}
