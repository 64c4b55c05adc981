import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { identifyViolations, readViolationsByKey } from '../history/sql/violation-keys.ts'
import type { ResolvedViolation } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import { severities } from '../model/violation.ts'
import type { ViolationCursor } from './choose-violations.ts'
import type { ListPlace } from './question.ts'

/**
 * Names the position of a violation in an order, as a token for links. It holds in later runs, too, where the violation
 * may be elsewhere or gone.
 */
export function pageTokenOf(violation: RecordedViolation | ResolvedViolation, sortKey: number): string {
  const { severity, state, fingerprint } = violation
  const turn = 'resolved_run' in violation ? violation.resolved_run : 0
  return [sortKey, turn, severities.indexOf(severity), state === 'opened' ? 0 : 1, fingerprint].join('.')
}

/**
 * The position that a token names.
 * @throws AuditError.usage when it names none of this history
 */
export async function readCursor(
  reader: HistoryReader,
  { token, isEnd }: ListPlace,
  run: number,
): Promise<ViolationCursor> {
  const [, sortKey, turn, rank, stateRank, fingerprint = ''] =
    /^(\d{1,15}|Infinity)\.(\d{1,15})\.([0-4])\.([01])\.([0-9a-f]{32})$/.exec(token) ?? []
  const [identified] = fingerprint === '' ? [] : await identifyViolations(reader, fingerprint, run, 1)
  const [violation] =
    identified === undefined
      ? []
      : await readViolationsByKey(reader, [{ ...identified, project: identified.project.name }])
  const severity = severities[Number(rank)]
  if (violation === undefined || severity === undefined) {
    throw AuditError.usage('the cursor of the page is not one of this list', { advice: 'begin with its first page' })
  }
  const { project, kind, uid, rule, path } = violation
  const isResolved = Number(turn) > 0
  const state = isResolved ? 'resolved' : stateRank === '0' ? 'opened' : 'continuing'
  return { sortKey: Number(sortKey), run: Number(turn), severity, state, project, kind, uid, rule, path, isEnd }
}
