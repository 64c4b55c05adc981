import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Report } from '../../model/report.ts'
import type { ProjectListing } from '../../model/resource.ts'
import { addRun, emptyFleetStatus, type FleetStatus, openViolations, seenWholeAt } from './fleet-status.ts'
import { type SkipReason, skipReasons } from './keep-schedule.ts'
import type { RecordedPast } from './read-past.ts'

/** The metrics, as Prometheus reads them. Labels are names of the configuration and fixed words, never a uid. */
export interface Metrics {
  /** Other parts register their own metrics here. */
  readonly registry: Registry
  /** The schedules in force, each with its next tick in milliseconds since the epoch. */
  planned(upcoming: ReadonlyMap<string, number>): void
  skipped(schedule: string, reason: SkipReason, ticks: number): void
  started(schedule: string): void
  /** Called when a run was committed. */
  ended(schedule: string, report: Report): void
  failed(schedule: string): void
  /** This worker has no run under way any longer, also where another one goes on with it. */
  leftToOthers(): void
  /** Another worker that shares the runs of the history committed one. */
  committedElsewhere(): void
  page(listing: ProjectListing, durationMs: number): void
  reloaded(isGood: boolean): void
  /** The state of the channels, including configured ones that never had a message. */
  channels(states: readonly NotifiedChannel[]): void
  /** Called after each attempt to deliver a notification. */
  attempted(channel: string, outcome: AttemptOutcome): void
  /** Takes the results of earlier runs: fills the gauges and counts nothing. */
  remember(past: RecordedPast): void
  /** Forgets all projects but these, by name. */
  keepOnly(projects: ReadonlySet<string>): void
  /** Adds the projects that are not known yet. */
  fillIn(past: RecordedPast): void
}

export interface NotifiedChannel {
  readonly name: string
  readonly pending: number
  readonly dead: number
  readonly isGone: boolean
}

