import { Worker } from 'node:worker_threads'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { answerInThread, type ThreadAnswering } from '../app/serving/answer-in-thread.ts'
import type { NamedAddress } from '../app/serving/refuse-request.ts'
import type { ServeSettings } from '../config/serve-schema.ts'
import { messageOf } from '../model/errors.ts'
import { programFile } from '../model/package-files.ts'

/** The thread of `worker` and `serve` that answers with pages, so that reading a large history delays nothing else. */
export interface PagesThread {
  readonly options: HistoryOptions
  readonly address: NamedAddress
  readonly settings: ServeSettings
  readonly cwd: string
  readonly env: ProcessContext['env']
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

export interface PagesAnswering extends Omit<ThreadAnswering, 'replace'> {
  /** From now on, pages are for these readers, and of the history that the configuration names now. */
  show(settings: ServeSettings): void
}

/** The pages of a history, in a thread: reading a large one delays nothing else that the process does. */
export function openPagesThread(
  options: HistoryOptions,
  {
    terminal,
    log,
    address,
    settings: first,
  }: {
    readonly terminal: ProcessContext
    readonly log: Log
    readonly address: NamedAddress
    readonly settings: ServeSettings
  },
  command: keyof typeof limitsOf,
): PagesAnswering {
  const { mostHeapMb, timeoutMs } = limitsOf[command]
  const { env, cwd } = terminal
  let settings = first
  const resourceLimits = mostHeapMb === undefined ? {} : { maxOldGenerationSizeMb: mostHeapMb }
  const { replace, ...answering } = answerInThread({
    start() {
      const workerData: PagesThread = { options, address, settings, env: { ...env }, cwd: cwd() }
      return new Worker(programFile('cli/pages-thread'), { workerData, resourceLimits })
    },
    onCrash: (error) =>
      log.error({ error: messageOf(error) }, 'the thread of the pages ended; the next request starts it'),
    timeoutMs,
  })
  return {
    ...answering,
    show(changed) {
      settings = changed
      replace()
    },
  }
}
