import type { Acceptance } from '../../history/acceptances.ts'
import { type AcceptanceRow, answerAcceptances, describeSigner, endingWords } from '../../questions/acceptances.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { rowList } from '../../report/html/components/fold.ts'
import { resource } from '../../report/html/components/resource.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { shorten } from '../../report/text/shorten.ts'
import { paths, type SiteLink } from '../link.ts'
import { cutPage, noSuchPlace, showPager } from '../list-page.ts'
import type { SiteRequest } from '../page.ts'
import { showInstant } from '../show-instant.ts'

const mostAcceptances = 500

/** The parameter that names an acceptance by its number in the history: the page shows those before it. */
export const acceptancePlace = 'before'

interface AcceptancesPage {
  readonly sections: Markup
  /** Whether the list begins here. */
  readonly isFirst: boolean
  readonly next: string | undefined
  /** How many are in force. */
  readonly inForce: number
}

/**
 * Violations that people accepted, the latest first, and what is over. `acceptances`: the oldest first.
 * @throws AuditError.usage for a place that is not a number
 */
export function showAcceptances({ link, query }: SiteRequest, acceptances: readonly Acceptance[]): AcceptancesPage {
  const named = query.one(acceptancePlace)
  if (named !== undefined && !/^\d{1,15}$/.test(named)) throw noSuchPlace(acceptancePlace)
  const isAfter = named === undefined ? undefined : ({ id }: Acceptance) => id < Number(named)
  const { shown, last } = cutPage(acceptances.toReversed(), { isAfter, most: mostAcceptances })
  const next = last && link('/waivers', { [acceptancePlace]: last.id })
  const { rows } = answerAcceptances(shown.toReversed(), mostAcceptances)
  const [inForce, over] = [rows.filter(isInForce), rows.filter((row) => !isInForce(row))]
  const list = (of: readonly AcceptanceRow[], unfolded: number) =>
    rowList(
      of.map((row) => showAcceptance(row, link)),
      unfolded,
    )
  const isFirst = named === undefined
  const all = acceptances.filter(({ revoked, ended }) => revoked === undefined && ended === undefined).length
  return {
    isFirst,
    next,
    inForce: all,
    sections: html`${pageSection({
      id: 'accepted',
      title: 'Accepted',
      count: isFirst ? all : inForce.length,
      note: 'Accepted by people with the value of the time, until it is another one. No run reports these.',
      content: inForce.length === 0 ? emptyState('No acceptance is in force.', 'none') : list(inForce, 100),
    })}${
      over.length === 0
        ? nothing
        : pageSection({
            id: 'ended',
            title: 'Ended acceptances',
            count: isFirst ? acceptances.length - all : over.length,
            content: list(over, 10),
          })
    }${showPager({ first: isFirst ? undefined : link('/waivers'), next })}`,
  }
}

function isInForce({ ended_at }: AcceptanceRow): boolean {
  return ended_at === null
}

function showAcceptance(row: AcceptanceRow, link: SiteLink): Markup {
  const { fingerprint, rule, path, reason, at, ended_at, ended_by } = row
  const place = path === '' ? nothing : html` at <code>${shorten(path, 200)}</code>`
  const end =
    ended_at === null || ended_by === null ? nothing : html`; ended ${showInstant(ended_at)}: ${endingWords[ended_by]}`
  return html`<li data-rule="${rule}"><p><a href="${link(paths.rule(rule))}"><code>${rule}</code></a> ${resource({ ...row, name: '' }, link(paths.violation(fingerprint)))}${place}</p><p>${shorten(reason, 2000)}</p><p class="where">Accepted by ${shorten(describeSigner(row), 200)}, ${showInstant(at)}${end}</p></li>
`
}
