import type { AuditedProject, AuditedService, PageRead } from '../../audit/audited-project.ts'
import { readLastWritten } from '../../audit/newer-settings.ts'
import { sqlReader } from '../../history/reader.ts'
import { Stop } from '../../model/stop.ts'
import { boundRun } from '../end-in-order.ts'
import type { Log } from '../log.ts'
import { openServices } from '../open-projects.ts'
import type { RunSite } from '../pool/keep-slots.ts'
import type { Pool } from '../pool/open-pool.ts'
import type { WalkedRun } from '../pool/runs.ts'
import type { PlannedProject } from '../pool/tasks.ts'
import type { Refusal } from '../pool/workers.ts'
import type { ProcessContext } from '../process-context.ts'
import { watchIn, watchRequests } from '../watch-run.ts'
import type { Agreement } from '../worker/reload-files.ts'
import { type FilesInForce, filesOfRun, type SharedFiles } from './shared-files.ts'

interface SiteDependencies {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly pool: Pool
  readonly files: SharedFiles
  readonly onPage: (page: PageRead) => void
  readonly agreement: Agreement
  /** Called with each run in which this worker takes no part. */
  readonly onRefused: (reason: Refusal) => void
}

interface OpenSite {
  readonly site: RunSite
  stop(by: 'sigint' | 'sigterm'): void
  close(): Promise<void>
}

/** Opens what a worker walks with, once for each run. */
export function openRunSites(dependencies: SiteDependencies) {
  const { pool, agreement, onRefused } = dependencies
  let current: OpenSite | undefined
  let refused: number | undefined
  const close = async () => {
    const closing = current
    current = undefined
    await closing?.close()
  }
  return {
    /** undefined where this worker takes no part. */
    async enter(run: WalkedRun): Promise<RunSite | undefined> {
      void pool.gates.refresh()
      if (current?.site.run.run !== run.run) {
        const files = await filesOfRun(run.terms, dependencies)
        if (typeof files === 'string') {
          if (refused !== run.run) onRefused(files)
          refused = run.run
          agreement.refused(files)
          return undefined
        }
        agreement.agreed()
        await close()
        current = openSite(run, { ...dependencies, ...files })
      }
      if (run.stoppedBy !== null) current.stop(run.stoppedBy)
      return current.site
    },
    close,
  }
}

function openSite(
  run: WalkedRun,
  { configuration, policy, sealer, terminal, log, pool, onPage }: SiteDependencies & FilesInForce,
): OpenSite {
  const { runsProbes, acceptsRemovals, runTimeoutMs } = run.request
  const stop = new AbortController()
  const { signal, cut, done } = boundRun(stop.signal, runTimeoutMs, run.leftMs)
  const { services, close } = openServices(configuration, [], {
    terminal,
    cut,
    gateOf: pool.gates.gateOf,
    onRequest: watchRequests(terminal, log, true),
  })
  return {
    site: {
      run,
      policy,
      runsProbes,
      acceptsRemovals,
      sealer,
      signal,
      onBug: watchIn(log).onBug,
      lastWritten: readLastWritten(sqlReader(pool.db)),
      onPage(project: AuditedProject, page: PageRead) {
        log.debug({ project: project.ref.name, listing: page.listing, items: page.items }, 'page read')
        onPage(page)
      },
      open: (project: PlannedProject) => openPlanned(services, project),
    },
    stop: (by) => stop.abort(new Stop(by, by.toUpperCase())),
    async close() {
      done()
      await close()
    },
  }
}

/** Opens a project of a run that another process planned, with the same configuration. */
export function openPlanned(
  services: readonly AuditedService[],
  { ref, labels, configuredAt, isMissing, lacks }: PlannedProject,
): AuditedProject {
  const service = services.find(({ name }) => name === ref.service)
  const named = service?.named.find((project) => project.ref.uid === ref.uid)
  const opened = named ?? service?.open(ref, { labels, configuredAt })
  if (opened === undefined) throw new Error(`${ref.name} is not in the configuration of the run`)
  return { ...opened, ref, labels, configuredAt, lacks, ...(isMissing ? { isMissing } : {}) }
}
