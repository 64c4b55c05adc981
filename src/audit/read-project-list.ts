import type { Sealer } from '../inventory/sealer.ts'
import type { Clock } from '../model/clock.ts'
import type { Coverage, CoverageCause, CoverageStatus } from '../model/coverage.ts'
import { classOf } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { ListAccess, ListedProject, RetryBudget, Traffic } from '../service/service-client.ts'
import { isStop, ServiceFault } from '../service/service-fault.ts'
import type { AuditedService } from './audited-service.ts'
import { describeFault } from './describe-fault.ts'
import { namesShownBy } from './name-projects.ts'
import type { AuditedProject } from './project-scan.ts'

export interface ListReader {
  readonly clock: Clock
  readonly sealer: Sealer
  readonly signal: AbortSignal
}

/** What was listed, and what that proves: with any status but `complete`, a project that is missing may be there. */
export interface ReadList {
  readonly listed: readonly ListedProject[]
  readonly coverage: Coverage
}

/**
 * Reads the list of a service's projects. A list without a project is `suspect`, however often it comes: a service that
 * lost its place answers so, and every project would vanish.
 */
export async function readProjectList(
  service: AuditedService,
  reading: ListReader,
  budget: RetryBudget = { waitedMs: 0 },
): Promise<ReadList> {
  const traffic: Traffic = { requests: 0, retries: 0 }
  const startedAt = reading.clock.now()
  const result = (status: CoverageStatus, cause: CoverageCause | null, reason: string | null, items = 0): Coverage => {
    const { requests, retries } = traffic
    const durationMs = Math.round(reading.clock.now() - startedAt)
    const pages = items === 0 ? 0 : 1
    return { listing: 'projects', status, cause, reason, filter: null, pages, items, requests, retries, durationMs }
  }
  try {
    const listed = await listProjectsOf(service, { traffic, budget }, reading)
    if (listed.length === 0) return { listed, coverage: result('suspect', 'unproven', emptyReason) }
    return { listed, coverage: result('complete', null, null, listed.length) }
  } catch (error) {
    if (error instanceof ServiceFault) {
      const status = isStop(error.kind) ? 'partial' : 'failed'
      return { listed: [], coverage: result(status, error.kind, describeFault(error, service)) }
    }
    const reason = `a bug in hookdrift ended the reading of the list of projects (${classOf(error)}); please report it`
    return { listed: [], coverage: result('failed', 'bug', reason) }
  }
}

const emptyReason =
  'the list has no project: not believed, however often it comes. ' +
  'Check `organisation` and the key; projects that earlier runs scanned are scanned all the same'

/** @throws ServiceFault when the list, or the organisation that it needs, could not be read */
async function listProjectsOf(
  service: Pick<AuditedService, 'client' | 'key' | 'organisation' | 'named'>,
  cost: Pick<ListAccess, 'traffic' | 'budget'>,
  { signal, sealer }: ListReader,
): Promise<readonly ListedProject[]> {
  const { client, key, named } = service
  const show = ({ client, ref, key, filters }: AuditedProject) =>
    client.project({ projectUid: ref.uid, key, filters, signal, ...cost })
  const organisation = service.organisation ?? (await findOrganisation(named, show))
  return client.projects({ organisation, key, signal, ...cost, showName: namesShownBy(sealer) })
}

/**
 * The organisation of the first project that answers and shows it.
 * @throws ServiceFault when none does
 */
export async function findOrganisation<Project>(
  named: readonly Project[],
  show: (project: Project) => Promise<JsonObject>,
): Promise<string> {
  let fault: unknown
  for (const project of named) {
    try {
      const { organisation_id: organisation } = await show(project)
      if (typeof organisation === 'string' && organisation !== '') return organisation
    } catch (error) {
      if (!(error instanceof ServiceFault) || isStop(error.kind)) throw error
      fault ??= error
    }
  }
  throw fault ?? new ServiceFault('malformed', 'list of projects: no project shows its organisation_id')
}
