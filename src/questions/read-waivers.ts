import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { compareText } from '../history/report-order.ts'
import { readFirstViolations } from '../history/sql/first-violations.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readWaivedBetween } from '../history/sql/violations.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { dayMs } from '../model/time.ts'
import type { Waiver } from '../model/violation.ts'

/** A waiver that accepts violations as of a run. */
export interface WaiverInForce extends Waiver {
  readonly rule: string
  /** How many violations it accepts. */
  readonly violations: number
  /** Some of them, in the order of reports. */
  readonly shown: readonly RecordedViolation[]
  /** `ended`: since the run; the next one counts what it accepted. */
  readonly state: 'in force' | 'ends soon' | 'ended'
}

/** How soon a waiver ends that ends soon, as `waiver/expiring` has it unless a policy sets other days. */
export const soonMs = 14 * dayMs
const mostShown = 500

/** Waivers that accept violations as of a run, the first that ends first. `now`: milliseconds since the epoch. */
export async function readWaivers(
  reader: HistoryReader,
  run: CommittedRun,
  now: number,
): Promise<readonly WaiverInForce[]> {
  const waived = await readWaivedBetween(reader, run.number - 1, run.number)
  const named = await readFirstViolations(reader, {
    run: run.number,
    withActive: true,
    resolvedAfter: undefined,
    most: mostShown,
    isChosen: ({ waiver, state }) => state === 'waived' || waiver !== undefined,
  })
  const byWaiver = Map.groupBy(named, ({ rule, waiver }) => keyOf(rule, waiver))
  return [...Map.groupBy(waived, ({ rule, waiver }) => keyOf(rule, waiver))]
    .flatMap(([key, alike]): WaiverInForce[] => {
      const [one] = alike
      if (one === undefined) return []
      const { rule, waiver } = one
      const remainingMs = Date.parse(waiver.expires) - now
      return [
        {
          ...waiver,
          rule,
          violations: alike.length,
          shown: byWaiver.get(key) ?? [],
          state: remainingMs <= 0 ? 'ended' : remainingMs <= soonMs ? 'ends soon' : 'in force',
        },
      ]
    })
    .sort((a, b) => compareText(a.expires, b.expires) || compareText(a.rule, b.rule))
}

function keyOf(rule: string, waiver: Waiver | undefined): string {
  return canonicalJson([rule, { ...waiver }])
}
