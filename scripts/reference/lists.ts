import { explainViews } from '../../src/history/sqlite/views.ts'
import { severities } from '../../src/model/violation.ts'
import type { Rule } from '../../src/rules/engine/rule.ts'
import { formerRules } from '../../src/rules/former-rules.ts'
import { readRulePage } from '../../src/rules/rule-page.ts'
import { rules } from '../../src/rules/rules.ts'
import type { Cases } from '../../test/rules/rule-cases.ts'
import { howWeKnow } from './how-we-know.ts'

/** The page about the SQL views of the history. */
export function viewsPage(): string {
  const sections = explainViews().map(({ view, about, columns }) => {
    const names = columns.map((column) => `\`${column}\``).join(', ')
    return `## ${view}\n\n${sentence(about)}\n\nColumns: ${names}.\n`
  })
  return [
    `# Views

What to select from in \`hookdrift query\` on a history in a file, or in any SQLite or PostgreSQL program. Generated from
the program by \`npm run reference\`; \`hookdrift query --views\` prints the same. Columns may be added to a view, and
none is renamed within a version.

Ask the views and not the tables: tables hold the rows of a run that is being written. Bodies and \`fields\` are JSON; a
number that no double holds is kept as the text \`number:1234567890123456789\`.

The same column means the same in all of them: \`project\` is service/project; \`owner\` is the \`owner_id\` of an endpoint,
or of the endpoint of a subscription; \`severity_rank\` goes from 1 (critical) to 5 (info), so \`ORDER BY severity_rank\`
begins with the worst. Times are ISO 8601 in UTC. [Ask the history](../how-to/ask-the-history.md#anything-else) has
questions with their SQL.
`,
    ...sections,
  ].join('\n')
}

/** The page with all rules, by kind: each with a message of its tests, and the steps of its own page. */
export async function rulesPage(): Promise<string> {
  const kinds = [...Map.groupBy(rules, ({ id }) => id.split('/')[0] ?? '')]
  const sections = kinds.map(async ([kind, list]) => {
    const sorted = list.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
    const shown = await Promise.all(sorted.map(showRule))
    return [`## ${kind}`, '', ...shown].join('\n')
  })
  return [
    `# The rules

All ${rules.length} rules, the most severe of each kind first: title, severity, an example of a message, and how to fix it. The
name of a rule links to its page, which also says why it matters and when to waive it. "Known" says where what the rule
claims about the gateway was tried or read. In commands, \`UID\` is the uid or
the name of the resource; reports, pages and messages about one resource fill it in. Generated from the program by
\`npm run reference\`; \`hookdrift rules\` prints the list.
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
  const page = readRulePage(id)
  const [, fix = ''] = /^## How to fix\n\n([\s\S]*?)\n\n## /m.exec(page) ?? []
  const known = howWeKnow(page).map((sentence) => sentence.slice(0, sentence.indexOf(': ')))
  return `### [${id}](../rules/${id}.md)

**${title}** (${severity})

> ${message}

${fix}

Known: ${known.join('; ')}.
`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
