import { describeSigner } from '../../questions/acceptances.ts'
import type { BaselineRow, ListedBaseline } from '../../questions/baselines.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { showTime } from '../../report/text/show-time.ts'
import { count } from '../../text/count.ts'
import { paths, type SiteLink } from '../link.ts'
import { cutPage, noSuchPlace, showPager } from '../list-page.ts'
import type { RunNames } from '../name-run.ts'
import type { SiteRequest } from '../page.ts'

const mostShown = 100

/** The parameter that names a past approval by its number in the history: the page shows those after it. */
export const approvalPlace = 'after-approval'

const columns = ['Project', 'State of', 'Approved', 'By', 'Note'].map((title) => ({ title }))

export function showActive(rows: readonly BaselineRow[], names: Names): Markup {
  const shown = rows.map(
    (row) => html`<tr>${showApproval(row, names)}</tr>
`,
  )
  return table('Approved baselines', columns, shown)
}

interface PastPage {
  readonly section: Markup
  /** Whether the list begins here. */
  readonly isFirst: boolean
  readonly next: string | undefined
}

/**
 * Approvals that no longer count: what drift was once compared with, and who ended that. By project, the latest first.
 * @throws AuditError.usage for a place that is not in the list
 */
export function showPast({ query }: SiteRequest, past: readonly ListedBaseline[], names: Names): PastPage {
  const { link } = names
  const named = query.one(approvalPlace)
  const at = past.findIndex(({ id }) => String(id) === named)
  if (named !== undefined && at < 0) throw noSuchPlace(approvalPlace)
  const { shown, last } = cutPage(past.slice(at + 1), { most: mostShown })
  const project = query.all('project')
  const next = last && link('/baselines', { project, [approvalPlace]: last.id })
  const isFirst = named === undefined
  if (past.length === 0) return { section: nothing, isFirst, next }
  const rows = shown.map(
    ({ row }) => html`<tr>${showApproval(row, names)}${cell('Ended', describeEnd(row))}</tr>
`,
  )
  const list = table('Past approvals', [...columns, { title: 'Ended' }], rows)
  const content = html`${list}${showPager({ first: isFirst ? undefined : link('/baselines', { project }), next })}`
  return { isFirst, next, section: pageSection({ id: 'past', title: 'Past approvals', count: past.length, content }) }
}

function describeEnd({ revoked_at, revoked_by }: BaselineRow): string {
  return revoked_at === null ? 'by a later approval' : `revoked ${showTime(revoked_at)} by ${revoked_by ?? ''}`
}

interface Names {
  readonly link: SiteLink
  readonly runs: RunNames
}

function showApproval(row: BaselineRow, { link, runs }: Names): Markup {
  const amended = row.amendments.length === 0 ? nothing : html` + ${count(row.amendments.length, 'resource')}`
  const state = html`${row.run === null ? html`files` : runs.name(row.run)}${amended}`
  const by = describeSigner({ by: row.approved_by, os_user: row.os_user })
  return html`<th scope="row"><a href="${link(paths.project(row.project))}">${row.project}</a></th>${cell('State of', state)}${cell('Approved', showTime(row.approved_at))}${cell('By', by)}${cell('Note', row.note)}`
}
