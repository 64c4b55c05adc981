import { z } from 'zod'
import type { Explanation } from '../policy/explain-rule.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerForm, aboutNoRun } from '../report/answer-form.ts'
import { anyJson, listOf, schemas } from '../report/report-schema.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { neutralise, quote } from '../text/neutralise.ts'
import type { FoundResource } from './find-resource.ts'
import { showExplanation, showExplanations } from './show-explanation.ts'

export const policyExplainForm: AnswerForm = {
  name: 'policy-explain',
  version: 1,
  command: 'policy explain',
  about: aboutNoRun,
  row: z.object({
    rule: z.string(),
    severity: z.union([schemas.severity, z.literal('off')]),
    options: anyJson.describe('Any JSON.'),
    layers: listOf(
      z.object({
        layer: z.string(),
        severity: z.string().describe('The severity after this layer, or off.'),
        at: z.string().exactOptional(),
        setting: anyJson.describe('Any JSON.'),
        decides: z.boolean(),
      }),
    ),
    waivers: listOf(schemas.waiver.extend({ match: z.string() })),
  }),
  more: {
    project: schemas.project,
    kind: schemas.kind,
    uid: schemas.uid,
    name: schemas.name,
    gone_since: schemas.time.nullable().describe('Start of the run that found it gone; null for a current resource.'),
  },
}

/** Which layers of a policy decide about a resource, rule by rule. */
export function answerExplanations(
  { project, resource: { kind, uid, name }, goneSince }: FoundResource,
  explanations: readonly Explanation[],
  limit: number,
): Answer<Explanation> {
  return {
    form: policyExplainForm,
    run: null,
    ...limited(explanations, limit),
    more: { project: project.name, kind, uid, name, gone_since: goneSince },
  }
}

/** `isOne`: whether the user named one rule, which then is explained layer by layer. */
export function explanationsView(explained: FoundResource, isOne: boolean): AnswerView<Explanation> {
  return {
    columns: [
      { name: 'rule', value: ({ rule }) => rule },
      { name: 'severity', value: ({ severity }) => severity },
      { name: 'options', value: ({ options }) => options },
      { name: 'layers', value: ({ layers }) => layers.map(({ layer, decides }) => ({ layer, decides })) },
      { name: 'waivers', value: ({ waivers }) => waivers.map((waiver) => ({ ...waiver })) },
    ],
    lines: ({ rows }) => [
      headingOf(explained),
      '',
      ...(isOne ? rows.flatMap(showExplanation) : showExplanations(rows)),
    ],
    nothing: 'No rule is about resources of this kind.',
    isOfRun: false,
  }
}

function headingOf({ project, resource: { kind, uid, name }, goneSince }: FoundResource): string {
  const gone = goneSince === null ? '' : `, gone since ${goneSince}`
  return `${neutralise(project.name)} ${kind} ${quote(name)} ${neutralise(uid)}${gone}`
}
