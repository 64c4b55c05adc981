import { z } from 'zod'
import type { JsonObject } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { anyObject, listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { controlsOf } from '../report/compliance/built-in-frameworks.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { remediationOf } from '../rules/rule-page.ts'

const ruleRow = z.object({
  id: z.string(),
  kind: schemas.kind,
  severity: schemas.severity,
  title: z.string(),
  remediation: z.string(),
  packs: listOf(z.string()),
  controls: listOf(z.string()),
  options: anyObject.describe("JSON Schema of the rule's options."),
})
export type RuleRow = z.infer<typeof ruleRow>

export const rulesForm: AnswerForm = {
  name: 'rules',
  version: 3,
  about: aboutNoRun,
  row: ruleRow,
}

export function answerRules(rules: readonly Rule[], limit: number): Answer<RuleRow> {
  const rows = rules.map(({ id, kind, severity, title, packs, options }) => ({
    id,
    kind,
    severity,
    title,
    packs,
    remediation: remediationOf(id),
    controls: controlsOf(id),
    // What zod writes is JSON.
    options: z.toJSONSchema(options, { io: 'input' }) as JsonObject,
  }))
  const conclusion = [`${count(rules.length, 'rule')}. \`hookdrift rules ID\` explains one.`]
  return { form: rulesForm, run: null, ...limited(rows, limit), ...(rules.length > 1 ? { conclusion } : {}) }
}

export const rulesView: AnswerView<RuleRow> = {
  columns: [
    'severity',
    'id',
    'title',
    { name: 'kind', only: 'csv' },
    { name: 'packs', only: 'csv' },
    { name: 'controls', only: 'csv' },
    { name: 'remediation', only: 'csv' },
    { name: 'options', only: 'csv' },
  ],
  nothing: 'No rule is in this pack.',
  isOfRun: false,
}
