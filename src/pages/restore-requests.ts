import type { Identity } from '../history/sql/resource-life.ts'
import { AuditError } from '../model/errors.ts'
import { readRestore } from '../questions/restore.ts'
import type { RestoreRow } from '../questions/restore-row.ts'
import { describeRequest, variableFacts } from '../questions/show-restore.ts'
import type { Answer } from '../report/answer.ts'
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

/** The requests as commands to copy, with their placeholders, and what is said of them. They are shown, not sent. */
export function showRequests({ rows, remarks = [], conclusion = [] }: Answer<RestoreRow>): Markup {
  const requests = rows.flatMap((row) => [
    text(`${asSentence(row.purpose)}.`),
    ...describeRequest(row),
    ...variableFacts([row]),
  ])
  return asHtml([...remarks.map((said) => text(said)), ...requests, ...conclusion.map((said) => text(said, 'aside'))])
}
