import type { AuditedProject } from '../audit/project-scan.ts'
import type { Configuration, ConfiguredService } from '../config/configuration.ts'
import { sealUrl } from '../inventory/seal-url.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { dayMs } from '../model/clock.ts'
import type { RunGateway, RunScope } from '../model/run-scope.ts'

interface ScopedRun {
  /** All projects that are configured or found. */
  readonly all: readonly AuditedProject[]
  /** Those of them that the run scans. */
  readonly projects: readonly AuditedProject[]
  readonly sealer: Sealer
  /** The name of the schedule that started the run; null: a person or another program did. */
  readonly schedule: string | null
  /** The start of the run, in milliseconds since the epoch. */
  readonly now: number
}

/** What a run is to cover, for the reports of a later day. */
export async function describeScope(
  { company, services, schedules }: Pick<Configuration, 'company' | 'services' | 'schedules'>,
  { all, projects, sealer, schedule, now }: ScopedRun,
): Promise<RunScope> {
  const scanned = new Set(projects.map(({ ref }) => ref.name))
  // A service without any project of the run was not opened, so its projects are not among the found ones.
  const named = services.flatMap((service) => service.projects.map(({ ref }) => ref.name))
  const known = new Set([...named, ...all.map(({ ref }) => ref.name)])
  return {
    company: company ?? null,
    gateways: services.map((service) => gatewayOf(service, sealer)).sort((a, b) => (a.service < b.service ? -1 : 1)),
    unscanned: [...known].filter((name) => !scanned.has(name)).sort(),
    schedules: await describeSchedules(schedules, now),
    schedule,
  }
}

function gatewayOf({ settings, projects, matches, key }: ConfiguredService, sealer: Sealer): RunGateway {
  const keys = new Set(projects.map((project) => project.key))
  const isShared = matches.length > 0 ? key !== undefined || projects.length > 0 : keys.size < projects.length
  return {
    service: settings.name,
    url: sealUrl(settings.url, sealer),
    projects: matches.length === 0 ? 'named' : matches.some(({ pattern }) => pattern === '*') ? 'all' : 'matched',
    key: isShared ? 'shared' : 'own',
  }
}

async function describeSchedules(schedules: Configuration['schedules'], now: number): Promise<RunScope['schedules']> {
  if (schedules.length === 0) return []
  // Most audits have no schedule, and start without what reads one.
  const { longestInterval } = await import('../worker/timetable.ts')
  return schedules.map(({ name, cron, timezone, jitterMs }) => {
    // From the start of the day, so that the runs of a day agree.
    const interval = longestInterval({ cron, timezone }, Math.floor(now / dayMs) * dayMs)
    return { name, cron, timezone, intervalMs: interval === undefined ? null : interval + jitterMs }
  })
}
