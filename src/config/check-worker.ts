import { describeReference } from '../yaml/describe-value.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { areNamesLost, someOf } from './check-schedules.ts'
import { findUnguarded } from './check-serve.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'

/**
 * Finds members of `worker` that only a shared worker has, services that it names and that are not configured, and
 * pages that have no address or no readers.
 */
export function* findWorkerFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { worker, services } = document.value
  if (worker === undefined) return
  for (const member of ['slots', 'services'] as const) {
    if (worker[member] === undefined || worker.shared === true) continue
    yield document.problem(['worker', member], 'only for a worker with `shared: true`')
  }
  if (worker.pages === true) {
    if (worker.listen === undefined)
      yield document.problem(['worker', 'pages'], 'only with `listen`: they need an address')
    yield* findUnguarded(document, ['worker', 'listen'], worker.listen)
  }
  const names = services.map(({ name }) => name)
  if (areNamesLost(document.leftOut)) return
  for (const [index, name] of (worker.services ?? []).entries()) {
    if (names.includes(name)) continue
    yield document.problem(['worker', 'services', index], `${describeReference(name)} is none of ${someOf(names)}`)
  }
}
