import type { HistoryReader, RecordedScan, RunInputs } from '../history/reader.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import type { Kind } from '../model/resource.ts'
import { isOpen, type Severity, severities } from '../model/violation.ts'
import { gapsFor } from '../report/gaps.ts'
import { rules as ownRules } from '../rules/rules.ts'
import { toCoverage } from './as-of.ts'

/** A rule as of a run, and what of it is open in any project. */
export interface RuleInRun {
  readonly id: string
  readonly kind: Kind | undefined
  /** Empty where only its violations are known: a rule that an earlier policy had. */
  readonly title: string
  /** In the policy of the run; else as it is published. undefined where neither is known. */
  readonly severity: Severity | undefined
  /** What the run recorded of it; undefined: the run did not evaluate it. */
  readonly evaluated: EvaluatedRule | undefined
  readonly open: number
  readonly unknown: number
  readonly waived: number
  /** Projects in which it could not be evaluated, or not over all resources, with the reason. */
  readonly gaps: readonly RuleGap[]
}

export interface RuleGap {
  readonly project: string
  readonly reason: string
}

/**
 * Every rule that the run evaluated, that comes with the program, or that has violations: by severity, then by name. Counts
 * of each project are as of its last scan.
 */
export async function readRules(
  reader: Pick<HistoryReader, 'runInputs' | 'latestScans' | 'firstViolations'>,
  run: number,
): Promise<readonly RuleInRun[]> {
  const inputs = await reader.runInputs(run)
  const scans = await reader.latestScans(run)
  const counts = await countByRule(reader, run)
  const evaluated = new Map((inputs?.rules ?? []).map((rule) => [rule.id, rule]))
  const published = new Map(ownRules.map((rule) => [rule.id, rule]))
  const ids = new Set([...evaluated.keys(), ...published.keys(), ...counts.keys()])
  const found = [...ids].map((id): RuleInRun => {
    const recorded = evaluated.get(id)
    const known = recorded ?? published.get(id)
    return {
      ...{ id, kind: known?.kind, title: known?.title ?? '', severity: known?.severity, evaluated: recorded },
      ...(counts.get(id) ?? nothingFound),
      gaps: recorded === undefined ? [] : findGaps(recorded, scans, inputs),
    }
  })
  return found.sort((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1))
}

function rankOf({ severity }: RuleInRun): number {
  return severity === undefined ? severities.length : severities.indexOf(severity)
}

const nothingFound = { open: 0, unknown: 0, waived: 0 }

/** Without holding the violations, of which there may be a million. */
async function countByRule(reader: Pick<HistoryReader, 'firstViolations'>, run: number) {
  const counts = new Map<string, { open: number; unknown: number; waived: number }>()
  await reader.firstViolations({
    ...{ run, withActive: true, resolvedAfter: undefined, withOwner: false, most: 0 },
    isChosen(violation) {
      const { rule, state } = violation
      const known = counts.get(rule) ?? { ...nothingFound }
      counts.set(rule, known)
      if (isOpen(violation)) known.open++
      else if (state === 'unknown' || state === 'waived') known[state]++
      return false
    },
  })
  return counts
}

function findGaps(rule: EvaluatedRule, scans: readonly RecordedScan[], inputs: RunInputs | undefined): RuleGap[] {
  const refused = (inputs?.projects ?? []).flatMap(({ project, notEvaluated }) =>
    Object.hasOwn(notEvaluated, rule.id) ? [{ project, reason: notEvaluated[rule.id] ?? '' }] : [],
  )
  const unread = scans.flatMap((scan) => {
    const [walk] = gapsFor(rule, toCoverage(scan)).filter(({ status }) => status !== 'skipped')
    if (walk === undefined) return []
    const { project, listing, status, reason } = walk
    return [{ project, reason: `${listing} ${status}${reason === null ? '' : `: ${reason}`}` }]
  })
  return [...refused, ...unread]
}
