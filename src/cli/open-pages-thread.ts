import { Worker } from 'node:worker_threads'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { ServeSettings } from '../config/configuration.ts'
import { messageOf } from '../model/errors.ts'
import { programFile } from '../model/package-files.ts'
import { answerInThread, type ThreadAnswering } from '../serving/answer-in-thread.ts'
import type { NamedAddress } from '../serving/host-check.ts'
import type { PagesThread } from './pages-thread.ts'

/** A page that needs more ends its thread, and no audit. */
const mostHeapMb = 512
const timeoutMs = 30_000

interface WorkerPagesContext {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly place: NamedAddress
  readonly settings: ServeSettings
}

/** The pages on the port of a worker. */
export function openWorkerPages(options: HistoryOptions, context: WorkerPagesContext): ThreadAnswering {
  const { terminal, log, place, settings } = context
  const { env, cwd } = terminal
  const workerData: PagesThread = { options, place, settings, env: { ...env }, cwd: cwd() }
  return answerInThread({
    start: () =>
      new Worker(programFile('cli/pages-thread'), {
        workerData,
        resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
      }),
    onCrash: (error) =>
      log.error({ error: messageOf(error) }, 'the thread of the pages ended; the next request starts it'),
    timeoutMs,
  })
}
