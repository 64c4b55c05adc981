import type { ListedAcceptance } from '../history/acceptances.ts'
import type { RecordedViolation } from '../history/records.ts'
import { dayMs, formatExpiry, isoTime } from '../model/time.ts'
import { violationStates } from '../model/violation.ts'
import { type AcceptanceRow, answerAcceptances, describeSigner, endingWords } from '../questions/acceptances.ts'
import { readFirst } from '../questions/choose-violations.ts'
import { everyViolation, readViolations } from '../questions/violations.ts'
import { keyOfWaiver, readWaivers, soonMs, type WaiverRow } from '../questions/waivers.ts'
import { showViolations } from '../report/html/components/finding-row.ts'
import { emptyState, resource, rowList, showInstant } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { count } from '../text/count.ts'
import { paths, reportLinks, type SiteLink } from './link.ts'
import { cutPage, type ListSection, noSuchCursor, showPager } from './list-page.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { readActive, timeOf } from './run-facts.ts'
import { showAllGaps } from './show-gaps.ts'
import { acceptancesAsOf } from './signed-as-of.ts'

/** The parameter that names an acceptance by its number in the history: the page shows those before it. */
const acceptanceParameter = 'before'

const acceptedElsewhere = 'It lists the waivers; `hookdrift accept --list` lists what people accepted.'

const mostFindings = 100

const mostNamed = 10

/** Exceptions: waivers of the policy, those that end first first, and violations that people accepted. */
export const waiversPage: SitePage = {
  path: '/waivers',
  parameters: [acceptanceParameter],
  // People accept between runs, and waivers end.
  isOfRun: false,
  async show(request): Promise<SiteContent> {
    const { history, run, isLatest, link } = request
    const { section: accepted, isFirst, next, inForce } = showAcceptances(request, await acceptancesAsOf(request))
    const common: Omit<SiteContent, 'body' | 'same'> = {
      title: 'Waivers',
      crumbs: [],
      next,
    }
    if (!isFirst) {
      const lacks = `It lists all acceptances of people${isLatest ? '' : ', those after this run too'}.`
      return {
        ...common,
        body: accepted,
        same: { command: ['accept'], options: { list: true }, isOfNoRun: true, lacks },
      }
    }
    const now = timeOf(request)
    const { rows: waivers } = await readWaivers(history, { run, projects: [], now, limit: Number.POSITIVE_INFINITY })
    const named = await readNamed(request)
    const findings = await findingsOf(request)
    const of = (state: WaiverRow['state']) => waivers.filter((waiver) => waiver.state === state)
    const sections = [
      {
        id: 'ended',
        title: 'Ended',
        entries: of('ended'),
        note: 'They ended after the run: the next one counts again what they accept.',
      },
      { id: 'soon', title: 'End soon', entries: of('ends_soon'), note: `Within ${soonMs / dayMs} days.` },
      { id: 'in-force', title: 'In force', entries: of('in_force') },
    ].filter(({ entries }) => entries.length > 0)
    return {
      ...common,
      alarm: await showAllGaps(request),
      body: html`<p class="meta">${describe(waivers, inForce)}</p>
${waivers.length === 0 ? emptyState('No waiver of the policy accepts anything as of this run.', 'none') : nothing}${sections.map(
  ({ entries, ...section }) =>
    pageSection({
      ...section,
      count: entries.length,
      content: rowList(
        entries.map((waiver) => showWaiver(waiver, named, link)),
        100,
      ),
    }),
)}${findings}${accepted}`,
      same: { command: ['waivers', 'list'], lacks: acceptedElsewhere },
    }
  },
}

const mostRead = 500

/** Violations that waivers accept, in the order of reports, by their waivers. */
async function readNamed(request: SiteRequest): Promise<ReadonlyMap<string, readonly RecordedViolation[]>> {
  const all = (await readActive(request)).filter(({ waiver }) => waiver !== undefined)
  const waived = await readFirst(request.history, all, { most: mostRead })
  return Map.groupBy(waived, ({ rule, waiver }) => (waiver === undefined ? '' : keyOfWaiver({ rule, ...waiver })))
}

function describe(waivers: readonly WaiverRow[], accepted: number): string {
  const violations = waivers.reduce((sum, waiver) => sum + waiver.violations, 0)
  return `${count(waivers.length, 'waiver')} of the policy ${waivers.length === 1 ? 'accepts' : 'accept'} ${count(violations, 'violation')}; people accepted ${accepted} more.`
}

