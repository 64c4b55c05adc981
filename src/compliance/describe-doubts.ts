import type { RuleDoubt } from '../model/evaluation.ts'
import type { Report } from '../model/report.ts'
import { count } from '../text/count.ts'

/** What a rule could not evaluate, project by project, in words. */
export function describeDoubts(rule: string, projects: Report['projects']): { project: string; reason: string }[] {
  return projects.flatMap(({ project, doubts }) =>
    ofRule(rule, doubts).map((doubt) => ({ project, reason: `${describeResources(doubt)}${describeSince(doubt)}` })),
  )
}

/** The same for all rules of a control together: a sentence for each field. */
export function describeDoubtsOf(rules: readonly string[], projects: Report['projects']): string[] {
  const all = projects.flatMap(({ project, doubts }) =>
    rules.flatMap((rule) => ofRule(rule, doubts).map((doubt) => ({ project, rule, doubt }))),
  )
  const byField = Map.groupBy(all, ({ doubt: { kind, field, cause } }) => `${kind} ${field} ${cause}`)
  return [...byField.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    // Rules of one project that read a field miss the same resources, or some of them.
    const resources = [...Map.groupBy(alike, ({ project }) => project).values()]
      .map((ofProject) => Math.max(...ofProject.map(({ doubt }) => doubt.resources)))
      .reduce((sum, number) => sum + number, 0)
    const runs = alike.flatMap(({ doubt: { since } }) => (since === null ? [] : [since]))
    const since = runs.reduce<RuleDoubt['since']>(
      (earliest, one) => (earliest === null || one.run < earliest.run ? one : earliest),
      null,
    )
    const doubt = { ...first.doubt, resources, since }
    return [`Not evaluated: ${describeResources(doubt)}${describeSince(doubt)} (${nameRules(alike)}).`]
  })
}

function ofRule(rule: string, doubts: Report['projects'][number]['doubts']): readonly RuleDoubt[] {
  // A policy's own rule may be named like a member that every object inherits.
  return doubts !== undefined && Object.hasOwn(doubts, rule) ? (doubts[rule] ?? []) : []
}

function describeResources({ kind, field, cause, resources }: RuleDoubt): string {
  const show = resources === 1 ? 'shows' : 'show'
  const what = cause === 'unseen' ? `no ${field}` : `a malformed ${field}`
  return `${count(resources, kind)} that ${show} ${what}`
}

function describeSince({ since }: RuleDoubt): string {
  return since === null ? '' : ` since run ${since.run} (${since.at.slice(0, 10)} ${since.at.slice(11, 16)} UTC)`
}

const mostNamed = 3

function nameRules(alike: readonly { readonly rule: string }[]): string {
  const rules = [...new Set(alike.map(({ rule }) => rule))].sort()
  const left = rules.length - mostNamed
  return `${rules.slice(0, mostNamed).join(', ')}${left > 0 ? ` and ${count(left, 'other rule')}` : ''}`
}
