import { inResourceOrder } from '../../history/report-order.ts'
import { readBaselineDiff } from '../../questions/baseline-diff.ts'
import { isGap } from '../../report/gaps.ts'
import { changeCard } from '../../report/html/components/change-card.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { linkToResource } from '../link.ts'
import { cutPage, showPager } from '../list-page.ts'
import type { SiteRequest } from '../page.ts'
import { placeAfter, readResourcePlace } from '../resource-place.ts'
import { showGaps } from '../show-gaps.ts'
import { approvalsAsOf } from '../signed-as-of.ts'

const [mostShown, mostRemarks] = [100, 100]

interface DifferencesPage {
  readonly section: Markup
  /** What was not scanned, so that differences there are unknown. */
  readonly alarm: Markup
  /** Whether the list begins here. */
  readonly isFirst: boolean
  readonly next: string | undefined
}

/** What differs in the run from the approved states, of which there is one; a hundred differences from a place on. */
export async function showDifferences(request: SiteRequest, projects: readonly string[]): Promise<DifferencesPage> {
  const { history, run, isLatest, query, link } = request
  const choice = { run, projects, limit: Number.POSITIVE_INFINITY, approvals: await approvalsAsOf(request) }
  const { rows, remarks = [], coverage = [] } = await readBaselineDiff(history, choice)
  const place = readResourcePlace(query)
  const isAfter = place && ((row: (typeof rows)[number]) => inResourceOrder(row, place) > 0)
  const { shown, last } = cutPage(rows, { isAfter, most: mostShown })
  const next = last && link('/baselines', { project: projects, ...placeAfter(last) })
  const pager = showPager({ first: place && link('/baselines', { project: projects }), next })
  const cards = shown.map((row) => changeCard(row, [], { href: linkToResource(link, row) }))
  const content = html`${remarks.slice(0, mostRemarks).map((line) => html`<p class="soft">${line}</p>`)}${
    rows.length === 0 ? showNone(coverage.some(isGap)) : html`<ul class="rows">${cards}</ul>`
  }${pager}`
  const title = isLatest ? 'What differs in the last run' : `What differs in run ${run.number}`
  return {
    alarm: showGaps(coverage, link),
    isFirst: place === undefined,
    next,
    section: pageSection({ id: 'differences', title, count: rows.length, content }),
  }
}

function showNone(isIncomplete: boolean): Markup {
  return isIncomplete
    ? emptyState('Nothing differs from the approved states in what was scanned; the rest is unknown.', 'unknown')
    : emptyState('Nothing differs from the approved states.', 'none')
}
