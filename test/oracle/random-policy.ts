import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { Random } from '../../src/demo/random.ts'
import { type Severity, severities } from '../../src/model/violation.ts'

/** Rules with the options that the oracle gets. */
export type Rules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The rules that the oracle knows, with the options that a world may set. */
const optionsByRule: Readonly<Record<string, Readonly<Record<string, readonly [unknown, ...unknown[]]>>>> = {
  'endpoint/secret-missing': {},
  'endpoint/secret-expired-active': { max_days: [7, 1, 0] },
  'endpoint/secret-too-many': { max_secrets: [2, 1] },
  'endpoint/secret-stale': { max_days: [365, 30] },
  'endpoint/secret-shared': {},
  'endpoint/signature-simple': {},
  'endpoint/url-not-https': {},
  'endpoint/url-metadata-address': {},
  'endpoint/url-private-address': {},
  'endpoint/url-raw-ip': {},
  'endpoint/url-odd-port': { allow_ports: [[443, 8443], [443]] },
  'endpoint/url-credentials': {},
  'endpoint/url-duplicate': {},
  'endpoint/timeout-low': { min_seconds: [5, 2] },
  'endpoint/timeout-high': { max_seconds: [60, 10] },
  'endpoint/rate-limit-ineffective': {},
  'endpoint/rate-limit-absent': {},
  'endpoint/rate-limit-low': { min_per_minute: [1, 50] },
  'endpoint/inactive': {},
  'endpoint/paused-long': { max_hours: [24, 2] },
  'endpoint/status-unknown': {},
  'endpoint/failure-rate-high': { max_percent: [20, 50] },
  'endpoint/alert-contact-missing': {},
  'endpoint/owner-missing': {},
  'endpoint/orphan': {},
  'endpoint/auth-mismatch': {},
  'endpoint/auth-over-http': {},
  'endpoint/auth-shared': {},
  'subscription/target-missing': {},
  'subscription/target-not-active': {},
  'subscription/duplicate': {},
  'subscription/wildcard': {},
  'subscription/wildcard-mixed': {},
  'subscription/event-type-odd': {},
  'subscription/event-type-deprecated': {},
  'subscription/no-filter': {},
  'subscription/filter-diverges': {},
  'subscription/filter-off': {},
  'subscription/filter-unsatisfiable': {},
  'subscription/type-cli': {},
  'subscription/at-most-once': {},
  'subscription/settings-ignored': {},
  'source/unverified': {},
  'source/disabled': {},
  'source/verifier-broken': {},
  'source/verifier-shared': {},
  'source/verifier-replayable': {},
  'source/idempotency-missing': {},
  'source/dead-letter-missing': {},
  'source/settings-ignored': {},
  'project/retry-hammering': {},
  'project/retry-short': { min_retries: [3, 7] },
  'project/tls-not-enforced': {},
  'project/disable-hair-trigger': {},
  'project/settings-ignored': {},
  'project/signature-broken': {},
  'project/meta-event-insecure': {},
  'project/vanished': {},
  'project/mass-removal': { max_percent: [30, 10], max_resources: [10, 1, 3] },
  'drift/authentication-lost': {},
  'drift/verification-weakened': {},
  'drift/url-host-changed': {},
  'drift/rate-limit-lost': {},
  'drift/filter-removed': {},
  'drift/filter-widened': {},
  'drift/function-changed': {},
  'drift/secret-changed': {},
  'drift/signature-changed': {},
  'drift/project-weakened': {},
  'drift/unexpected': {},
  'drift/flapping': { min_changes: [3, 2], within_hours: [24, 1, 200] },
}

/** The names of these rules. */
export const knownRules: readonly string[] = Object.keys(optionsByRule)

/** Rules of which the severity of a finding depends on what is found, unless the policy says it. */
const ratingByThemselves: ReadonlySet<string> = new Set([
  ...['endpoint/secret-missing', 'endpoint/secret-shared', 'endpoint/url-credentials', 'endpoint/url-private-address'],
  ...['endpoint/failure-rate-high', 'source/disabled', 'source/verifier-shared', 'project/tls-not-enforced'],
  ...['drift/verification-weakened', 'drift/function-changed', 'drift/signature-changed', 'drift/unexpected'],
  ...['project/disable-hair-trigger', 'project/retry-short', 'project/signature-broken', 'source/unverified'],
])

/** Most of the rules, some of them with options of their own. */
export function randomPolicy(random: Random, severityRandom: Random): Rules {
  const share = random.pick([1, 1, 0.9, 0.6])
  const chosen = knownRules.filter(() => random.chance(share))
  return Object.fromEntries(
    chosen.map((rule) => [rule, { ...optionsOf(rule, random), ...severityOf(rule, severityRandom) }]),
  )
}

/** The same rules with the same severities, and other options: some ask for less, some for more. */
export function withOtherOptions(rules: Rules, random: Random): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([rule, said]) => [rule, { ...said, ...optionsOf(rule, random) }]),
  )
}

function optionsOf(rule: string, random: Random): Readonly<Record<string, unknown>> {
  const options = Object.entries(optionsByRule[rule] ?? {})
  return Object.fromEntries(options.map(([name, choices]) => [name, random.pick([choices[0], ...choices])]))
}

function severityOf(rule: string, random: Random): { readonly severity?: Severity } {
  return ratingByThemselves.has(rule) || random.chance(0.15) ? { severity: random.pick(severities) } : {}
}

