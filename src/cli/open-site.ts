import { keepHistoryOpen } from '../app/keep-history-open.ts'
import { findConfiguredPaths, type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import { openExistingHistory, readPoolOf } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import type { ServeSettings } from '../config/configuration.ts'
import { messageOf } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { type AccessWatch, openAccess } from '../pages/access/open-access.ts'
import { openPages } from '../pages/open-pages.ts'
import { scopeSite } from '../pages/scope.ts'
import { createSite, type SiteOptions } from '../pages/site.ts'
import { hostCheck, type NamedAddress } from '../serving/host-check.ts'
import type { RequestHandler } from '../serving/listen.ts'
import { createApi } from './api/create-api.ts'

interface SiteContext {
  readonly terminal: ProcessContext
  readonly log: Log
  /** The port, and who may read there. */
  readonly place: NamedAddress
  readonly settings: ServeSettings
}

/**
 * The pages of a history, and of the plan where a configuration names it, for those who may read them. The history is
 * opened at the first request, and kept open until the thread of the pages ends.
 */
export async function openSite(options: HistoryOptions, context: SiteContext): Promise<RequestHandler> {
  const { terminal, log, place, settings } = context
  const location = await locateHistory(options, terminal)
  const kept = keepHistoryOpen((location) => openExistingHistory(location, terminal.env))
  const history = () => kept.at(location)
  const now = () => systemClock.now()
  const isHostOfPort = hostCheck(place)
  const onFault = (error: unknown) => log.error({ error: messageOf(error) }, 'a page could not be made')
  const whole: SiteOptions = {
    history,
    plan: {
      // Read for each page of the worker: people edit it while the pages are served.
      configured: async () => {
        const found = await findConfiguredPaths(options, terminal)
        return found && { expected: { named: found.projects, isFound: found.isFound }, schedules: found.schedules }
      },
      pool: () => readPoolOf(location),
    },
    now,
    isHostOfPort,
    onFault,
    version: toolVersion(),
    api: createApi(options, terminal, toolVersion()),
  }
  return openPages({
    access: openAccess({ settings, now, watch: watchAccess(log) }),
    siteOf: ({ projects }) => createSite(projects === undefined ? whole : scopeSite(whole, projects)),
    isHostOfPort,
    onFault,
  })
}

function watchAccess(log: Log): AccessWatch {
  return {
    entered: (reader, peer) => log.info({ reader, peer }, 'a reader logged in'),
    slowed: (peer) => log.warn({ peer }, 'wrong tokens: their sender has to wait'),
  }
}
