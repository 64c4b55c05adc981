import type { AuditedProject, AuditedService, ProjectList } from '../audit/audited-project.ts'
import { discoverProjects } from '../audit/discover-projects.ts'
import type { Configuration, ConfiguredService } from '../config/configuration.ts'
import { sealUrl } from '../gateway/inventory/seal-text.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import type { OpenHistory } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import type { RunGateway, RunScope } from '../model/run-scope.ts'
import { count } from '../model/text/count.ts'
import { dayMs } from '../model/time.ts'
import { longestInterval } from '../policy/timetable.ts'
import { chooseProjects } from './open-projects.ts'
import { systemClock } from './system.ts'

/** Which projects a run audits, and what that is of all. */
export interface FleetPlan {
  readonly projects: readonly AuditedProject[]
  /** The lists that decide which projects there are. */
  readonly lists: readonly ProjectList[]
  /** Whether these are all projects of the configuration, so that lists are searched for others. */
  readonly areAll: boolean
  /** Whether rules across the fleet see it whole: all projects, and every list that decides was read. */
  readonly isWholeFleet: boolean
  /** What a later report says that the run was to cover. */
  readonly scope: RunScope
}

interface FleetRequest {
  /** `service/project`, `service/*` or a bare project name; all when empty. */
  readonly only: readonly string[]
  /** The name of the schedule whose run it is; null: a person or another program asks. */
  readonly schedule: string | null
  readonly signal: AbortSignal
}

/**
 * Finds out which projects there are, and which of them a run audits. `services`: those that were opened for it.
 * @throws AuditError.usage where there is none: a run without a project would find nothing, and pass for a clean one
 */
export async function planFleet(
  configuration: Configuration,
  services: readonly AuditedService[],
  history: OpenHistory,
  sealer: Sealer,
  { only, schedule, signal }: FleetRequest,
): Promise<FleetPlan> {
  const { projects: all, lists } = await discoverProjects(services, { history, sealer, clock: systemClock, signal })
  const areListed = lists.every(({ coverage }) => coverage.status === 'complete')
  if (all.length === 0 && areListed) throw noProject(services, lists)
  const chosen = chooseProjects(all, only, { isWhole: areListed, schedule })
  const areAll = services.length === configuration.services.length && chosen.length === all.length
  const projects = await withMissingFeatures(chosen, services, signal)
  const scope = describeScope(configuration, { all, projects, sealer, schedule, now: systemClock.now() })
  return { projects, lists, areAll, isWholeFleet: areAll && areListed, scope }
}

/** Asks once for each service of the run. */
async function withMissingFeatures(
  projects: readonly AuditedProject[],
  services: readonly AuditedService[],
  signal: AbortSignal,
): Promise<readonly AuditedProject[]> {
  const names = new Set(projects.map(({ ref }) => ref.service))
  const asked = services.filter(({ name, readsLicence }) => readsLicence === true && names.has(name))
  const missing = new Map(
    await Promise.all(asked.map(async ({ name, client }) => [name, await client.missingFeatures(signal)] as const)),
  )
  return projects.map((project) => ({ ...project, lacks: missing.get(project.ref.service) ?? [] }))
}

function noProject(services: readonly AuditedService[], lists: readonly ProjectList[]): AuditError {
  const patterns = services.flatMap(({ name, matches }) => {
    const listed = count(lists.find(({ service }) => service === name)?.coverage.items ?? 0, 'project')
    return matches.map(({ pattern, configuredAt: at }) => {
      return `${at === null ? '' : `${at.file}:${at.line}: `}\`${pattern}\` matches none of ${listed} that ${name} lists`
    })
  })
  return AuditError.usage(`there is no project to audit: ${patterns.join('; ')}`, {
    advice: 'correct `match` in the configuration: it is compared with the name and the id of each project',
  })
}

/** Services that name all their projects, whose lists a run searches for others. A run of some projects searches none. */
export function searchedServices(services: readonly AuditedService[], areAll: boolean): readonly AuditedService[] {
  return areAll ? services.filter(({ matches }) => matches.length === 0) : []
}

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
function describeScope(
  { company, services, schedules }: Pick<Configuration, 'company' | 'services' | 'schedules'>,
  { all, projects, sealer, schedule, now }: ScopedRun,
): RunScope {
  const scanned = new Set(projects.map(({ ref }) => ref.name))
  // A service without any project of the run was not opened, so its projects are not among the found ones.
  const named = services.flatMap((service) => service.projects.map(({ ref }) => ref.name))
  const projectNames = new Set([...named, ...all.map(({ ref }) => ref.name)])
  return {
    company: company ?? null,
    gateways: services
      .map((service) => gatewayOf(service, services, sealer))
      .sort((a, b) => (a.service < b.service ? -1 : 1)),
    unscanned: [...projectNames].filter((name) => !scanned.has(name)).sort(),
    schedules: describeSchedules(schedules, now),
    schedule,
  }
}

function gatewayOf(service: ConfiguredService, all: readonly ConfiguredService[], sealer: Sealer): RunGateway {
  const { settings, projects, matches } = service
  const keys = new Set(keysOf(service))
  const isElsewhere = all.some((other) => other !== service && keysOf(other).some((key) => keys.has(key)))
  const isShared = isElsewhere || matches.length > 0 || keys.size < projects.length
  return {
    service: settings.name,
    url: sealUrl(settings.url, sealer),
    projects: matches.length === 0 ? 'named' : matches.some(({ pattern }) => pattern === '*') ? 'all' : 'matched',
    key: isShared ? 'shared' : projects.length === 1 ? 'single' : 'own',
  }
}

function keysOf({ key, projects, matches }: ConfiguredService): readonly string[] {
  const ofList = matches.length > 0 && key !== undefined ? [key] : []
  return [...ofList, ...projects.map((project) => project.key)]
}

function describeSchedules(schedules: Configuration['schedules'], now: number): RunScope['schedules'] {
  return schedules.map(({ name, cron, timezone, jitterMs }) => {
    // From the start of the day, so that the runs of a day agree.
    const interval = longestInterval({ cron, timezone }, Math.floor(now / dayMs) * dayMs)
    return { name, cron, timezone, intervalMs: interval === undefined ? null : interval + jitterMs }
  })
}
