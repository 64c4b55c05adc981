import { parentPort, workerData } from 'node:worker_threads'
import { keepHistoryOpen } from '../app/keep-history-open.ts'
import { findConfiguredPaths, locateHistory, openMasking } from '../app/locate-history.ts'
import { openLog } from '../app/log.ts'
import { openExistingHistory, readPoolOf } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { answerRequests } from '../app/serving/answer-in-thread.ts'
import type { RequestHandler } from '../app/serving/listen.ts'
import { hostCheck } from '../app/serving/refuse-request.ts'
import { letAuditsGoFirst, systemClock } from '../app/system.ts'
import { messageOf } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { type AccessWatch, openAccess } from '../pages/access/open-access.ts'
import { openPages } from '../pages/open-pages.ts'
import type { AskedImpact, SiteHistory } from '../pages/page.ts'
import { scopeSite } from '../pages/scope.ts'
import { createSite, type SiteOptions } from '../pages/site.ts'
import { gatewayOf } from '../questions/restore.ts'
import { hasKeys } from './api/answer-api.ts'
import { createApi } from './api/create-api.ts'
import type { PagesThread } from './open-pages-thread.ts'

if (parentPort === null) throw new Error('this runs in a thread')

letAuditsGoFirst()

// as: `open-pages-thread.ts` gives it.
const { options, address, settings, cwd, env } = workerData as PagesThread

const terminal: ProcessContext = { stdout: process.stdout, stderr: process.stderr, env, cwd: () => cwd }

const log = openLog(terminal)
answerRequests(parentPort, await openSite())

/**
 * The pages of a history, and of the plan where a configuration names it, for those who may read them. The history is
 * opened at the first request, and kept open until the thread of the pages ends.
 */
async function openSite(): Promise<RequestHandler> {
  const location = await locateHistory(options, terminal)
  const openHistories = keepHistoryOpen((location) => openExistingHistory(location, terminal.env))
  const history = () => openHistories.at(location)
  const now = () => systemClock.now()
  const isHostOfPort = hostCheck(address)
  const onFault = (error: unknown) => log.error({ error: messageOf(error) }, 'a page could not be made')
  const whole: SiteOptions = {
    history,
    plan: {
      // Read for each page of the worker: people edit it while the pages are served.
      configured: async () => {
        const paths = await findConfiguredPaths(options, terminal)
        if (paths === undefined) return undefined
        const { expected, schedules, notify } = paths
        const channels = notify.map(({ name, type }) => ({ name, type }))
        return { expected, schedules, channels }
      },
      pool: () => readPoolOf(location),
      gatewayOf: (project) => gatewayOf(project, options, terminal),
      ...(hasKeys(options.config, terminal) && { askImpact }),
    },
    now,
    isHostOfPort,
    onFault,
    version: toolVersion(),
    api: createApi(options, terminal, toolVersion()),
  }
  return openPages({
    access: openAccess({ settings, now, watch: watchAccess() }),
    siteOf: ({ projects }) => createSite(projects === undefined ? whole : scopeSite(whole, projects)),
    isHostOfPort,
    onFault,
    // Who may read comes from the configuration, also where the history is named without it.
    notes: { history, masking: () => openMasking({ config: options.config }, terminal), now, onFault },
  })
}

/** As the command asks. A declaration: the thread asks for it before the end of this file is evaluated. */
async function askImpact(history: SiteHistory, asked: AskedImpact, now: number) {
  const { impact } = await import('../questions/impact.ts')
  const values = { ...asked, project: [], kind: undefined }
  const reading = { ...terminal, reading: { history } }
  return impact.read(history, values, {
    format: 'page',
    limit: Number.POSITIVE_INFINITY,
    now,
    terminal: reading,
    options,
  })
}

function watchAccess(): AccessWatch {
  return {
    entered: (reader, peer) => log.info({ reader, peer }, 'a reader logged in'),
    slowed: (peer) => log.warn({ peer }, 'wrong tokens: their sender has to wait'),
  }
}
