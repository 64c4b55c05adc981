import type { AuditedProject, AuditedService, PageRead } from '../../audit/audited-project.ts'
import { readLastWritten } from '../../audit/newer-settings.ts'
import { sqlReader } from '../../history/reader.ts'
import { Stop } from '../../model/stop.ts'
import type { Pool } from '../../pool/open-pool.ts'
import { readStop } from '../../pool/runs.ts'
import type { PlannedProject, TaskState } from '../../pool/tasks.ts'
import type { RunSite, RunSites } from '../../pool/walk-task.ts'
import type { Agreement } from '../../worker/reload-files.ts'
import { boundRun } from '../end-in-order.ts'
import type { Log } from '../log.ts'
import { openServices } from '../open-projects.ts'
import type { ProcessContext } from '../process-context.ts'
import { thisProcess } from '../system.ts'
import { watchIn, watchRequests } from '../watch-run.ts'
import { type FilesInForce, filesOfRun, type SharedFiles } from './shared-files.ts'

interface SiteDependencies {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly pool: Pool
  readonly files: SharedFiles
  readonly onPage: (page: PageRead) => void
  readonly agreement: Agreement
}

interface OpenSite {
  readonly run: number
  readonly site: RunSite
  close(): Promise<void>
}

/** How often a worker asks whether the run was stopped. */
const askEveryMs = 1_000

/** Opens what a worker walks with, once for each run. */
export function openRunSites(dependencies: SiteDependencies): RunSites & { close(): Promise<void> } {
  let current: OpenSite | undefined
  // One after the other: several slots get the first tasks of a run at once.
  let last: Promise<unknown> = Promise.resolve()
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
  const close = async () => {
    const closing = current
    current = undefined
    await closing?.close()
  }
  return {
    enter: (run, state) =>
      alone(async () => {
        if (current?.run === run) return current.site
        const files = await filesOfRun(state.terms, dependencies)
        if (typeof files === 'string') {
          dependencies.agreement.refused(files)
          return files
        }
        dependencies.agreement.agreed()
        await close()
        current = openSite(run, state, { ...dependencies, ...files })
        return current.site
      }),
    close: () => alone(close),
  }
}

function openSite(
  run: number,
  { options, leftMs }: TaskState,
  { configuration, policy, sealer, terminal, log, pool, onPage }: SiteDependencies & FilesInForce,
): OpenSite {
  const stop = new AbortController()
  const { signal, cut, done } = boundRun(stop.signal, options.runTimeoutMs, leftMs)
  const { services, close } = openServices(configuration, [], {
    terminal,
    cut,
    gateOf: pool.gates.gateOf,
    onRequest: watchRequests(terminal, log, true),
  })
  const stopAsking = thisProcess.every(askEveryMs, () => {
    void pool.gates.refresh()
    void readStop(pool.db, run)
      .then((by) => {
        if (by !== undefined) stop.abort(new Stop(by, by.toUpperCase()))
      })
      // The server is away: the next question or write says so.
      .catch(() => {})
  })
  return {
    run,
    site: {
      options: { policy, ...options },
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
    async close() {
      stopAsking()
      done()
      await close()
    },
  }
}

/** Opens a project of a run that another process planned; undefined where the configuration does not have it. */
export function openPlanned(
  services: readonly AuditedService[],
  { ref, labels, configuredAt, isMissing }: PlannedProject,
): AuditedProject | undefined {
  const service = services.find(({ name }) => name === ref.service)
  if (service === undefined) return undefined
  const named = service.named.find((project) => project.ref.uid === ref.uid)
  if (named === undefined && service.matches.length === 0) return undefined
  const opened = named ?? service.open(ref, { labels, configuredAt })
  return { ...opened, ref, labels, configuredAt, ...(isMissing ? { isMissing } : {}) }
}
