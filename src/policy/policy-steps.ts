import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import { canonicalJson } from '../model/canonical-json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { PolicyException, PolicyFacts, RecordedWaiver } from '../model/policy-facts.ts'
import type { FileLocation } from '../model/schema.ts'
import { displayPath } from '../model/text/display-path.ts'
import { isAtLeast, overdueRule, type Severity } from '../model/violation.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import { compileWindow, recordWindow } from './change-window.ts'
import { importCompiler, type LoadCompiler } from './expression-compiler.ts'
import type { ActiveRule, Layer, Policy, RuleStatement } from './policy.ts'
import { type ParsedPolicy, type PolicyReader, readParsedPolicy } from './read-parsed-policy.ts'
import { describeSelector, matcherOf, reachOf, type Selector } from './selector.ts'
import type { Steps } from './steps.ts'
import { compileWaiver } from './waiver.ts'

/**
 * Reads the policy of a file, or the `recommended` pack without one, in steps of a second at most: a file may be made to
 * take long. `now`: milliseconds, from which waivers may not last too long; undefined: unchecked. `mask`: takes secrets out of what
 * the policy says.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function* policySteps(
  file: string | undefined,
  readFile: (file: string) => string,
  now = Number.POSITIVE_INFINITY,
  loadCompiler: LoadCompiler = importCompiler,
  mask: PolicyReader['mask'] = (text) => text,
): Steps<Policy> {
  const workingDirectory = resolve()
  const parsed = yield* readParsedPolicy(file, { readFile, now, loadCompiler, mask })
  const { layers, overrides, waivers, custom, probes, due, ignore, windows } = parsed
  yield
  const allRules = [...rules, ...custom.map(({ rule }) => rule)]
  // Without due dates, nothing is ever overdue: the rule would evaluate nothing.
  const evaluated = Object.keys(due).length > 0 ? allRules : allRules.filter(({ id }) => id !== overdueRule)
  const rulesUnder = (indexes: readonly number[]) =>
    activateRules(evaluated, [...layers, ...indexes.flatMap((index) => overrides[index]?.layer ?? [])])
  const active = rulesUnder([])
  const matched: Policy['overrides'][number][] = []
  for (const [index, { match, layer }] of overrides.entries()) {
    if (index % stepSize === 0) yield
    matched.push({
      name: describeSelector(match),
      layer,
      rules: [...layer.keys()],
      reaches: reachOf(match),
      ...matcherOf(match),
    })
  }
  yield
  return {
    digest: digestOf(active, parsed),
    facts: describePolicy((at) => locationOf(at, workingDirectory), {
      ...parsed,
      candidates: evaluated,
      rules: active,
    }),
    probes,
    due,
    ignore,
    windows: windows.map(compileWindow),
    file: file && displayPath(workingDirectory, file),
    locationOf: (at) => locationOf(at, workingDirectory),
    allRules,
    layers,
    rules: active,
    waivers: waivers.map(({ written }) => compileWaiver(written)),
    overrides: matched,
    rulesUnder,
  }
}

/** Selectors compiled at a time. */
const stepSize = 100

function digestOf(
  active: readonly ActiveRule[],
  { custom, overrides, waivers, probes, due, ignore, windows }: ParsedPolicy,
): string {
  const decides = active.map(({ rule, severity, options }): Json => {
    return [rule.id, severity ?? null, rule.custom?.source ?? options]
  })
  // Selectors and settings are decoded values of the policy file.
  const exceptions = overrides.map(({ match, layer }): Json => {
    const settings = [...layer].map(([id, { setting }]) => [id, setting as Json] as const)
    return [match as Json, Object.fromEntries(settings)]
  })
  const evaluates = exceptions.length === 0 ? decides : [decides, exceptions]
  const written: unknown = waivers.map(({ written }) => written)
  const waives: Json = waivers.length === 0 ? evaluates : [evaluates, written as Json]
  const activeIds = new Set(active.map(({ rule }) => rule.id))
  const ofOverrides = custom.filter(
    ({ rule: { id } }) => !activeIds.has(id) && overrides.some(({ layer }) => layer.has(id)),
  )
  const parts = {
    custom: ofOverrides.map(({ rule }) => [rule.id, rule.custom?.source ?? null]),
    probes: probes.map(({ said }) => said),
    due,
    ignore: ignore.map(({ path }) => path).sort(),
    windows,
  }
  // What a policy does not use is not in its digest, so that it keeps the one of earlier releases.
  const used = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0)
  // The schema's values are JSON.
  const more = Object.fromEntries(used) as unknown as JsonObject
  return hash('sha256', canonicalJson(used.length === 0 ? waives : [waives, more]))
}

