import { describe, expect, it } from 'vitest'
import { severities, violationStates } from '../../src/model/violation.ts'
import { html } from '../../src/report/html.ts'
import { json } from '../../src/report/json.ts'
import { asEvaluated } from './evaluated-sample.ts'
import { aChange, aReport, aViolation, aWalk } from './sample-reports.ts'

const options = { colour: false, width: 80, full: true }
const many = 6500
const projects = Array.from({ length: 40 }, (_, at) => `acme/project-${at}`)
const placed = (at: number) => ({
  project: projects[at % projects.length] ?? '',
  uid: `01M7Z${String(at).padStart(21, '0')}`,
  name: `tenant ${at}`,
})
const evaluated = asEvaluated(
  aReport({
    coverage: projects.map((project) => aWalk({ project })),
    drift: Array.from({ length: 200 }, (_, at) =>
      aChange({ ...placed(at), fields: [{ path: '/status', before: 'active', after: 'paused' }] }),
    ),
    violations: Array.from({ length: many }, (_, at) =>
      aViolation({
        ...placed(at),
        severity: severities[at % severities.length] ?? 'info',
        state: at % 3 === 0 ? 'opened' : (violationStates[at % violationStates.length] ?? 'opened'),
        message: `sends to http://tenant-${at}.example.com/hooks, without TLS`,
      }),
    ),
  }),
)

const report = { ...evaluated, projects: [] }

describe('the HTML report of 6,500 violations', () => {
  const page = html(report, options)

  it('is at most one and a half times as large as JSON', () => {
    expect(Buffer.byteLength(page) / Buffer.byteLength(json(report, options))).toBeLessThanOrEqual(1.5)
  })

  it('has every violation, the first 5 of a block shown and the others behind a fold that counts them', () => {
    expect(page.match(/<li id="v-/g)).toHaveLength(many)
    const [, shown = ''] = /<h3><span class="chip critical">[\s\S]*?<ul class="rows">([\s\S]*?)<\/ul>/.exec(page) ?? []
    expect(shown.match(/<li id="v-/g)).toHaveLength(5)
    expect(page).toMatch(/<\/ul>\n<details class="rest"><summary>\d+ more of \d+<\/summary>/)
  })

  it('shows a dozen projects and folds the others', () => {
    expect(page).toContain('<summary>28 more of 40 projects</summary>')
  })
})
