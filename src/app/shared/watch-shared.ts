import { AuditError, messageOf } from '../../model/errors.ts'
import type { Report } from '../../model/report.ts'
import type { SlotObserver } from '../../pool/keep-slots.ts'
import type { WalkResult } from '../../pool/walk-task.ts'
import { refusals, refusalWords } from '../../pool/workers.ts'
import type { WorkerObserver } from '../../worker/keep-schedule.ts'
import type { Log } from '../log.ts'
import type { CoordinatorObserver } from './coordinate-run.ts'

/** Called with what happens in a worker that shares runs. */
export interface SharedObserver
  extends Pick<WorkerObserver<Report>, 'planned' | 'skipped'>,
    Omit<CoordinatorObserver, 'begun'> {
  readonly slots: SlotObserver
}

/** The name of runs that a person asked for, where those of schedules have one. */
const requestedRun = '(asked for)'

/** Notifies the observers of a worker's own runs of those that it coordinates, and logs what its slots do. */
export function watchShared(
  watch: WorkerObserver<Report>,
  { log, onSlot }: { readonly log: Log; readonly onSlot: SlotObserver },
): SharedObserver {
  // One line as long as the same trouble lasts.
  let trouble: string | undefined
  const noteTrouble = (error: unknown) => {
    if (trouble !== messageOf(error)) log.warn({ error: messageOf(error) }, 'the pool cannot be asked for work')
    trouble = messageOf(error)
  }
  // One line as long as this worker has the same wrong file.
  let differing: WalkResult | undefined
  const noteResult = (service: string, result: WalkResult) => {
    const refusal = refusals.find((one) => one === result)
    if (refusal !== undefined && refusal !== differing) {
      log.warn(
        { service, differs: refusalWords[refusal] },
        'left a project to other workers: not what its run began with',
      )
    }
    if (result === 'returned' || result === 'lost') log.info({ service, result }, 'a project was not scanned here')
    if (refusal !== undefined || result === 'walked') differing = refusal
  }
  return {
    planned: watch.planned,
    skipped: watch.skipped,
    started: (schedule) => watch.started(schedule ?? requestedRun),
    ended: (schedule, report) => watch.ended(schedule ?? requestedRun, report),
    failed(schedule, error) {
      // The server is away: no run ended with that, and one that could not be asked for is asked for again.
      if (error instanceof AuditError && error.isPassing) noteTrouble(error)
      else watch.failed(schedule ?? requestedRun, error)
    },
    slots: {
      begun(service) {
        trouble = undefined
        onSlot.begun(service)
      },
      ended(service, result) {
        noteResult(service, result)
        onSlot.ended(service, result)
      },
      failed(service, error) {
        const stack = error instanceof AuditError ? undefined : error instanceof Error ? error.stack : undefined
        log.error({ service, error: messageOf(error), stack }, 'a project could not be scanned: another worker tries')
        onSlot.failed(service, error)
      },
      unreachable(error) {
        noteTrouble(error)
        onSlot.unreachable(error)
      },
    },
  }
}
