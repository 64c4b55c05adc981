import type { OnBug } from '../audit/open-run.ts'
import type { AuditDependencies } from '../audit/run-audit.ts'
import { framesOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import type { RequestSent } from '../service/reply.ts'
import { neutralise } from '../text/neutralise.ts'
import type { Log } from './log.ts'
import { type ProcessContext, usualColumns } from './process-context.ts'

export interface Progress {
  page(project: string, items: number): void
  /** Shows how far other processes are. */
  show(text: string): void
  /** Removes the line. */
  done(): void
}

/** Shows how far a run is in one line on stderr; shows nothing where stderr is not a terminal. */
export function openProgress({ stderr, env }: ProcessContext, projects: number, isQuiet: boolean): Progress {
  const isWatched = stderr.isTTY === true && !isQuiet && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  if (!isWatched) return { page: () => {}, show: () => {}, done: () => {} }
  const show = (line: string) => {
    stderr.write(`\r\x1b[K${line.slice(0, Math.max(20, (stderr.columns || usualColumns) - 1))}`)
  }
  const begun = new Set<string>()
  let read = 0
  let shownAt = 0
  return {
    page(project, items) {
      begun.add(project)
      read += items
      const now = performance.now()
      if (now - shownAt < 100) return
      shownAt = now
      show(`${begun.size}/${projects} projects, ${read} items read, now ${neutralise(project)}`)
    },
    show,
    done: () => stderr.write('\r\x1b[K'),
  }
}

/** Logs each request, and says on stderr, once for each service, that the run waits for it. */
export function watchRequests(
  { stderr }: ProcessContext,
  log: Log,
  isQuiet: boolean,
): (service: string, request: RequestSent) => void {
  const awaited = new Set<string>()
  return (service, { method, url, status, fault, durationMs, nextTryMs }) => {
    log.debug({ service, method, url, status, fault, duration_ms: durationMs, next_try_ms: nextTryMs }, 'request')
    if (nextTryMs === null || isQuiet || awaited.has(service)) return
    awaited.add(service)
    const [address] = url.split('?', 1)
    // Removes the progress line.
    const start = stderr.isTTY === true ? '\r\x1b[K' : ''
    const text = neutralise(`${service}: ${fault} from ${address}; trying again`)
    stderr.write(`${start}hookdrift: ${text}\n`)
  }
}

/** Logs what should not happen in a run. */
export function watchIn(log: Log): Pick<AuditDependencies, 'onInterrupted'> & { readonly onBug: OnBug } {
  return {
    // The error's message could quote the service, so only the stack is logged.
    onBug: ({ ref }, error) => log.error({ project: ref.name, stack: framesOf(error) }, 'a bug: please report it'),
    onInterrupted: (run) => log.warn({ run }, 'an earlier run was killed: closed as interrupted'),
  }
}

/** Logs what a run came to. */
export function logReport(log: Log, { run, verdict, coverage }: Report): void {
  for (const { project, listing, status, reason, pages, items, requests, retries, duration_ms } of coverage) {
    const fields = { project, listing, status, reason, pages, items, requests, retries, duration_ms }
    if (status === 'complete' || status === 'skipped') log.debug(fields, 'walk')
    else log.info(fields, 'walk incomplete')
  }
  log.info({ run: run.number, exit_code: verdict.exit_code, verdict: verdict.text }, 'run committed')
}
