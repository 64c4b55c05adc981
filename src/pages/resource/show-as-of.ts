import type { Identity, VersionSpan } from '../../history/sql/resource-life.ts'
import type { AnswerCoverage } from '../../report/answer.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { readLastComplete, showRunAt, unreadKinds } from '../last-complete.ts'
import type { SiteRequest } from '../page.ts'

/** Of which run the state of a resource is, where the last scan did not read all of its kind. */
export async function showAsOf(
  request: SiteRequest,
  { project, kind }: Identity,
  { coverage, last }: { readonly coverage: readonly AnswerCoverage[]; readonly last: VersionSpan | undefined },
): Promise<Markup> {
  if (last === undefined || last.toRun !== null || unreadKinds(coverage, [kind]).length === 0) return nothing
  const complete = await readLastComplete(request, project, [kind])
  // A walk that broke off may have shown it all the same.
  const isLater = complete === undefined || last.fromRun > complete.number
  const run = isLater ? { number: last.fromRun, at: last.from } : complete
  return html`<p class="empty unseen">? Its state is as of ${showRunAt(run, request)}${isLater ? nothing : ', the last complete scan'}.</p>
`
}
