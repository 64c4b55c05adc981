import type { ReportProject, RuleDoubt } from '../model/evaluation.ts'
import { memberOf } from '../model/json.ts'
import { count } from '../text/count.ts'

/** What rules could not evaluate in a project. */
type Omissions = Pick<ReportProject, 'not_evaluated' | 'doubts' | 'rows_unread'>

/** Why a rule says nothing of a whole project. One that is in doubt about no field could not conclude from what it saw. */
export function whySilent(rule: string, { not_evaluated, doubts = {} }: Omissions): string | undefined {
  const undecided = memberOf(doubts, rule)?.length === 0 ? 'what it compares with came empty' : undefined
  return memberOf(not_evaluated, rule) ?? undecided
}

/** What a rule missed in a project that it evaluated, in words: resources in doubt, and filter rows that no run has read. */
export function missedBy(rule: string, project: Omissions): readonly string[] {
  const unread = rowsUnreadFor(rule, project)
  return [
    ...doubtsOf(rule, project).map((doubt) => `${describeResources(doubt)}${describeSince(doubt)}`),
    ...(unread === 0 ? [] : [`${count(unread, 'subscription')} whose filter rows no run has read`]),
  ]
}

/** The rules that did not evaluate all of a project, sorted, each with the reason and a sentence. */
export function describeUnevaluated(
  project: Omissions,
): readonly { readonly rule: string; readonly reason: string; readonly sentence: string }[] {
  const { not_evaluated, doubts = {}, rows_unread: unread = {} } = project
  const rules = new Set([not_evaluated, doubts, unread].flatMap(Object.keys))
  return [...rules].sort().flatMap((rule) => {
    const silent = whySilent(rule, project)
    if (silent !== undefined) return [{ rule, reason: silent, sentence: `${rule} was not evaluated: ${silent}` }]
    const missed = missedBy(rule, project).join('; ')
    return missed === '' ? [] : [{ rule, reason: `missed ${missed}`, sentence: `${rule} missed ${missed}` }]
  })
}

/** What could not be evaluated of a rule: why in the first project, and in which projects. */
interface UnevaluatedRule {
  readonly rule: string
  readonly reason: string
  readonly sentence: string
  readonly projects: readonly string[]
}

/** The same of some projects together, each rule once. */
export function unevaluatedByRule(
  all: readonly (Omissions & Pick<ReportProject, 'project'>)[],
): readonly UnevaluatedRule[] {
  const byRule = new Map<string, UnevaluatedRule & { readonly projects: string[] }>()
  for (const omissions of all) {
    for (const one of describeUnevaluated(omissions)) {
      const known = byRule.get(one.rule) ?? { ...one, projects: [] }
      byRule.set(one.rule, known)
      known.projects.push(omissions.project)
    }
  }
  return [...byRule.values()]
}

export function rowsUnreadFor(rule: string, { rows_unread: unread = {} }: Pick<ReportProject, 'rows_unread'>): number {
  return memberOf(unread, rule) ?? 0
}

export function doubtsOf(rule: string, { doubts = {} }: Pick<ReportProject, 'doubts'>): readonly RuleDoubt[] {
  return memberOf(doubts, rule) ?? []
}

export function describeResources({ kind, field, cause, resources }: RuleDoubt): string {
  if (cause === 'seal_key_changed')
    return `${count(resources, kind)} whose ${field} another installation key, or an earlier version, sealed before`
  const show = resources === 1 ? 'shows' : 'show'
  const what = cause === 'unseen' ? `no ${field}` : `a malformed ${field}`
  return `${count(resources, kind)} that ${show} ${what}`
}

export function describeSince({ since }: RuleDoubt): string {
  return since === null ? '' : ` since run ${since.run} (${since.at.slice(0, 10)} ${since.at.slice(11, 16)} UTC)`
}
