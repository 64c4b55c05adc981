import { unknownGateway } from '../../config/read-gateway.ts'
import type { IdentifiedViolation } from '../../history/reader.ts'
import { AuditError } from '../../model/errors.ts'
import { readRestore } from '../../queries/read-restore.ts'
import { curlLines } from '../../repair/curl.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import type { SiteRequest } from '../page.ts'

/** The request that repairs a violation, with its placeholders; that there is none, where no value is right for all. */
export async function showRepair(
  { history, run }: SiteRequest,
  { project, kind, uid }: IdentifiedViolation,
  rule: string,
): Promise<Markup> {
  const restore = async () =>
    readRestore(history, {
      ...{ uid, run, asked: undefined, rule, projects: [project.name], kind, limit: Number.POSITIVE_INFINITY },
      gatewayOf: ({ service }) => unknownGateway(service),
      policyOf: async () => undefined,
    })
  const answer = await restore().catch((thrown: unknown) => {
    if (thrown instanceof AuditError && thrown.kind === 'usage') return undefined
    throw thrown
  })
  const rows = answer?.rows ?? []
  if (rows.length === 0)
    return html`<p class="soft">No request is right for every fleet here: a person decides what the value should be.</p>`
  return html`${rows.map((row) => {
    const names = row.placeholders.map(({ name }) => name)
    return html`<h3>The request that repairs it</h3>
<p>${row.purpose.charAt(0).toUpperCase()}${row.purpose.slice(1)}. hookdrift sends nothing: read it, set the variables, send it, and audit again.</p>
<pre class="command">${curlLines(row, names).map(
      (line) => html`${line}
`,
    )}</pre>
${names.length === 0 ? '' : html`<dl class="facts">${row.placeholders.map(({ name, hint }) => html`<dt><code>${name}</code></dt><dd>${hint}</dd>`)}</dl>`}`
  })}`
}
