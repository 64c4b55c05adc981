import { afterAll, describe, expect, it } from 'vitest'
import type { EvaluatedRule } from '../../src/model/evaluation.ts'
import type { Gap } from '../../src/model/gap.ts'
import { countSeverities } from '../../src/model/violation.ts'
import { showSeverity } from '../../src/pages/rule.ts'
import { createSite } from '../../src/pages/site.ts'
import type { RuleInRun } from '../../src/questions/read-rules.ts'
import { changeDocuments, openChanged } from '../history/changed-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { aFailedRule, aGap } from '../report/a-gap.ts'
import { openDemoSite } from './demo-site.ts'

const id = 'endpoint/url-not-https'
const aRule = (rule: Partial<RuleInRun>): RuleInRun => ({
  id,
  kind: 'endpoint',
  title: 'A title',
  severity: 'medium',
  evaluated: undefined,
  open: 0,
  severities: countSeverities([]),
  unknown: 0,
  waived: 0,
  gaps: [],
  not_evaluated: [],
  missed: [],
  ...rule,
})
const textOf = (markup: unknown) => String(markup).replace(/<[^>]*>/g, '')

it.each([
  ['medium', {}],
  ['medium', { open: 2, severities: { ...countSeverities([]), medium: 1, low: 1 } }],
  ['default medium; here some high', { open: 2, severities: { ...countSeverities([]), medium: 1, high: 1 } }],
  ['default medium; here high', { open: 2, severities: { ...countSeverities([]), high: 2 } }],
  ['default medium; here low', { open: 1, severities: { ...countSeverities([]), low: 1 } }],
])('the severity of a rule is shown with the worst of its open violations where they differ: %s', (text, rule) => {
  expect(textOf(showSeverity(aRule(rule)))).toBe(text)
})

const newFile = temporaryDatabasePaths()

describe('the pages of rules', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  /** A page of the site whose policy has the rule with another severity, title or result. */
  const show = async (
    path: string,
    rule: Partial<EvaluatedRule>,
    gapOf: (project: string) => readonly Gap[] = () => [],
  ) => {
    const changed = openChanged(site.file, newFile(), (db) =>
      changeDocuments(db, 2, {
        rules: (rules) => rules.map((one) => (one.id === id ? { ...one, ...rule } : one)),
        project: (one) => ({ ...one, gaps: gapOf(one.project) }),
      }),
    )
    const other = createSite({ ...site.options, history: async () => changed })
    return (await other.request(`http://localhost${path}`, { headers: { host: 'localhost' } })).text()
  }

  it('list and find a rule by what overrides made of its violations', async () => {
    const page = await show('/rules', { severity: 'low' })
    const [row = ''] = new RegExp(`>${id}</a>.*`).exec(page) ?? []
    expect(textOf(row)).toMatch(/default low; here (critical|high|medium)/)
    const [, worst = ''] = /default low; here (critical|high|medium)/.exec(textOf(row)) ?? []
    for (const severity of ['low', worst]) {
      expect(await show(`/rules?severity=${severity}`, { severity: 'low' })).toContain(`>${id}</a>`)
    }
    const one = await show(`/rules/${id}`, { severity: 'low' })
    expect(one).toMatch(new RegExp(`<code>${id}</code> <span>default .*; here <span class="chip ${worst}">`))
    expect(one).toMatch(new RegExp(`<li id="v-[^>]*><p><span class="chip ${worst}">`))
  })

  it('have the title as their heading, and the id below it', async () => {
    const page = await show(`/rules/${id}`, { title: 'Delivers <in> clear' })
    expect(page).toMatch(/<h1>Delivers &lt;in&gt; clear<\/h1>/)
    expect(page).toContain(`<p><code>${id}</code> <span class="chip`)
    expect(page).toContain('<title>Delivers &lt;in&gt; clear · run 2')
  })

  const failed = (reason: string) => (project: string) => [aFailedRule(id, reason, { project })]

  it('say in which projects a rule failed, each reason once', async () => {
    const page = await show(`/rules/${id}`, {}, failed('it <broke>'))
    expect(page).toContain('The rule could not be evaluated everywhere in 3 projects.')
    expect(page.split('it &lt;broke&gt;:</b> demo/')).toHaveLength(2)
    const list = await show('/rules', {}, failed('it broke'))
    expect(list.match(/not evaluated in 3 projects/g)).toHaveLength(1)
    expect(list).toMatch(new RegExp(`>${id}</a>.*<td data-label="Open" class="n">\\d+\\+</td>`))
  })

  it('link only to frameworks that have a page, and so do those of violations', async () => {
    const controls = { controls: ['acme:1', 'soc2:CC6.7'] }
    const page = await show(`/rules/${id}`, controls)
    const [, violation = ''] = /href="(\/violations\/[0-9a-f]+)"/.exec(page) ?? []
    for (const text of [page, await show(violation, controls)]) {
      expect(text).toContain('href="/compliance/soc2')
      expect(text).toContain('acme')
      expect(text).not.toContain('href="/compliance/acme')
    }
  })

  it('say what a rule missed, and not that nothing violates it', async () => {
    const quiet =
      />(endpoint\/[a-z-]+)<\/a>.*data-label="Open" class="n faint"/.exec(await show('/rules', {}))?.[1] ?? ''
    expect(await show(`/rules/${quiet}`, {})).toContain('Nothing violates it as of run 2.')
    for (const [cause, text] of [
      ['field_unseen', 'it missed 3 endpoints'],
      ['nothing_to_compare', 'it came empty'],
    ] as const) {
      const gaps = (project: string) => [aGap(quiet, { project, cause, text })]
      const page = await show(`/rules/${quiet}`, {}, gaps)
      expect(page).not.toContain('Nothing violates it')
      expect(page).toContain(`${text}:</b> demo/`)
      expect(await show('/', {}, gaps)).toContain('<a href="/rules">1 rule could not evaluate everything</a>')
      const list = await show('/rules', {}, gaps)
      expect(list).toMatch(new RegExp(`>${quiet}</a>.*data-label="Open" class="n unseen">\\?<`))
    }
  })

  it('show none as a dot, as all tables do', async () => {
    const page = await show('/rules', {})
    expect(page).toContain('<td data-label="Waived" class="n faint">·</td>')
    for (const path of ['/', '/rules', '/worker', '/runs', '/compliance/soc2', '/violations?group-by=rule']) {
      expect([path, /<td [^>]*class="n">(?:<span class="faint">)?0</.test(await show(path, {}))]).toEqual([path, false])
    }
  })
})
