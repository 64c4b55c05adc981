import { count, countEach } from '../model/text/count.ts'
import { severities, violationStates } from '../model/violation.ts'
import { countViolations, filterTest, listFor, rankViolations, sortKeyOf } from '../questions/choose-violations.ts'
import { chooseViolations, violations } from '../questions/violations.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { choiceField } from './filter-form.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { asked, filtersOf, questionPage, readAddress, showQuestion } from './question-page.ts'
import { readProjectEvaluations } from './run-facts.ts'
import { groupKeys, showGroups } from './violation-groups.ts'

/** The flags of a command line, of which an address has one parameter. */
export const stateFlags = ['open', 'resolved', 'waived', 'unknown'] as const

const page = {
  path: '/violations',
  title: 'Violations',
  about: 'What violates a rule, as of the last scan of each project.',
  ...asked(violations),
  usual: ({ query }: SiteRequest) => (stateFlags.some((flag) => query.one(flag)) ? {} : { state: 'open' }),
  hidden: stateFlags,
  front: ['state', 'severity', 'rule', 'project', 'owner', 'text'],
  renamed: { q: 'text' },
  more: [choiceField('group-by', 'Group by', groupings, 'nothing')],
}

/** Violations, each or by what they have in common. */
export const violationsPage: SitePage = {
  ...questionPage(page),
  async show(request) {
    const grouping = readChoice(request.query, 'group-by', groupings)
    return showQuestion(page, request, grouping && (await showGrouped(request, grouping)))
  },
}

async function showGrouped(request: SiteRequest, grouping: Grouping): Promise<Markup | undefined> {
  const { history, run } = request
  const { values } = await readAddress(page, request)
  const filter = await chooseViolations(history, values, request.now)
  const evaluations = await readProjectEvaluations(request)
  const listed = await listFor(history, run.number, filter, grouping === 'owner' || filter.owners.length > 0)
  const chosen = listed.filter(filterTest(filter, evaluations))
  const counts = countViolations(chosen)
  if (counts.total === 0) return undefined
  const ranked = rankViolations(chosen, groupKeys[grouping], sortKeyOf(filter.sort, evaluations))
  return html`<p class="summary" role="status">${count(counts.total, 'violation')}: ${countEach(severities, counts.severities)}; ${countEach(violationStates, counts.states)}.</p>
${await showGroups(request, { ranked, grouping, filters: filtersOf(page, request) })}`
}
