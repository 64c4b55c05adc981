import { assert, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { layTable } from '../../src/model/text/table.ts'
import { explainRule } from '../../src/policy/explain-rule.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { explanationColumns, explanationsView, policyExplainForm } from '../../src/questions/answer-explanations.ts'
import { writeAnswer } from '../../src/report/show-answer.ts'

const files: Readonly<Record<string, string>> = {
  '/etc/policy.yaml': `extends: [tls, ./base.yaml]
rules:
  endpoint/timeout-high: low
  endpoint/inactive: off
overrides:
  - { match: { uid: e1 }, rules: { endpoint/timeout-high: { max_seconds: 10 }, endpoint/inactive: high } }
  - { match: { labels: { env: dev } }, rules: { endpoint/timeout-high: off } }
waivers:
  - { rule: endpoint/timeout-*, match: { uid: e1 }, owner: payments, reason: slow bank, expires: 2026-03-31 }
`,
  '/etc/base.yaml': 'rules: { endpoint/timeout-high: { severity: high, max_seconds: 90 }, endpoint/inactive: {} }\n',
}
const policy = readPolicy('/etc/policy.yaml', (file) => files[file] ?? '')

const inEtc = { showPath: (path: string) => path.replace('/etc/', ''), now: Date.parse('2026-03-01') }

function explained(id: string, { uid = 'e1', labels = {} }: { uid?: string; labels?: Record<string, string> } = {}) {
  const rule = policy.allRules.find((known) => known.id === id)
  assert(rule, `no rule ${id}`)
  const attributes: JsonObject = {}
  return explainRule(policy, rule, {
    project: { name: 'acme/p', service: 'acme', uid: 'p' },
    labels,
    resource: { kind: 'endpoint', uid, name: '', attributes, volatile: {}, facts: {} },
  })
}

function shown(explanation: ReturnType<typeof explained>, style = inEtc): string {
  const answer = { form: policyExplainForm, run: null, rows: [explanation], omitted: 0 }
  return writeAnswer('text', answer, explanationsView(true, style), { colour: false, width: 100, tableWidth: 100 })
}

describe('the explanation of a rule', () => {
  it('shows every layer that configures the rule, the deciding one, and matching waivers', () => {
    expect(shown(explained('endpoint/timeout-high'))).toBe(
      `endpoint/timeout-high is on, low, with {"max_seconds":10}
layer      severity  options             at
catalogue  medium
rules      high      {"max_seconds":90}  base.yaml:1:10
rules      low                           policy.yaml:3:3   decides
override   low       {"max_seconds":10}  policy.yaml:6:36
  Waived for uid e1 by payments until the end of 2026-03-31: slow bank
Later rows win, option by option; one decides whether the rule is on, and its severity.
`,
    )
  })

  it('shows rules that are off, and rules that are on again', () => {
    const decided = (id: string, at: Parameters<typeof explained>[1]) => {
      const { severity, layers } = explained(id, at)
      return [severity, layers.find(({ decides }) => decides)?.at?.replace('/etc/', '')]
    }
    expect(decided('endpoint/timeout-high', { labels: { env: 'dev' } })).toEqual(['off', 'policy.yaml:7:49'])
    expect(decided('endpoint/timeout-high', { uid: 'e2' })).toEqual(['low', 'policy.yaml:3:3'])
    expect(decided('endpoint/inactive', { uid: 'e2' })).toEqual(['off', 'policy.yaml:4:3'])
    expect(decided('endpoint/inactive', {})).toEqual(['high', 'policy.yaml:6:80'])
    expect(decided('endpoint/url-not-https', {})).toEqual(['high', 'policy.yaml:1:11'])
  })

  it('shows the severity after each layer, the last of which applies', () => {
    const severities = (id: string, at: Parameters<typeof explained>[1]) =>
      explained(id, at).layers.map(({ layer, severity }) => `${layer} ${severity}`)
    expect(severities('endpoint/inactive', {})).toEqual(['catalogue high', 'rules high', 'rules off', 'override high'])
    expect(severities('endpoint/url-not-https', {})).toEqual(['catalogue high', 'pack tls high'])
    for (const id of ['endpoint/timeout-high', 'endpoint/inactive', 'endpoint/url-not-https']) {
      const { severity, layers } = explained(id, { labels: { env: 'dev' } })
      expect(layers.at(-1)?.severity).toBe(severity)
    }
  })

  it('says when nothing configures a rule', () => {
    expect(shown(explained('endpoint/orphan'))).toMatch(
      /^endpoint\/orphan is off\nlayer .*\ncatalogue {2}low\nThe policy does not name it\.\n$/,
    )
  })

  it('of several rules is one line each', () => {
    const several = [explained('endpoint/timeout-high'), explained('endpoint/orphan')]
    expect(layTable(explanationColumns(inEtc), several, 100)).toEqual([
      ['rule                   severity  decided by                 at'],
      ['endpoint/timeout-high  low       rules                      policy.yaml:3:3 (waived)'],
      ['endpoint/orphan        off       in no pack of this policy'],
    ])
  })

  it('does not call waived what a waiver that has ended was for', () => {
    const later = { ...inEtc, now: Date.parse('2026-04-01') }
    const one = explained('endpoint/timeout-high')
    expect(shown(one, later)).toContain('Ended: waived for uid e1 by payments until the end of 2026-03-31: slow bank')
    expect(layTable(explanationColumns(later), [one], 100)[1]).toEqual([expect.not.stringContaining('waived')])
  })

  it('contains no terminal control', () => {
    const hostile = { ...explained('endpoint/orphan'), rule: 'a\u001b[31m/b' }
    expect(shown(hostile)).not.toContain('\u001b')
  })
})
