import { explainViews } from '../../src/history/sqlite/views.ts'
import { severities } from '../../src/model/violation.ts'
import { rules } from '../../src/rules/rules.ts'

/** The page about the SQL views of the history. */
export function viewsPage(): string {
  const sections = explainViews().map(({ view, about, columns }) => {
    const names = columns.map((column) => `\`${column}\``).join(', ')
    return `## ${view}\n\n${sentence(about)}\n\nColumns: ${names}.\n`
  })
  return [
    `# Views

What to select from in \`hookdrift query\`, or in any SQLite or PostgreSQL program. Generated from the program by
\`npm run reference\`; \`hookdrift query --views\` prints the same. Columns may be added to a view, and none is renamed
within a version.

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

/** The page with all rules, by kind. */
export function rulesPage(): string {
  const kinds = [...Map.groupBy(rules, ({ id }) => id.split('/')[0] ?? '')]
  const sections = kinds.map(([kind, list]) => {
    const sorted = list.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
    const rows = sorted.map(({ id, severity, title }) => `- [${id}](../rules/${id}.md) (${severity}): ${title}.`)
    return [`## ${kind}`, '', ...rows, ''].join('\n')
  })
  return [
    `# The rules

All ${rules.length} rules. Each links to its page: what it reports, why, how to fix it and when to waive it. Generated from the
program by \`npm run reference\`; \`hookdrift rules\` prints the list.
`,
    ...sections,
  ].join('\n')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
