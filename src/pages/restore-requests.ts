import type { Identity } from '../history/sql/resource-life.ts'
import { AuditError } from '../model/errors.ts'
import { readRestore } from '../questions/restore.ts'
import type { RestoreRow } from '../questions/restore-row.ts'
import { describeRequest, variableFacts } from '../questions/show-restore.ts'
import { asSentence } from '../report/describe-ending.ts'
import { text } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import type { Markup } from '../report/html/markup.ts'
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
  const said = `${asSentence(row.purpose)}. hookdrift sends nothing: read it, set the variables, send it, and audit again.`
  return asHtml([text(said), ...describeRequest(row), ...variableFacts([row])])
}
