import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { isProjectList, policyProject } from '../model/resource.ts'
import type { Answer, AnswerCoverage, AnswerRun } from '../report/answer.ts'

export function toAnswerRun({ number, started_at, finished_at }: CommittedRun): AnswerRun {
  return { number, started_at, finished_at, state: 'committed' }
}

/** The run that an answer is as of, with the coverage of the scans that it rests on. */
export function statingExtent(
  run: CommittedRun,
  scans: readonly RecordedScan[],
): Pick<Answer<never>, 'run' | 'coverage'> {
  return { run: toAnswerRun(run), coverage: toCoverageOfAll(scans) }
}

/** Without projects that left the fleet, whose last scan is not a gap in it; with them where nothing else is asked for. */
export function presentScans(scans: readonly RecordedScan[]): readonly RecordedScan[] {
  const present = scans.filter(({ hasDeparted }) => !hasDeparted)
  return present.length === 0 ? scans : present
}

export function toCoverageOfAll(scans: readonly RecordedScan[]): AnswerCoverage[] {
  return presentScans(scans).flatMap(toCoverage)
}

export function toCoverage({ project, run, coverage }: RecordedScan): AnswerCoverage[] {
  return coverage.map((walk) => ({ project: project.name, ...walk, run: run.number }))
}

/**
 * Selects the projects that match `--project`.
 * @throws AuditError.usage when none does
 */
export function selectProjects<Scan extends Pick<RecordedScan, 'project'>>(
  scans: readonly Scan[],
  patterns: readonly string[],
): readonly Scan[] {
  const chosen = matchingProjects(scans, patterns)
  if (chosen.length > 0 || patterns.length === 0) return chosen
  const projects = scans.filter(({ project }) => !isProjectList(project))
  const names = [...new Set(projects.map(({ project }) => project.name))].slice(0, 20)
  throw AuditError.usage(`--project ${patterns.join(' ')} matches none of ${names.join(', ') || 'no projects'}`)
}

/**
 * The same of a question about violations, which the policy has too, although it is not scanned.
 * @throws AuditError.usage when neither a scan nor the policy matches
 */
export function selectScans(scans: readonly RecordedScan[], patterns: readonly string[]): readonly RecordedScan[] {
  return selectProjects([...scans, { project: policyProject }], patterns).filter((scan) => 'coverage' in scan)
}

/** Those that match, if any. One that left the fleet and is named, not only matched by a `*`, counts as present. */
export function matchingProjects<Scan extends Pick<RecordedScan, 'project'>>(
  scans: readonly Scan[],
  patterns: readonly string[],
): readonly Scan[] {
  const names = patterns.filter((pattern) => !pattern.includes('*'))
  const isNamed = (name: string) => names.length > 0 && matchesProject(name, names)
  return scans
    .filter(({ project }) => matchesProject(project.name, patterns))
    .map((scan) => (isNamed(scan.project.name) ? { ...scan, hasDeparted: false } : scan))
}
