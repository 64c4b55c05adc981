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

interface ThreadContext {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly place: NamedAddress
  readonly settings: ServeSettings
}

interface PagesLimits {
  /** A page that needs more ends its thread, and nothing else. undefined: what Node gives a program on this machine. */
  readonly mostHeapMb: number | undefined
  readonly timeoutMs: number
}

const limitsOf = {
  // Next to audits.
  worker: { mostHeapMb: 512, timeoutMs: 30_000 },
  // A process of its own.
  serve: { mostHeapMb: undefined, timeoutMs: 120_000 },
} as const satisfies Record<string, PagesLimits>

/** The pages of a history, in a thread: reading a large one delays nothing else that the process does. */
export function openPagesThread(
  options: HistoryOptions,
  { terminal, log, place, settings }: ThreadContext,
  command: keyof typeof limitsOf,
): ThreadAnswering {
  const { mostHeapMb, timeoutMs } = limitsOf[command]
  const { env, cwd } = terminal
  const workerData: PagesThread = { options, place, settings, env: { ...env }, cwd: cwd() }
  const resourceLimits = mostHeapMb === undefined ? {} : { maxOldGenerationSizeMb: mostHeapMb }
  return answerInThread({
    start: () => new Worker(programFile('cli/pages-thread'), { workerData, resourceLimits }),
    onCrash: (error) =>
      log.error({ error: messageOf(error) }, 'the thread of the pages ended; the next request starts it'),
    timeoutMs,
  })
}
