import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Json } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Severity } from '../model/violation.ts'
import type { Answer } from '../report/answer.ts'
import { type Face, limited } from '../report/show-answer.ts'
import { controlsOf } from '../rules/controls.ts'
import { remedies } from '../rules/remedies.ts'
import type { Rule } from '../rules/rule.ts'
import { count } from '../text/count.ts'

export interface RuleRow {
  readonly id: string
  readonly kind: Kind
  readonly severity: Severity
  readonly title: string
  readonly remediation: string
  readonly packs: readonly string[]
  readonly controls: readonly string[]
  /** As JSON Schema. */
  readonly options: Json
}

export function answerRules(rules: readonly Rule[], limit: number): Answer<RuleRow> {
  const rows = rules.map(({ id, kind, severity, title, packs, options }) => ({
    ...{ id, kind, severity, title, packs },
    remediation: remedies.get(id) ?? '',
    controls: controlsOf(id),
    // What zod writes is JSON.
    options: z.toJSONSchema(options, { io: 'input' }) as Json,
  }))
  const conclusion = [`${count(rules.length, 'rule')}. \`hookdrift rules ID\` explains one.`]
  return { command: 'rules', run: null, ...limited(rows, limit), ...(rules.length > 1 ? { conclusion } : {}) }
}

export const rulesFace: Face<RuleRow> = {
  columns: [
    { name: 'severity', value: ({ severity }) => severity },
    { name: 'id', value: ({ id }) => id },
    { name: 'title', value: ({ title }) => title, least: 20 },
    { name: 'kind', value: ({ kind }) => kind, only: 'csv' },
    { name: 'packs', value: ({ packs }) => [...packs], only: 'csv' },
    { name: 'controls', value: ({ controls }) => [...controls], only: 'csv' },
    { name: 'remediation', value: ({ remediation }) => remediation, only: 'csv' },
    { name: 'options', value: ({ options }) => options, only: 'csv' },
  ],
  nothing: 'No rule is in this pack.',
  isOfRun: false,
}

/** For people: the rule's page, which comes with the package. */
export function pageFace(id: string): Face<RuleRow> {
  const page = readFileSync(new URL(`../../docs/rules/${id}.md`, import.meta.url), 'utf8')
  const lines = page
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .trimEnd()
    .split('\n')
  return { ...rulesFace, lines: () => lines }
}
