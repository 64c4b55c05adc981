import type { AuditedService, ProjectList } from '../audit/audited-service.ts'
import { discoverProjects } from '../audit/discover-projects.ts'
import type { AuditedProject } from '../audit/project-scan.ts'
import type { Configuration } from '../config/configuration.ts'
import type { OpenHistory } from '../history/history.ts'
import type { Sealer } from '../inventory/sealer.ts'
import type { RunScope } from '../model/run-scope.ts'
import { describeScope } from './describe-scope.ts'
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

/** Finds out which projects there are, and which of them a run audits. `services`: those that were opened for it. */
export async function planFleet(
  configuration: Configuration,
  services: readonly AuditedService[],
  history: OpenHistory,
  sealer: Sealer,
  { only, schedule, signal }: FleetRequest,
): Promise<FleetPlan> {
  const { projects: all, lists } = await discoverProjects(services, { history, sealer, clock: systemClock, signal })
  const areListed = lists.every(({ coverage }) => coverage.status === 'complete')
  const projects = chooseProjects(all, only, areListed)
  const areAll = services.length === configuration.services.length && projects.length === all.length
  const scope = await describeScope(configuration, { all, projects, sealer, schedule, now: systemClock.now() })
  return { projects, lists, areAll, isWholeFleet: areAll && areListed, scope }
}

/** Services that name all their projects, whose lists a run searches for others. A run of some projects searches none. */
export function searchedServices(services: readonly AuditedService[], areAll: boolean): readonly AuditedService[] {
  return areAll ? services.filter(({ matches }) => matches.length === 0) : []
}
