import type { Json } from '../model/json.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { FileLocation } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { formatExpiry } from '../model/time.ts'
import type { DueDurations, Severity } from '../model/violation.ts'
import type { BoundRule, DriftLife, Rule } from '../rules/engine/rule.ts'
import type { ChangeWindow } from './change-window.ts'
import type { IgnoredPath } from './ignored-paths.ts'
import type { RuleSetting } from './policy-schema.ts'
import type { Probe } from './probe.ts'
import type { Labels, Matcher } from './selector.ts'
import type { PolicyWaiver } from './waiver.ts'

/** Which rules apply, how severely, with which options. */
export interface Policy {
  /** SHA-256 of its decisions, in hex: equal for policies that decide alike. */
  readonly digest: string
  /** What a reader of a run needs to know of it. */
  readonly facts: PolicyFacts
  /** The file that says it, as reports name it; undefined for a pack. */
  readonly file: string | undefined
  /** Every rule that exists, custom ones included, enabled or not. */
  readonly allRules: readonly Rule[]
  /** Settings of rules for all resources; later ones win. */
  readonly layers: readonly Layer[]
  /** Rules that apply where no override matches. */
  readonly rules: readonly ActiveRule[]
  /** Exceptions by selector; later ones win. */
  readonly overrides: readonly Override[]
  /** Accepted violations. */
  readonly waivers: readonly PolicyWaiver[]
  /** For how long violations may stay open. */
  readonly due: DueDurations
  /** Fields whose changes are not drift. */
  readonly ignore: readonly IgnoredPath[]
  /** When changes are expected; their names are unique. */
  readonly windows: readonly ChangeWindow[]
  /** Test runs of functions; their names are unique. */
  readonly probes: readonly Probe[]
  /** Rules that apply where these overrides match, by their indexes in the list. */
  rulesUnder(overrides: readonly number[]): readonly ActiveRule[]
  /** A position in a layer (`file:line:column`) as reports name it; null for what no file says. */
  locationOf(this: void, at: string | undefined): FileLocation | null
}

export interface ActiveRule {
  readonly rule: Rule
  /** Replaces the severities that the rule gives; undefined: its own. */
  readonly severity: Severity | undefined
  readonly options: Json
  readonly bound: BoundRule
}

interface Override extends Matcher {
  /** Of its selector, in words. */
  readonly name: string
  readonly layer: Layer
  /** Rules that it names. */
  readonly rules: readonly string[]
  /** Whether it can match a resource of a project at all. */
  reaches(project: ProjectRef, labels: Labels): boolean
}

/** How much a policy has of each. */
export function policySize({ rules, allRules, overrides, waivers, windows, probes }: Policy) {
  return {
    rules: rules.length,
    custom: allRules.filter(({ custom }) => custom !== undefined).length,
    overrides: overrides.length,
    waivers: waivers.length,
    windows: windows.length,
    probes: probes.length,
  }
}

/** `103 rules (1 of its own), 2 overrides, 0 waivers, 0 probes, 3 tests`. `tests`: absent where they are not known. */
export function describePolicySize(size: ReturnType<typeof policySize> & { readonly tests?: number }): string {
  const { rules, custom, overrides, waivers, windows, probes, tests } = size
  return [
    `${count(rules, 'rule')}${custom === 0 ? '' : ` (${custom} of its own)`}`,
    ...[count(overrides, 'override'), count(waivers, 'waiver')],
    // Few policies have change windows.
    ...(windows === 0 ? [] : [count(windows, 'change window')]),
    count(probes, 'probe'),
    ...(tests === undefined ? [] : [count(tests, 'test')]),
  ].join(', ')
}

/** Waivers that no longer accept anything, a sentence each. `now`: milliseconds. */
export function endedWaivers({ facts }: Policy, now: number): readonly string[] {
  return facts.waivers.flatMap(({ rule, owner, expires, configured_at }) => {
    if (Date.parse(expires) > now) return []
    const at = configured_at === null ? '' : `${configured_at.file}:${configured_at.line}: `
    return [`${at}the waiver of ${rule} by ${owner} has accepted nothing since ${formatExpiry(expires)}`]
  })
}

/** What a rule is on or off for. */
export interface RuleTarget {
  readonly project: ProjectRef
  readonly labels: Labels
  readonly resource: Resource
}

/** Every rule that applies to some resource: by default, or under an override that names it. */
export function namedRules(policy: Policy): readonly ActiveRule[] {
  const byId = new Map(policy.rules.map((active) => [active.rule.id, active]))
  for (const [index] of policy.overrides.entries()) {
    for (const active of policy.rulesUnder([index])) if (!byId.has(active.rule.id)) byId.set(active.rule.id, active)
  }
  return [...byId.values()]
}

/** The settings of one layer, by rule; later layers win, rule by rule and option by option. */
export type Layer = ReadonlyMap<string, RuleStatement>

export interface RuleStatement {
  readonly setting: RuleSetting
  /** The kind of layer: `pack recommended`, `rules`, `custom`, `override`. */
  readonly layer: string
  /** `file:line:column`; undefined for defaults. */
  readonly at: string | undefined
}

/** What a rule must see completely before the absence of a finding proves anything. */
export interface Needs {
  readonly kinds: readonly Kind[]
  readonly scope: Rule['scope']
  /** Of a drift rule: what ends its violations. */
  readonly life?: DriftLife | undefined
  /** It reads fields that no history keeps, because they change by themselves. */
  readonly isUnrecorded?: true | undefined
  /** It asks since when a value is there. */
  readonly isDated?: true | undefined
  /** It passes over secrets that the service masks. */
  readonly skipsMasked?: true | undefined
  /** A rule of the policy file: its failure is not a bug of hookdrift. */
  readonly isCustom?: true | undefined
}

/** By rule; without rules that the policy turns off. */
export type RuleNeeds = ReadonlyMap<string, Needs>

export function ruleNeeds(policy: Policy): RuleNeeds {
  return new Map(
    namedRules(policy).map(({ rule: { id, needs, scope, life, unrecorded, skipsMasked, custom }, bound }) => [
      id,
      {
        isDated: bound.scope === 'resource' && bound.dates !== undefined ? true : undefined,
        kinds: needs,
        scope,
        life,
        skipsMasked,
        isUnrecorded: unrecorded && true,
        isCustom: custom && true,
      },
    ]),
  )
}
