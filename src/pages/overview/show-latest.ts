import { readFirstViolations, type ViolationGroup } from '../../history/sql/first-violations.ts'
import { countGroups } from '../../questions/count-groups.ts'
import { changeCard } from '../../report/html/components/change-card.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import type { ScanExtent } from '../../report/html/scan-extent.ts'
import { count } from '../../text/count.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { onceForRun, readInputs } from '../run-facts.ts'
import { showLastChanges } from '../show-last-changes.ts'
import { showFound } from '../show-rows.ts'
import { testNew } from './show-latest-verdict.ts'

const [mostNew, mostChanged] = [10, 5]

/** What the run opened, and what it found changed. */
export async function showLatest(
  request: SiteRequest,
  { groups, extent }: { readonly groups: readonly ViolationGroup[]; readonly extent: ScanExtent },
): Promise<Markup> {
  const { history, run, link } = request
  const counts = countGroups(groups.filter(testNew(run.number)))
  const asked = { run: run.number, withActive: true, resolvedAfter: undefined, most: mostNew, groups }
  const rows = await onceForRun(request, 'new violations', () =>
    readFirstViolations(history, { ...asked, isChosen: testNew(run.number) }),
  )
  const changes = (await readInputs(request))?.changes ?? []
  const heading = html`<h2 id="new">New and changed in run ${run.number}</h2>
`
  if (counts.total + changes.length === 0) {
    return html`${heading}${showNothing(extent)}
${await showLastChanges(request)}`
  }
  const opened =
    counts.total === 0
      ? nothing
      : html`<h3>Opened <span class="count">${shownOf(rows.length, counts.total)}</span></h3>
${await showFound(request, rows)}${
  counts.total > rows.length
    ? html`<p><a href="${link('/violations', { state: 'opened', since: run.number })}">All ${count(counts.total, 'new violation')}</a></p>`
    : nothing
}`
  const shown = changes.slice(0, mostChanged)
  const changed =
    changes.length === 0
      ? nothing
      : html`<h3>Changed <span class="count">${shownOf(shown.length, changes.length)}</span></h3>
<ul class="rows">
${shown.map((change) => changeCard(change, [], { href: link(paths.resource(change.uid), { project: change.project, kind: change.kind }) }))}</ul>
${
  changes.length > shown.length
    ? html`<p><a href="${link(paths.run(run.number))}">All ${count(changes.length, 'change')} of the run</a></p>`
    : nothing
}`
  return html`${heading}${opened}${changed}`
}

function showNothing(extent: ScanExtent): Markup {
  if (extent === 'none') return emptyState('Nothing was scanned: what is new or changed is unknown.', 'unknown')
  return extent === 'all'
    ? emptyState('The run opened no violation, and found no change.', 'none')
    : emptyState('The run opened no violation, and found no change, in what was scanned.', 'unknown')
}

function shownOf(shown: number, all: number): string {
  return shown === all ? String(all) : `${shown} of ${all}`
}
