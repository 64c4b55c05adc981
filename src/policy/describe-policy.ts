import type { PolicyException, PolicyFacts, RecordedWaiver } from '../model/policy-facts.ts'
import { isAtLeast, type Severity } from '../model/violation.ts'
import type { Rule } from '../rules/engine/rule.ts'
import type { Layer, RuleStatement } from './layer.ts'
import type { ParsedPolicy } from './parsed-policy.ts'
import type { ActiveRule, Policy } from './policy.ts'
import { describeSelector, type Selector } from './selector.ts'
import { compileWaiver } from './waiver.ts'

interface DescribedPolicy extends Pick<ParsedPolicy, 'layers' | 'overrides' | 'waivers'> {
  readonly known: readonly Rule[]
  /** Rules that apply where no override matches. */
  readonly rules: readonly ActiveRule[]
}

type PlaceOf = Policy['placeOf']

/** Where a policy asks for less than its packs do. */
export function describePolicy(placeOf: PlaceOf, policy: DescribedPolicy): PolicyFacts {
  const exceptions = [...rulesOff(policy, placeOf), ...overridesOf(policy, placeOf)]
  return {
    packs: packsOf(policy.layers),
    exceptions: exceptions.sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)),
    waivers: policy.waivers.map(({ written, at }): RecordedWaiver => {
      const { rule, terms } = compileWaiver(written)
      return { ...terms, rule, configuredAt: placeOf(at) }
    }),
  }
}

function packsOf(layers: readonly Layer[]): readonly string[] {
  const names = layers.flatMap((layer) => [...layer.values()].slice(0, 1).map((said) => said.layer))
  return [...new Set(names.flatMap((name) => (name.startsWith('pack ') ? [name.slice('pack '.length)] : [])))]
}

/** A rule of no pack was never asked for; one that a file switches off was. */
function rulesOff({ layers, known, rules }: DescribedPolicy, placeOf: PlaceOf): PolicyException[] {
  const active = new Set(rules.map(({ rule }) => rule.id))
  return known.flatMap(({ id }) => {
    const said = active.has(id) ? undefined : layers.findLast((layer) => layer.has(id))?.get(id)
    if (said === undefined || settingOf(said) !== 'off') return []
    const configuredAt = placeOf(said.at)
    return [{ kind: 'rule_off', rule: id, setting: 'off', match: null, projects: null, configuredAt }]
  })
}

/** Overrides that ask for less: off, a milder severity, or other options. */
function overridesOf({ overrides, rules, known }: DescribedPolicy, placeOf: PlaceOf): PolicyException[] {
  const severities = new Map(rules.map(({ rule, severity }) => [rule.id, severity ?? rule.severity]))
  const isKnown = new Set(known.map(({ id }) => id))
  return overrides.flatMap(({ match, layer }) =>
    [...layer].flatMap(([rule, said]): PolicyException[] => {
      const usual = severities.get(rule)
      const setting = settingOf(said)
      // It switches on what is off elsewhere, or is stricter than the policy is elsewhere.
      if (usual === undefined || !isKnown.has(rule) || isStricter(setting, usual)) return []
      const projects = projectsOf(match)
      const configuredAt = placeOf(said.at)
      return [{ kind: 'override', rule, setting, match: describeSelector(match), projects, configuredAt }]
    }),
  )
}

function settingOf({ setting }: RuleStatement): 'off' | Severity | 'options' {
  if (typeof setting === 'string') return setting
  const { severity, ...options } = setting
  if (severity === 'off') return 'off'
  const hasOptions = Object.values(options).some((value) => value !== undefined)
  return hasOptions || severity === undefined ? 'options' : severity
}

function isStricter(setting: ReturnType<typeof settingOf>, usual: Severity): boolean {
  return setting !== 'off' && setting !== 'options' && isAtLeast(setting, usual)
}

/** Both patterns must match, so one that names the project says more than one that names its service. */
function projectsOf({ project, service }: Selector): readonly string[] | null {
  if (project !== undefined) return typeof project === 'string' ? [project] : project
  if (service === undefined) return null
  return (typeof service === 'string' ? [service] : service).map((name) => `${name}/*`)
}