export const attemptOutcomes = ['delivered', 'failed'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

export function openMetrics({
  version,
  historyBytes,
}: {
  readonly version: string
  /** Size of the history in bytes, with its companion files; undefined where its server does not answer. */
  readonly historyBytes: () => Promise<number | undefined>
}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `hookdrift_${name}`, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `hookdrift_${name}`, help, labelNames, registers })

  const info = gauge('info', 'Always 1; the version of hookdrift is a label', ['version'])
  const lastSuccess = gauge(
    'last_success_timestamp_seconds',
    'Since when, at the latest, all of the project was seen: the oldest of its last complete walks',
    ['project'],
  )
  const lastComplete = gauge(
    'last_complete_walk_timestamp_seconds',
    'When the last run ended that walked the listing to its end',
    ['project', 'listing'],
  )
  const walks = gauge('walks', '1 for what the last walk of a listing proved', ['project', 'listing', 'status'])
  const violations = gauge(
    'open_violations',
    'Open violations; what the last scan could not check counts as it was before',
    ['severity', 'rule'],
  )
  const unknown = gauge('unknown_violations', 'Of the open violations, those that the last scan could not check', [
    'severity',
    'rule',
  ])
  const byProject = gauge('project_open_violations', 'Open violations of a project', ['project', 'severity'])
  const oldestOpen = gauge(
    'oldest_open_violation_timestamp_seconds',
    'When the oldest open violation of a project was first seen',
    ['project', 'severity'],
  )
  const overdue = gauge(
    'overdue_violations',
    'Open violations of a project that were past their due date when it was last scanned',
    ['project', 'severity'],
  )
  const drift = gauge('drift', 'Changes that the last run found in a project', ['project', 'change'])
  const lastRun = gauge('last_run_timestamp_seconds', 'When the last run was committed')
  const exitCode = gauge('last_run_exit_code', 'Exit code of the last committed run: 0, 1, 3, 4, 130 or 143')
  const nextTick = gauge('next_tick_timestamp_seconds', 'When the next tick of a schedule comes, jitter included', [
    'schedule',
  ])
  const underWay = gauge('run_in_progress', '1 while a run is under way')
  const failures = gauge('consecutive_failures', 'Runs in a row that an error ended; three make the worker not ready')
  const reloadFailed = gauge('reload_failed', '1 while the files are broken and those read before are in force')
  const runs = counter('runs_total', 'Runs by what they came to', ['schedule', 'outcome'])
  const skipped = counter('ticks_skipped_total', 'Ticks that had no run of their own', ['schedule', 'reason'])
  const requests = counter('requests_total', 'Requests to the services, retries included', ['project'])
  const retries = counter('retries_total', 'Requests that were sent again', ['project'])
  const waiting = gauge('notifications_pending', 'Messages that wait for their delivery', ['channel'])
  const givenUp = gauge('notifications_dead', 'Messages of the last 30 days that were given up', ['channel'])
  const gone = gauge('notification_channel_gone', '1 while a receiver that answered 410 is not tried', ['channel'])
  const attempts = counter('notification_attempts_total', 'Attempts to deliver a message', ['channel', 'outcome'])
  const runSeconds = new Histogram({
    name: 'hookdrift_run_duration_seconds',
    help: 'How long runs take, from their beginning to the commit',
    labelNames: ['schedule'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
    registers,
  })
  const pageSeconds = new Histogram({
    name: 'hookdrift_page_duration_seconds',
    help: 'How long the run waited for a page, retries included; the next page is on its way while one is evaluated',
    labelNames: ['listing'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  })
  new Gauge({
    name: 'hookdrift_history_bytes',
    help: 'Size of the history with the files that belong to it',
    registers,
    async collect() {
      const bytes = await historyBytes()
      if (bytes === undefined) this.remove()
      else this.set(bytes)
    },
  })
  info.set({ version }, 1)
  // They begin at 0, which would mean that a run has ended with exit code 0.
  lastRun.remove()
  exitCode.remove()
  reloadFailed.set(0)
  failures.set(0)
  underWay.set(0)

  let fleet = emptyFleetStatus
  const show = (scan: FleetStatus) => {
    for (const metric of [
      ...[lastSuccess, lastComplete, walks, violations, unknown],
      ...[byProject, oldestOpen, overdue, drift],
    ]) {
      metric.reset()
    }
    for (const [project, view] of scan) {
      const { lastCompleteAt, statuses, drift: counts, violations: open, ages } = view
      const wholeAt = seenWholeAt(view)
      if (wholeAt !== undefined) lastSuccess.set({ project }, wholeAt / 1000)
      for (const [listing, at] of lastCompleteAt) lastComplete.set({ project, listing }, at / 1000)
      for (const [listing, status] of statuses) walks.set({ project, listing, status }, 1)
      for (const [change, count] of Object.entries(counts)) drift.set({ project, change }, count)
      for (const { severity, count } of open) byProject.inc({ project, severity }, count)
      for (const { severity, oldest, overdue: late } of ages) {
        oldestOpen.set({ project, severity }, oldest / 1000)
        overdue.set({ project, severity }, late)
      }
    }
    for (const { severity, rule, count, unknown: unchecked } of openViolations(scan)) {
      violations.set({ severity, rule }, count)
      unknown.set({ severity, rule }, unchecked)
    }
  }
  const setLast = (report: Report) => {
    lastRun.set(Date.parse(report.run.finished_at) / 1000)
    exitCode.set(report.verdict.exit_code)
  }

  return {
    registry,
    planned(upcoming) {
      nextTick.reset()
      for (const [schedule, at] of upcoming) {
        nextTick.set({ schedule }, at / 1000)
        // A counter that begins with its first event hides that event from `increase()`.
        for (const reason of skipReasons) skipped.inc({ schedule, reason }, 0)
        for (const outcome of Object.values(outcomes)) runs.inc({ schedule, outcome }, 0)
      }
    },
    skipped(schedule, reason, ticks) {
      skipped.inc({ schedule, reason }, ticks)
      if (reason === 'busy') underWay.set(0)
    },
    started: () => underWay.set(1),
    ended(schedule, report) {
      fleet = addRun(fleet, report)
      show(fleet)
      setLast(report)
      underWay.set(0)
      failures.set(0)
      runs.inc({ schedule, outcome: outcomeOf(report) })
      runSeconds.observe({ schedule }, (Date.parse(report.run.finished_at) - Date.parse(report.run.started_at)) / 1000)
      for (const walk of report.coverage) {
        requests.inc({ project: walk.project }, walk.requests)
        retries.inc({ project: walk.project }, walk.retries)
      }
    },
    failed(schedule) {
      underWay.set(0)
      failures.inc()
      runs.inc({ schedule, outcome: outcomes.failed })
    },
    leftToOthers: () => underWay.set(0),
    committedElsewhere: () => failures.set(0),
    page: (listing, durationMs) => pageSeconds.observe({ listing }, durationMs / 1000),
    reloaded: (isGood) => reloadFailed.set(isGood ? 0 : 1),
    channels(states) {
      for (const metric of [waiting, givenUp, gone]) metric.reset()
      for (const { name: channel, pending, dead, isGone } of states) {
        waiting.set({ channel }, pending)
        givenUp.set({ channel }, dead)
        gone.set({ channel }, isGone ? 1 : 0)
        for (const outcome of attemptOutcomes) attempts.inc({ channel, outcome }, 0)
      }
    },
    attempted: (channel, outcome) => attempts.inc({ channel, outcome }),
    remember(past) {
      fleet = past.fleet
      show(fleet)
      if (past.last !== undefined) setLast(past.last)
    },
    fillIn(past) {
      fleet = new Map([...past.fleet, ...fleet])
      show(fleet)
    },
    keepOnly(projects) {
      fleet = new Map([...fleet].filter(([project]) => projects.has(project)))
      show(fleet)
    },
  }
}

const outcomes = { 0: 'clean', 1: 'violations', 3: 'incomplete', failed: 'failed' } as const

function outcomeOf({ verdict }: Report): string {
  const code = verdict.exit_code
  if (code >= 128) return outcomes[3]
  return code === 0 || code === 1 || code === 3 ? outcomes[code] : outcomes.failed
}
