import type { Identity } from '../history/sql/resource-life.ts'
import { AuditError } from '../model/errors.ts'
import { readRestore } from '../questions/restore.ts'
import type { RestoreRow } from '../questions/restore-row.ts'
import { variablesOf } from '../questions/show-restore.ts'
import { curlLines } from '../repair/curl.ts'
import { factList } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import type { SiteRequest } from './page.ts'

/** The requests that put a resource back or, with a rule, repair its violation; undefined where none is right for all. */
export async function readRequests(
  { history, run, plan }: SiteRequest,
  { project, kind, uid }: Identity,
  rule: string | undefined,
) {
  const choice = {
    uid,
    run,
    chosenRun: undefined,
    rule,
    projects: [project.name],
    kind,
    limit: Number.POSITIVE_INFINITY,
  }
  try {
    return await readRestore(history, {
      ...choice,
      gatewayOf: (of) => plan.gatewayOf(of),
      policyOf: async () => undefined,
    })
  } catch (thrown) {
    if (thrown instanceof AuditError && thrown.kind === 'usage') return undefined
    throw thrown
  }
}

/** A request as a command to copy, with its placeholders. It is shown, not sent. */
export function showRequest(row: RestoreRow): Markup {
  const { purpose, when } = row
  const variables = variablesOf([row])
  return html`<p>${purpose.charAt(0).toUpperCase()}${purpose.slice(1)}. hookdrift sends nothing: read it, set the variables, send it, and audit again.</p>${
    when !== null &&
    html`
<p>${when}</p>`
  }
<pre class="command">${curlLines(row).map(
    (line) => html`${line}
`,
  )}</pre>
${variables.length !== 0 && factList(variables.map(({ name, hint }) => [html`<code>${name}</code>`, hint]))}`
}
