import { dayMs, formatExpiry } from '../model/time.ts'
import { violationStates } from '../model/violation.ts'
import { readWaivers, soonMs, type WaiverInForce } from '../questions/read-waivers.ts'
import { everyViolation, readViolations } from '../questions/violations.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { rowList } from '../report/html/components/fold.ts'
import { resource } from '../report/html/components/resource.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showViolations } from '../report/html/show-violations.ts'
import { shorten } from '../report/text/shorten.ts'
import { count } from '../text/count.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { reportLinks } from './report-links.ts'
import { timeOf } from './run-facts.ts'
import { showAllGaps } from './show-gaps.ts'
import { acceptancesAsOf } from './signed-as-of.ts'
import { acceptancePlace, showAcceptances } from './waivers/show-acceptances.ts'

const mostFindings = 100
const mostNamed = 10

/** Exceptions: waivers of the policy, those that end first first, and violations that people accepted. */
export const waiversPage: SitePage = {
  path: '/waivers',
  parameters: [acceptancePlace],
  // People accept between runs, and waivers end.
  isOfRun: false,
  async show(request): Promise<SiteContent> {
    const { history, run, isLatest, link } = request
    const { sections: accepted, isFirst, next, inForce } = showAcceptances(request, await acceptancesAsOf(request))
    const common: Omit<SiteContent, 'body'> = {
      title: 'Waivers',
      crumbs: [],
      ...(next === undefined ? {} : { next }),
      same: {
        command: ['accept'],
        options: { list: true },
        isOfNoRun: true,
        lacks: `It lists the acceptances of people${isLatest ? '' : ', those after this run too'}; the waivers are those of the policy.`,
      },
    }
    if (!isFirst) return { ...common, body: accepted }
    const waivers = await readWaivers(history, run, timeOf(request))
    const findings = await findingsOf(request)
    const of = (state: WaiverInForce['state']) => waivers.filter((waiver) => waiver.state === state)
    const sections = [
      {
        id: 'ended',
        title: 'Ended',
        entries: of('ended'),
        note: 'They ended after the run: the next one counts again what they accept.',
      },
      { id: 'soon', title: 'End soon', entries: of('ends soon'), note: `Within ${soonMs / dayMs} days.` },
      { id: 'in-force', title: 'In force', entries: of('in force') },
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
        entries.map((waiver) => showWaiver(waiver, link)),
        100,
      ),
    }),
)}${findings}${accepted}`,
    }
  },
}

function describe(waivers: readonly WaiverInForce[], accepted: number): string {
  const violations = waivers.reduce((sum, waiver) => sum + waiver.violations, 0)
  return `${count(waivers.length, 'waiver')} of the policy ${waivers.length === 1 ? 'accepts' : 'accept'} ${count(violations, 'violation')}; people accepted ${accepted} more.`
}

/** What the run found of the waivers themselves: expired ones, which accept nothing, and unused ones. */
async function findingsOf({ history, run, link }: SiteRequest): Promise<Markup> {
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
      at: run.startedAt,
      isNamed: true,
      links: reportLinks(link),
    }),
  })
}

function showWaiver(waiver: WaiverInForce, link: SiteLink): Markup {
  const { rule, owner, reason, expires, ticket, violations, shown, state } = waiver
  const followedUp = ticket === undefined ? '' : ` (${shorten(ticket, 200)})`
  const until = state === 'ended' ? 'ended at' : 'until'
  const named = shown
    .slice(0, mostNamed)
    .map((one) => html`<li>${resource(one, link(paths.violation(one.fingerprint)))}</li>`)
  const rest = violations - named.length
  const all = link('/violations', { rule, state: 'waived' })
  return html`<li data-rule="${rule}"><p><a href="${link(paths.rule(rule))}"><code>${rule}</code></a>: <b>${count(violations, 'violation')}</b> accepted by ${shorten(owner, 200)}, ${until} <time datetime="${expires}">${formatExpiry(expires)}</time></p><p>${shorten(reason, 2000)}${followedUp}</p><ul class="where">${named}${rest > 0 ? html`<li><a href="${all}">${rest} more</a></li>` : nothing}</ul></li>
`
}
