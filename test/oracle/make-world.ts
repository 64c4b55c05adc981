import { composeReport } from '../../src/audit/compose-report.ts'
import type { Channel } from '../../src/config/configuration.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import type { Filters, Offer } from '../../src/gateway/service/settings.ts'
import type { History } from '../../src/history/history.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { Report } from '../../src/model/report.ts'
import { type FailOn, type Severity, severities } from '../../src/model/violation.ts'
import { composeRunNotifications } from '../../src/notify/compose-messages.ts'
import type { Message } from '../../src/notify/message.ts'
import type { Compliance } from '../../src/report/compliance/compliance.ts'
import { builtInFramework, type Framework } from '../../src/report/compliance/framework.ts'
import { assessRun } from '../../src/report/compliance/gather-compliance.ts'
import { rules as builtInRules } from '../../src/rules/rules.ts'
import { openAuditHarness } from '../audit/audit-harness.ts'
import { acceptViolation } from '../audit/fleet-fixture.ts'
import { type BaselineAnswer, type SignedRequest, startApprovals } from './random-approvals.ts'
import { type Unreadable, withholdField } from './random-faults.ts'
import { startRandomFleet } from './random-fleet.ts'
import { randomFramework } from './random-framework.ts'
import { type Exceptions, knownRules, type PolicyLines, type Rules } from './random-policy.ts'
import { type Recorded, startRecordingProxy } from './recording-proxy.ts'

type Violation = Report['violations'][number]
interface AcceptedPlace extends Pick<Violation, 'project' | 'rule' | 'kind' | 'uid' | 'path'> {
  readonly at: string
}

/** Rules that read one field, which is what a violation of them is accepted with. */
const accepted: ReadonlySet<string> = new Set([
  ...['endpoint/url-not-https', 'endpoint/url-raw-ip', 'endpoint/timeout-high', 'endpoint/timeout-low'],
  ...['endpoint/inactive', 'subscription/type-cli'],
])

/** All that the oracle gets: what was requested, and what the service answered. */
export interface World {
  readonly seed: string
  /** uids by `service/project`. */
  readonly projects: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** As `hookdrift rules` lists them. */
  readonly catalogue: Readonly<Record<string, { readonly kind: string; readonly severity: Severity }>>
  /** The first is the one that every run is reported by, the last run also by the others. */
  readonly frameworks: readonly Framework[]
  /** Webhooks; the first is notified of everything. `projects`: all where it is empty. */
  readonly channels: readonly {
    readonly name: string
    readonly min_severity: Severity
    readonly projects: readonly string[]
  }[]
  readonly runs: readonly {
    readonly started_at: string
    /** Names of the projects that were scanned. */
    readonly scanned: readonly string[]
    readonly listings: Readonly<Partial<Record<'sources' | 'project' | 'filters' | 'event_types', Offer>>>
    readonly filters: Filters
    /** Of how many subscriptions of a project filter rows are read at most. */
    readonly filters_per_run: number
    readonly accepts_removals: boolean
    readonly rules: Rules
    readonly exceptions: Exceptions
    readonly policy_lines: PolicyLines
    readonly fail_on: FailOn
    /** Violations that a person accepted before it. */
    readonly accepted: readonly AcceptedPlace[]
    /** What a person asked of approved states before it. */
    readonly baselines: readonly SignedRequest[]
    readonly exchanges: readonly Recorded[]
    /** What no rule can rely on in it: then it is the last run, and only controls are compared. */
    readonly unreadable?: Unreadable
  }[]
}

/** What hookdrift said, run by run. */
export interface Said {
  readonly reports: readonly Report[]
  /** Of what people asked of approved states before it. */
  readonly baselines: readonly (readonly BaselineAnswer[])[]
  /** Its reports by control, asked for after the last run. */
  readonly controls: readonly (readonly Compliance[])[]
  /** By the name of a channel, the message about the run; null for none. */
  readonly messages: readonly Readonly<Record<string, Message | null>>[]
}

