import { type FailOn, leastNew } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { atLeast } from '../verdict.ts'
import type { ScanExtent } from './scan-extent.ts'

/** A verdict in words; `outcome` is its colour. */
export interface VerdictWords {
  readonly outcome: 'passed' | 'failed' | 'unknown'
  readonly word: string
  readonly sentence: string
}

/** `failing`: how many open violations fail a run that fails on `failOn`. What was not scanned may hide more. */
export function describeVerdict({
  failOn,
  failing,
  extent,
}: {
  readonly failOn: FailOn
  readonly failing: number
  readonly extent: ScanExtent
}): VerdictWords {
  if (extent === 'none') return { outcome: 'unknown', word: 'Unknown', sentence: 'Nothing was scanned.' }
  const isWhole = extent === 'all'
  if (failing > 0) {
    const found = `${count(failing, failOn === 'new' ? 'new open violation' : 'open violation')} of ${thresholdOf(failOn)}`
    const sentence = isWhole ? `${found}.` : `At least ${found}: the scan is incomplete.`
    return { outcome: 'failed', word: 'Failed', sentence }
  }
  const none =
    failOn === 'never'
      ? 'No violation fails a run'
      : `No ${failOn === 'new' ? 'new ' : ''}open violation of ${thresholdOf(failOn)}`
  return isWhole
    ? { outcome: 'passed', word: 'Passed', sentence: `${none}.` }
    : { outcome: 'unknown', word: 'Incomplete', sentence: `${none} in what was scanned, the rest is unknown.` }
}

function thresholdOf(failOn: FailOn): string {
  return atLeast(failOn === 'new' || failOn === 'never' ? leastNew : failOn)
}
