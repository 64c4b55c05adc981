import type { ReportingDescriptor } from 'sarif'
import type { EvaluatedRule } from '../../model/evaluation.ts'
import { code } from '../markdown/code.ts'
import { prose, withCode } from '../markdown/prose.ts'
import { levels, scores } from './levels.ts'
import { plain } from './plain.ts'

/** Code scanning shows no more tags. */
const mostTags = 10

/** The rule as a viewer shows it: what is wrong, how to fix it, and where to read more. */
export function describeRule({ id, kind, title, remediation, severity, controls }: EvaluatedRule): ReportingDescriptor {
  const command = `hookdrift rules ${id}`
  const fix = remediation === '' ? [] : [remediation]
  return {
    id,
    shortDescription: { text: plain(title) },
    fullDescription: { text: [title, ...fix].map((text) => plain(endSentence(text))).join(' ') },
    help: {
      text: [`${title}`, ...fix.map((text) => `How to fix: ${text}`), `More: ${command}`]
        .map((text) => plain(text))
        .join('\n\n'),
      markdown: [
        `**${prose(title)}**`,
        ...fix.map((text) => `How to fix: ${withCode(text)}`),
        `More: ${code(command)}`,
      ].join('\n\n'),
    },
    helpUri: addressOf(id),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: [...new Set(['security', ...controls])].slice(0, mostTags),
      kind,
      severity,
      precision: 'very-high',
      'security-severity': scores[severity],
    },
  }
}

/** A stable name of the rule. The project has no public web page, so it is a URN. */
function addressOf(rule: string): string {
  return `urn:hookdrift:rule:${encodeURIComponent(rule.toWellFormed()).replaceAll('%2F', '/')}`
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
