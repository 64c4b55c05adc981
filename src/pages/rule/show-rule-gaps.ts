import type { RuleInRun } from '../../questions/read-rules.ts'
import { unscannedBar } from '../../report/html/components/unscanned-bar.ts'
import { type Markup, nothing } from '../../report/html/markup.ts'
import { nameCauses } from '../../report/html/show-unscanned.ts'
import { count } from '../../text/count.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { linkToCoverage } from '../show-gaps.ts'

const mostNamed = 6

/** Where a rule could not be evaluated, a line for each cause: there, nothing found is not nothing wrong. */
export function showRuleGaps({ gaps, notEvaluated }: RuleInRun, { run, link }: SiteRequest): Markup {
  const projects = new Set([...gaps, ...notEvaluated].map(({ project }) => project))
  if (projects.size === 0) return nothing
  const refusals = [...Map.groupBy(notEvaluated, ({ reason }) => reason)].map(([cause, alike]) => {
    const names = alike.slice(0, mostNamed).map(({ project }) => project)
    const left = alike.length - names.length
    return { cause, where: `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}` }
  })
  return unscannedBar({
    headline: `The rule could not be evaluated everywhere in ${count(projects.size, 'project')}.`,
    causes: [...nameCauses(gaps, new Set()), ...refusals],
    meaning: 'What it would find there is unknown.',
    href: linkToCoverage(gaps, link) ?? `${link(paths.run(run.number))}#coverage`,
  })
}