interface DescribedPolicy extends Pick<ParsedPolicy, 'layers' | 'overrides' | 'waivers' | 'ignore' | 'windows'> {
  readonly candidates: readonly Rule[]
  /** Rules that apply where no override matches. */
  readonly rules: readonly ActiveRule[]
}

/** Where a policy asks for less than its packs do. */
function describePolicy(locationOf: Policy['locationOf'], policy: DescribedPolicy): PolicyFacts {
  const exceptions = [...rulesOff(policy, locationOf), ...overridesOf(policy, locationOf)]
  const ignored = policy.ignore
    .map(({ path, at }) => ({ path, configured_at: locationOf(at) }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return {
    packs: packsOf(policy.layers),
    exceptions: exceptions.sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)),
    waivers: policy.waivers.map(({ written, at }): RecordedWaiver => {
      const { rule, terms } = compileWaiver(written)
      return { ...terms, rule, projects: projectsOf(written.match), configured_at: locationOf(at) }
    }),
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(policy.windows.length === 0 ? {} : { windows: policy.windows.map(recordWindow) }),
  }
}

/** `at`: `FILE:LINE:COLUMN`. */
function locationOf(at: string | undefined, workingDirectory: string): FileLocation | null {
  if (at === undefined) return null
  const [line = '', ...file] = at.split(':').slice(0, -1).reverse()
  return { file: displayPath(workingDirectory, file.reverse().join(':')), line: Number(line) }
}

/** A rule of no pack was never asked for; one that a file switches off was. */
function rulesOff({ layers, candidates, rules }: DescribedPolicy, locationOf: Policy['locationOf']): PolicyException[] {
  const active = new Set(rules.map(({ rule }) => rule.id))
  return candidates.flatMap(({ id }) => {
    const statement = active.has(id) ? undefined : layers.findLast((layer) => layer.has(id))?.get(id)
    if (statement === undefined || settingOf(statement) !== 'off') return []
    const configured_at = locationOf(statement.at)
    return [{ kind: 'rule_off', rule: id, setting: 'off', match: null, projects: null, configured_at }]
  })
}

function settingOf({ setting }: RuleStatement): 'off' | Severity | 'options' {
  if (typeof setting === 'string') return setting
  const { severity, ...options } = setting
  if (severity === 'off') return 'off'
  const hasOptions = Object.values(options).some((value) => value !== undefined)
  return hasOptions || severity === undefined ? 'options' : severity
}

/** Overrides that ask for less: off, a milder severity, or other options. */
function overridesOf(
  { overrides, rules, candidates }: DescribedPolicy,
  locationOf: Policy['locationOf'],
): PolicyException[] {
  const severities = new Map(rules.map(({ rule, severity }) => [rule.id, severity ?? rule.severity]))
  const isKnown = new Set(candidates.map(({ id }) => id))
  return overrides.flatMap(({ match, layer }) =>
    [...layer].flatMap(([rule, said]): PolicyException[] => {
      const usual = severities.get(rule)
      const setting = settingOf(said)
      // It switches on what is off elsewhere, or is stricter than the policy is elsewhere.
      if (usual === undefined || !isKnown.has(rule) || isStricter(setting, usual)) return []
      const projects = projectsOf(match)
      const configuredAt = locationOf(said.at)
      return [
        { kind: 'override', rule, setting, match: describeSelector(match), projects, configured_at: configuredAt },
      ]
    }),
  )
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

function packsOf(layers: readonly Layer[]): readonly string[] {
  const names = layers.flatMap((layer) => [...layer.values()].slice(0, 1).map((said) => said.layer))
  return [...new Set(names.flatMap((name) => (name.startsWith('pack ') ? [name.slice('pack '.length)] : [])))]
}

/** Folds what the layers say of each rule. Naming a rule switches it on; `off` takes everything before it away. */
function activateRules(rules: readonly Rule[], layers: readonly Layer[]): readonly ActiveRule[] {
  return rules.flatMap((rule) => {
    const setting = foldSettings(rule, layers)
    if (setting === undefined) return []
    const options = rule.options.parse(setting.options)
    // Options are decoded values of the policy file: JSON by their schemas.
    return [{ rule, severity: setting.severity, options: options as Json, bound: rule.bind(options) }]
  })
}

function foldSettings(rule: Rule, layers: readonly Layer[]) {
  let setting: { severity: Severity | undefined; options: Record<string, unknown> } | undefined
  for (const layer of layers) {
    const said = layer.get(rule.id)?.setting
    if (said === undefined) continue
    const { severity, ...options } = typeof said === 'string' ? { severity: said } : said
    if (severity === 'off') setting = undefined
    else {
      setting = { severity: severity ?? setting?.severity, options: { ...setting?.options, ...given(options) } }
    }
  }
  return setting
}

function given(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
