import type { Explanation } from '../policy/explain-rule.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { neutralise, quote } from '../text/neutralise.ts'
import type { FoundResource } from './find-resource.ts'
import { showExplanation, showExplanations } from './show-explanation.ts'

/** Which layers of a policy decide about a resource, rule by rule. */
export function answerExplanations(
  { project, resource: { kind, uid, name }, goneSince }: FoundResource,
  explanations: readonly Explanation[],
  limit: number,
): Answer<Explanation> {
  return {
    command: 'policy-explain',
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