/** The same policy but for some rules that are off now. */
export function withoutSome(rules: Rules, random: Random): Rules {
  return Object.fromEntries(Object.entries(rules).filter(() => random.chance(0.9)))
}

/** What a waiver or an override is for; each member must hold. */
export interface Selected {
  readonly project?: string
  readonly kind?: string
  readonly uid?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** What a policy says of some resources only. */
export interface Exceptions {
  readonly overrides: readonly {
    readonly match: Selected
    readonly rules: Readonly<Record<string, 'off' | Readonly<Record<string, unknown>>>>
  }[]
  readonly waivers: readonly { readonly rule: string; readonly match: Selected; readonly expires: string }[]
}

/** Rules that evaluate or compare one resource at a time: an override changes their options for some. */
const overridden = [
  ...['endpoint/secret-missing', 'endpoint/secret-too-many', 'endpoint/url-not-https', 'endpoint/url-raw-ip'],
  ...['endpoint/timeout-high', 'endpoint/timeout-low', 'endpoint/rate-limit-absent', 'endpoint/inactive'],
  ...['endpoint/paused-long', 'endpoint/owner-missing', 'subscription/wildcard', 'subscription/type-cli'],
  ...['subscription/settings-ignored', 'source/unverified'],
  ...['drift/authentication-lost', 'drift/secret-changed', 'drift/unexpected', 'drift/flapping'],
  ...['subscription/filter-off', 'subscription/filter-diverges'],
] as const

/** Around the days of the runs. */
const expiries = [
  '2026-11-20',
  '2026-11-21',
  '2026-11-22',
  '2026-11-29',
  '2026-12-10',
  '2026-11-22T09:00:00+01:00',
] as const

export function randomExceptions(fleet: SimulatedFleet, random: Random, severityRandom: Random): Exceptions {
  const some = <Value>(most: number, make: () => Value) => Array.from({ length: random.below(most + 1) }, make)
  return {
    overrides: some(3, () => {
      const rules = some(2, () => random.pick(overridden)).map(
        (rule) => [rule, overrideOf(rule, random, severityRandom)] as const,
      )
      return { match: selectedBy(fleet, random), rules: Object.fromEntries(rules) }
    }),
    waivers: some(4, () => ({
      rule: random.pick(['endpoint/*', 'endpoint/url-*', 'drift/*', 'subscription/*', 'project/*', ...overridden]),
      match: selectedBy(fleet, random),
      expires: random.pick(expiries),
    })),
  }
}

function overrideOf(rule: string, random: Random, severityRandom: Random): 'off' | Readonly<Record<string, unknown>> {
  if (random.chance(0.5)) return 'off'
  const severity = severityRandom.chance(0.5) ? { severity: severityRandom.pick(severities) } : {}
  return { ...optionsOf(rule, random), ...severity }
}

function selectedBy(fleet: SimulatedFleet, random: Random): Selected {
  const project = random.pick(['acme/*', ...fleet.projects().map(({ name }) => `acme/${name}`)] as const)
  const [first] = fleet.projects()
  const endpoints = first === undefined ? [] : fleet.open(first.uid).endpoints
  const endpoint = endpoints[random.below(Math.max(1, endpoints.length))]
  return random.pick<() => Selected>([
    () => ({ project }),
    () => ({ kind: random.pick(['endpoint', 'subscription', 'source', 'project']) }),
    () => ({ labels: { env: random.pick(['prod', 'test']) } }),
    () => ({ project, kind: 'endpoint', ...(endpoint && { uid: endpoint.uid }) }),
    () => ({ project, labels: { env: 'prod' } }),
  ])()
}

/** A policy as a person writes it, and on which line it says what. */
export interface WrittenPolicy {
  readonly text: string
  readonly lines: PolicyLines
}

export interface PolicyLines {
  /** Also of rules that are named to switch them off. */
  readonly rules: Readonly<Record<string, number>>
  /** By the place of an override, then by rule. */
  readonly overrides: readonly Readonly<Record<string, number>>[]
}

/** Writes each statement on a line of its own. `off`: rules that are named to switch them off. */
export function writePolicy(rules: Rules, off: readonly string[], exceptions: Exceptions): WrittenPolicy {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  const writeStatements = (statements: readonly (readonly [string, unknown])[]) =>
    Object.fromEntries(
      statements.map(([rule, said], at) => {
        const comma = at === statements.length - 1 ? '' : ','
        return [rule, write(`    ${JSON.stringify(rule)}: ${JSON.stringify(said)}${comma}`)]
      }),
    )
  write('{ "extends": [],')
  write('  "rules": {')
  const ofRules = writeStatements([...Object.entries(rules), ...off.map((rule) => [rule, 'off'] as const)])
  write('  },')
  write('  "overrides": [')
  const ofOverrides = exceptions.overrides.map(({ match, rules: said }, at) => {
    write(`  { "match": ${JSON.stringify(match)}, "rules": {`)
    const written = writeStatements(Object.entries(said))
    write(at === exceptions.overrides.length - 1 ? '  } }' : '  } },')
    return written
  })
  write('  ],')
  const signed = exceptions.waivers.map((waiver) => ({ ...waiver, owner: 'team', reason: 'moves' }))
  write(`  "waivers": ${JSON.stringify(signed)} }`)
  return { text: `${lines.join('\n')}\n`, lines: { rules: ofRules, overrides: ofOverrides } }
}
