import type { AnswerCoverage } from '../../report/answer.ts'
import { isGap } from '../../report/gaps.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'

/** The walks of the last scan. Why some are not complete is said at the head of the page, once for each cause. */
export function showWalks(coverage: readonly AnswerCoverage[]): Markup {
  const withReason = coverage.some((walk) => walk.reason !== null && !isGap(walk))
  const columns = [
    ...[{ title: 'Listing' }, { title: 'Status' }],
    ...[
      { title: 'Items', isNumber: true },
      { title: 'Pages', isNumber: true },
    ],
    ...(withReason ? [{ title: 'Reason' }] : []),
  ]
  const rows = coverage.map((walk) => {
    const { listing, status, items, pages } = walk
    const isUnseen = isGap(walk) && pages === 0
    const shown = isGap(walk) ? html`<b class="bad">? ${status}</b>` : html`${status}`
    const reason = withReason ? cell('Reason', isGap(walk) ? '' : (walk.reason ?? '')) : html``
    return html`<tr><th scope="row">${listing}</th>${cell('Status', shown)}${isUnseen ? cell('Items', '?', 'n unseen') : cell('Items', items, 'n')}${cell('Pages', pages, 'n')}${reason}</tr>
`
  })
  return pageSection({
    id: 'coverage',
    title: 'Coverage of its last scan',
    content: table('Coverage', columns, rows),
  })
}
