import { parentPort, workerData } from 'node:worker_threads'
import { letAuditsGoFirst } from '../app/let-audits-go-first.ts'
import type { HistoryOptions } from '../app/locate-history.ts'
import { openLog } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { ServeSettings } from '../config/configuration.ts'
import { answerRequests } from '../serving/answer-requests.ts'
import type { NamedAddress } from '../serving/host-check.ts'
import { openSite } from './open-site.ts'

/** The thread of `worker` and `serve` that answers with pages, so that reading a large history delays nothing else. */
export interface PagesThread {
  readonly options: HistoryOptions
  readonly place: NamedAddress
  readonly settings: ServeSettings
  readonly cwd: string
  readonly env: ProcessContext['env']
}

if (parentPort === null) throw new Error('this runs in a thread')
letAuditsGoFirst()
// as: `open-pages-thread.ts` gives it.
const { options, place, settings, cwd, env } = workerData as PagesThread
const terminal: ProcessContext = { stdout: process.stdout, stderr: process.stderr, env, cwd: () => cwd }
answerRequests(parentPort, await openSite(options, { terminal, log: openLog(terminal), place, settings }))
