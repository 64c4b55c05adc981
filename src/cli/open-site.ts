import { keepHistoryOpen } from '../app/keep-history-open.ts'
import { type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import { openExistingHistory } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { findConfiguredPaths, readPoolOf } from '../app/read-plan.ts'
import { systemClock } from '../app/system.ts'
import { toolVersion } from '../app/tool-version.ts'
import type { OpenHistory } from '../history/history.ts'
import { messageOf } from '../model/errors.ts'
import { createSite } from '../pages/site.ts'
import type { Answering } from '../serving/listen.ts'
import { createApi } from './api/create-api.ts'

interface SiteContext {
  readonly terminal: ProcessContext
  readonly log: Log
  /** Whether a Host header names the port. */
  isMeant(host: string | undefined): boolean
}

export interface OpenedSite {
  readonly answer: Answering
  /** The history, opened at the first request otherwise. */
  history(): Promise<OpenHistory>
  close(): Promise<void>
}

/** The pages of a history, and of the plan where a configuration names it. */
export async function openSite(options: HistoryOptions, { terminal, log, isMeant }: SiteContext): Promise<OpenedSite> {
  const location = await locateHistory(options, terminal)
  const history = keepHistoryOpen(location, (location) => openExistingHistory(location, terminal.env))
  const site = createSite({
    history: () => history.current(),
    plan: {
      // Read for each page of the worker: people edit it while the pages are served.
      configured: async () => {
        const found = await findConfiguredPaths(options, terminal)
        return found && { expected: { named: found.projects, isFound: found.isFound }, schedules: found.schedules }
      },
      pool: () => readPoolOf(location),
    },
    now: () => systemClock.now(),
    version: toolVersion(),
    api: createApi(options, terminal, toolVersion()),
    isMeant,
    onFault: (error) => log.error({ error: messageOf(error) }, 'a page could not be made'),
  })
  return { answer: (request) => site.fetch(request), history: () => history.current(), close: history.close }
}
