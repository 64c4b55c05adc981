import type { HistoryReader } from '../history/reader.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { listViolations } from '../history/sql/list-violations.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import type { EvaluatedRule, ProjectEvaluation } from '../model/evaluation.ts'
import { gapsOfRule, isSilent } from '../model/gap.ts'
import type { Kind } from '../model/resource.ts'
import { countSeverities, isOpen, type Severity, severities } from '../model/violation.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { gapsFor, isGap } from '../report/gaps.ts'
import { rules as publishedRules } from '../rules/rules.ts'
import { presentScans, toCoverage } from './as-of.ts'

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
  /** Of the open violations: options and overrides may give them another severity than the rule has. */
  readonly severities: Readonly<Record<Severity, number>>
  readonly unknown: number
  readonly waived: number
  /** Walks that it needs and that were not complete: what they did not show was not evaluated. */
  readonly gaps: readonly AnswerCoverage[]
  /** Projects whose last scan could not evaluate it, and why. */
  readonly not_evaluated: readonly Omission[]
  /** Other projects in which it missed something, and what. */
  readonly missed: readonly Omission[]
}

interface Omission {
  readonly project: string
  readonly reason: string
}

/**
 * Every rule that the run evaluated, that comes with the program, or that has violations: by severity, of open violations
 * where there are some, then by name. Counts of each project are as of its last scan.
 */
export async function readRules(reader: HistoryReader, run: number): Promise<readonly RuleInRun[]> {
  const inputs = await readRunInputs(reader, run)
  const scans = presentScans(await readLatestScans(reader, run))
  const walked = scans.map((scan) => ({ project: scan.project.name, walks: toCoverage(scan) }))
  const evaluations = [...(await readEvaluations(reader, scans)).values()]
  const counts = await countByRule(reader, run)
  const evaluated = new Map((inputs?.rules ?? []).map((rule) => [rule.id, rule]))
  const published = new Map(publishedRules.map((rule) => [rule.id, rule]))
  const ids = new Set([...evaluated.keys(), ...published.keys(), ...counts.keys()])
  const inRun = [...ids].map((id): RuleInRun => {
    const recorded = evaluated.get(id)
    const description = recorded ?? published.get(id)
    return {
      id,
      kind: description?.kind,
      title: description?.title ?? '',
      severity: description?.severity,
      evaluated: recorded,
      ...(counts.get(id) ?? noViolations()),
      gaps: recorded === undefined ? [] : walked.flatMap(({ walks }) => gapsFor(recorded, walks).filter(isGap)),
      ...(recorded === undefined ? { not_evaluated: [], missed: [] } : findOmissions(recorded, evaluations)),
    }
  })
  return inRun.sort((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1))
}

function rankOf(rule: RuleInRun): number {
  const severity = worstOf(rule) ?? rule.severity
  return severity === undefined ? severities.length : severities.indexOf(severity)
}

/** The worst severity among the open violations of a rule; undefined where none is open. */
export function worstOf({ severities: counts }: Pick<RuleInRun, 'severities'>): Severity | undefined {
  return severities.find((severity) => counts[severity] > 0)
}

const noViolations = () => ({ open: 0, severities: countSeverities([]), unknown: 0, waived: 0 })

async function countByRule(reader: HistoryReader, run: number) {
  const counts = new Map<string, ReturnType<typeof noViolations>>()
  for (const violation of await listViolations(reader, { run })) {
    const { rule, state, severity } = violation
    const tally = counts.get(rule) ?? noViolations()
    counts.set(rule, tally)
    if (isOpen(violation)) {
      tally.open += 1
      tally.severities[severity] += 1
    } else if (state === 'unknown' || state === 'waived') tally[state] += 1
  }
  return counts
}

function findOmissions(
  recorded: EvaluatedRule,
  evaluations: readonly ProjectEvaluation[],
): Pick<RuleInRun, 'not_evaluated' | 'missed'> {
  const found = { not_evaluated: [] as Omission[], missed: [] as Omission[] }
  for (const gap of evaluations.flatMap(({ gaps }) => gapsOfRule(gaps, recorded.id))) {
    const { project, text: reason } = gap
    const omissions = isSilent(gap) ? found.not_evaluated : found.missed
    omissions.push({ project, reason })
  }
  return found
}
