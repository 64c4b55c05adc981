import type { Worker } from 'node:worker_threads'
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts'

export interface ThreadOptions {
  /** Starts the thread, which calls `answerRequests`. */
  start(): Worker
  /** For the log: the thread ended with an error. The next request starts another one. */
  onCrash(error: Error): void
  /** How long a request may take, in milliseconds. */
  readonly timeoutMs: number
}

export interface AskedThread {
  /** undefined when no answer came: the thread ended, or it took too long, or `signal` says that the client left. */
  ask(request: Omit<ThreadRequest, 'id'>, signal: AbortSignal): Promise<ThreadResponse | undefined>
  /** How many requests wait for their answer. */
  waiting(): number
  /** Starts the thread, so that the first request does not wait for that. */
  start(): void
  /** The next request starts another thread. Requests that this one was answering get no answer. */
  replace(): void
  close(): Promise<void>
}

/** More at once would hold more in memory, and answer none sooner. What waits longer than it may is never begun. */
const mostAtOnce = 4

/** Asks a thread some requests at a time, and starts it again after it ended. */
export function askThread({ start, onCrash, timeoutMs }: ThreadOptions): AskedThread {
  const waiting = new Map<number, (response: ThreadResponse | undefined) => void>()
  const queue = new Map<number, ThreadRequest>()
  const begun = new Map<number, Worker>()
  let running: Worker | undefined
  let asked = 0
  const thread = () => {
    if (running !== undefined) return running
    const started = start()
    running = started
    started.on('message', (response: ThreadResponse) => {
      begun.delete(response.id)
      waiting.get(response.id)?.(response)
      goOn()
    })
    started.on('error', onCrash)
    started.once('exit', () => {
      if (running === started) running = undefined
      for (const [id, answering] of begun) {
        if (answering !== started) continue
        begun.delete(id)
        waiting.get(id)?.(undefined)
      }
      goOn()
    })
    return started
  }
  const goOn = () => {
    for (const [id, request] of queue) {
      if (begun.size >= mostAtOnce) return
      queue.delete(id)
      const answering = thread()
      begun.set(id, answering)
      answering.postMessage(request)
    }
  }
  return {
    ask: (request, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined)
        const id = asked++
        const giveUp = () => waiting.get(id)?.(undefined)
        const late = setTimeout(giveUp, timeoutMs)
        waiting.set(id, (response) => {
          clearTimeout(late)
          signal.removeEventListener('abort', giveUp)
          waiting.delete(id)
          queue.delete(id)
          resolve(response)
        })
        signal.addEventListener('abort', giveUp)
        queue.set(id, { ...request, id })
        goOn()
      }),
    waiting: () => waiting.size,
    start: () => void thread(),
    replace() {
      void running?.terminate()
      running = undefined
    },
    async close() {
      queue.clear()
      await running?.terminate()
      for (const end of waiting.values()) end(undefined)
    },
  }
}