/** What there is after each run. */
export interface AfterRun {
  readonly history: History
  readonly report: Report
  /** By the name of a channel; null for none. */
  readonly messages: Readonly<Record<string, Message | null>>
  /** Of a channel that gets everything, and had no message before. */
  readonly newcomer: Message | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * A random fleet, audited several times while it changes and breaks. `openHistory`: where it is not a file. `onRun`:
 * called after each run.
 */
export async function makeWorld(
  seed: string,
  openHistory?: () => Promise<History>,
  onRun?: (after: AfterRun) => Promise<void>,
): Promise<{ world: World; said: Said }> {
  const random = createRandom(`oracle/${seed}`)
  await using world = await startRandomFleet(seed, random, { projects: 1 + random.below(3), readsRows: true })
  const { service, projects, listings, labels } = world
  await using proxy = await startRecordingProxy(service.url)
  await using harness = openAuditHarness({ ...world, limits: { retries: 1 }, ...(openHistory && { openHistory }) })
  const nextTurn = world.begin()
  const askOfBaselines = startApprovals(createRandom(`oracle/${seed}/approvals`))
  const runs: World['runs'][number][] = []
  const reports: Report[] = []
  const baselines: (readonly BaselineAnswer[])[] = []
  let waiting: AcceptedPlace[] = []
  const withheld = createRandom(`oracle/${seed}/withheld`)
  const channels = drawChannels(createRandom(`oracle/${seed}/channels`), Object.keys(projects))
  const messages: Readonly<Record<string, Message | null>>[] = []

  async function auditOnce(isReadable: boolean): Promise<void> {
    const { waitMs, rules, exceptions, policyLines, ...turn } = nextTurn()
    const unreadable = isReadable ? undefined : withholdField(service, withheld)
    harness.advance(waitMs)
    const now = harness.clock.now()
    const { requests, answers } = isReadable
      ? await harness.withHistory((history) => askOfBaselines(history, reports, now))
      : { requests: [], answers: [] }
    baselines.push(answers)
    const startedAt = new Date(harness.clock.now() + 60_000).toISOString()
    const { compose, readMessages, readNewcomer } = recordMessages(channels)
    const report = await harness.audit({ ...turn, url: proxy.url, compose })
    const composed = readMessages()
    reports.push(report)
    messages.push(composed)
    if (onRun !== undefined) {
      const after = { report, messages: composed, newcomer: readNewcomer(), now: harness.clock.now() }
      await harness.withHistory((history) => onRun({ history, ...after }))
    }
    runs.push({
      started_at: startedAt,
      scanned: turn.only,
      listings: { ...listings, ...turn.listings },
      filters: turn.filters,
      filters_per_run: turn.filtersPerRun ?? 2000,
      accepts_removals: turn.acceptsRemovals,
      rules,
      exceptions,
      policy_lines: policyLines,
      fail_on: turn.failOn,
      accepted: waiting,
      baselines: requests,
      exchanges: await proxy.take(),
      ...(unreadable === undefined ? {} : { unreadable }),
    })
    waiting = await acceptSome(reports.at(-1))
  }

  for (let left = 3 + random.below(4); left > 0; left--) await auditOnce(true)
  if (withheld.chance(0.6)) await auditOnce(false)
  async function acceptSome(report: Report | undefined): Promise<AcceptedPlace[]> {
    const open =
      report?.violations.filter(({ rule, state }) => accepted.has(rule) && /opened|continuing/.test(state)) ?? []
    const chosen = open.filter(() => random.chance(0.15))
    for (const violation of chosen) if (report !== undefined) await acceptViolation(harness, report, violation)
    const at = new Date(harness.clock.now()).toISOString()
    return chosen.map(({ project, rule, kind, uid, path }) => ({ project, rule, kind, uid, path, at }))
  }
  const frameworks = [randomFramework(createRandom(`oracle/${seed}/framework`)), builtInFramework('soc2')]
  const controls = await harness.withHistory(async (history) => {
    const ofRuns: (readonly Compliance[])[] = []
    for (const { run } of reports) {
      const assessed: Compliance[] = []
      // The long one takes long.
      const chosen = run.number === reports.length ? frameworks : frameworks.slice(0, 1)
      for (const framework of chosen) assessed.push(await assessRun(history, framework, run.number, composeReport))
      ofRuns.push(assessed)
    }
    return ofRuns
  })

  const named = Object.fromEntries(Object.entries(projects).map(([name, uid]) => [`acme/${name}`, uid]))
  const catalogue = Object.fromEntries(
    builtInRules
      .filter(({ id }) => knownRules.includes(id))
      .map(({ id, kind, severity }) => [id, { kind, severity }] as const),
  )
  return {
    world: { seed, projects: named, labels, catalogue, frameworks, channels, runs },
    said: { reports, baselines, controls, messages },
  }
}

function drawChannels(random: Random, names: readonly string[]): World['channels'] {
  const projects = names.filter(() => random.chance(0.5)).map((name) => `acme/${name}`)
  return [
    { name: 'all', min_severity: 'info', projects: [] },
    { name: 'some', min_severity: severities[random.below(severities.length)] ?? 'info', projects },
  ]
}

/** Composes messages as a run commits them, and remembers those of the last try. */
function recordMessages(channels: World['channels']) {
  let composed: ReturnType<ComposeNotifications> = []
  let toNewcomer: ReturnType<ComposeNotifications> = []
  const hooks = channels.map(
    ({ name, min_severity, projects }): Channel => ({
      ...{ name, min_severity, type: 'webhook', url: 'http://127.0.0.1:9/', secret: 'not-a-real-secret' },
      projects: [...projects],
    }),
  )
  const composeAll = composeRunNotifications(hooks)
  const compose: ComposeNotifications = (record, before) => {
    composed = composeAll?.(record, before) ?? []
    toNewcomer = composeAll?.(record, { ...before, isFirst: false, channels: [] }) ?? []
    return composed
  }
  const readMessages = () => {
    const bodies = new Map(composed === 'later' ? [] : composed.map(({ channel, body }) => [channel, body]))
    return Object.fromEntries(
      channels.map(({ name }): [string, Message | null] => [name, JSON.parse(bodies.get(name) ?? 'null')]),
    )
  }
  const readNewcomer = (): Message | null =>
    JSON.parse((toNewcomer !== 'later' && toNewcomer.find(({ channel }) => channel === 'all')?.body) || 'null')
  return { compose, readMessages, readNewcomer }
}