/** What the run found of the waivers themselves: expired ones, which accept nothing, and unused ones. */
async function findingsOf(request: SiteRequest): Promise<Markup> {
  const { history, run, link } = request
  const { rows, omitted } = await readViolations(history, {
    ...everyViolation,
    run,
    states: new Set(violationStates.filter((state) => state !== 'resolved')),
    rule: 'waiver/*',
    limit: mostFindings,
  })
  if (rows.length === 0) return nothing
  return pageSection({
    id: 'findings',
    title: 'To renew or to remove',
    count: rows.length + Number(omitted),
    note: 'What the run found of the waivers of the policy, used or not.',
    content: showViolations(rows, {
      at: isoTime(timeOf(request)),
      isNamed: true,
      links: reportLinks(link),
    }),
  })
}

function showWaiver(row: WaiverRow, named: ReadonlyMap<string, readonly RecordedViolation[]>, link: SiteLink): Markup {
  const { rule, owner, reason, expires, ticket, violations, state } = row
  const followedUp = ticket === null ? '' : ` (${shorten(ticket, 200)})`
  const until = state === 'ended' ? 'ended at' : 'until'
  const listed = (named.get(keyOfWaiver(row)) ?? []).slice(0, mostNamed)
  const items = listed.map((one) => html`<li>${resource(one, link(paths.violation(one.fingerprint)))}</li>`)
  const rest = violations - listed.length
  const all = link('/violations', { rule, state: 'waived' })
  return html`<li data-rule="${rule}"><p><a href="${link(paths.rule(rule))}"><code>${rule}</code></a>: <b>${count(violations, 'violation')}</b> accepted by ${shorten(owner, 200)}, ${until} <time datetime="${expires}">${formatExpiry(expires)}</time></p><p>${shorten(reason, 2000)}${followedUp}</p><ul class="where">${items}${rest > 0 ? html`<li><a href="${all}">${rest} more</a></li>` : nothing}</ul></li>
`
}

const mostAcceptances = 500

/**
 * Violations that people accepted, the latest first, and what is over. `acceptances`: the oldest first.
 * `inForce`: how many are in force.
 * @throws AuditError.usage for a cursor that is not a number
 */
function showAcceptances(
  { link, query }: SiteRequest,
  acceptances: readonly ListedAcceptance[],
): ListSection & { readonly inForce: number } {
  const named = query.one(acceptanceParameter)
  if (named !== undefined && !/^\d{1,15}$/.test(named)) throw noSuchCursor(acceptanceParameter)
  const isAfter = named === undefined ? undefined : ({ id }: ListedAcceptance) => id < Number(named)
  const { items, last } = cutPage(acceptances.toReversed(), { isAfter, most: mostAcceptances })
  const next = last && link('/waivers', { [acceptanceParameter]: last.id })
  const { rows } = answerAcceptances(items.toReversed(), mostAcceptances)
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
    section: html`${pageSection({
      id: 'accepted',
      title: 'Accepted',
      count: isFirst ? all : inForce.length,
      note: 'Accepted by people, each until its value changes. No run counts these.',
      content: inForce.length === 0 ? showNone(all) : list(inForce, 100),
    })}${
      over.length === 0
        ? nothing
        : pageSection({
            id: 'ended-acceptances',
            title: 'Ended acceptances',
            count: isFirst ? acceptances.length - all : over.length,
            content: list(over, 10),
          })
    }${showPager({ first: isFirst ? undefined : link('/waivers'), next })}`,
  }
}

/** `all`: how many are in force, of which this page shows none. */
function showNone(all: number): Markup {
  return all === 0
    ? emptyState('No acceptance is in force.', 'none')
    : emptyState(`None of those on this page is in force: ${count(all, 'other')} ${all === 1 ? 'is' : 'are'}.`, 'none')
}

function isInForce({ ended_at }: AcceptanceRow): boolean {
  return ended_at === null
}

function showAcceptance(row: AcceptanceRow, link: SiteLink): Markup {
  const { fingerprint, rule, path, reason, at, ended_at, ended_by } = row
  const atPath = path === '' ? nothing : html` at <code>${shorten(path, 200)}</code>`
  const end =
    ended_at === null || ended_by === null ? nothing : html`; ended ${showInstant(ended_at)}: ${endingWords[ended_by]}`
  return html`<li data-rule="${rule}"><p><a href="${link(paths.rule(rule))}"><code>${rule}</code></a> ${resource(row, link(paths.violation(fingerprint)))}${atPath}</p><p>${shorten(reason, 2000)}</p><p class="where">Accepted by ${shorten(describeSigner(row), 200)}, ${showInstant(at)}${end}</p></li>
`
}
