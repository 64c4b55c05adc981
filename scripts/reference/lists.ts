import { severities } from '../../src/model/violation.ts'
import type { Rule } from '../../src/rules/engine/rule.ts'
import { formerRules } from '../../src/rules/former-rules.ts'
import { rules } from '../../src/rules/rules.ts'
import type { Cases } from '../../test/rules/rule-cases.ts'

/** The page with all rules, by kind: each with a message of its tests. */
export async function rulesPage(): Promise<string> {
  const kinds = [...Map.groupBy(rules, ({ id }) => id.split('/')[0] ?? '')]
  const sections = kinds.map(async ([kind, list]) => {
    const sorted = list.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
    const shown = await Promise.all(sorted.map(showRule))
    return [`## ${kind}`, '', ...shown, ''].join('\n')
  })
  return [
    `# The rules

All ${rules.length} rules, the most severe of each kind first: title, severity and an example of a message. The name of a rule
links to its page: why it matters, how we know, how to fix it and when to waive it; \`hookdrift rules ID\` prints it.
Generated from the program by \`npm run reference\`.
`,
    ...(await Promise.all(sections)),
    formerPart(),
  ].join('\n')
}

function formerPart(): string {
  const rows = Object.entries(formerRules).sort(([a], [b]) => (a < b ? -1 : 1))
  return `## Rules that are no more

A policy or a waiver that names one of these is refused with what is said here. \`source/disabled\` is still there and says
the opposite of what it said before: a disabled source takes events all the same. \`hookdrift policy replay --policy policy.yaml\` shows what
changes for a history of yours.

${rows.map(([id, instead]) => `- \`${id}\`: ${instead}`).join('\n')}
`
}

async function showRule({ id, severity, title }: Rule): Promise<string> {
  const { cases }: { readonly cases: Cases } = await import(
    /* @vite-ignore */ new URL(`../../test/rules/${id}.cases.ts`, import.meta.url).href
  )
  const [finding = ''] = Object.values(cases).flatMap(({ finds = [] }) => finds)
  const message = finding.slice(finding.indexOf(': ') + 2)
  return `- [${id}](../rules/${id}.md) (${severity}): **${title}.** ${message}`
}
