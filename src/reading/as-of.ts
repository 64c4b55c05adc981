import { isChosen } from '../config/choose-projects.ts'
import type { ProjectLook, SealedRun } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import type { Answer, AnswerCoverage, AnswerRun } from '../report/answer.ts'

export function toAnswerRun({ number, startedAt, finishedAt }: SealedRun): AnswerRun {
  return { number, started_at: startedAt, finished_at: finishedAt, sealed: true }
}

/** What an answer says before its rows. */
export function statingExtent(run: SealedRun, looks: readonly ProjectLook[]): Pick<Answer<never>, 'run' | 'coverage'> {
  return { run: toAnswerRun(run), coverage: looks.flatMap(toCoverage) }
}

export function toCoverage({ project, run, coverage }: ProjectLook): AnswerCoverage[] {
  return coverage.map(({ listing, status, cause, reason, filter, pages, items, requests, retries, durationMs }) => ({
    ...{ project: project.name, listing, status, cause, reason, filter, pages, items, requests, retries },
    duration_ms: durationMs,
    run: run.number,
  }))
}

/**
 * The projects that `--project` means.
 * @throws AuditError 2 when it means none
 */
export function choose<Look extends Pick<ProjectLook, 'project'>>(
  looks: readonly Look[],
  patterns: readonly string[],
): readonly Look[] {
  const chosen = looks.filter(({ project }) => isChosen(project.name, patterns))
  if (chosen.length > 0 || patterns.length === 0) return chosen
  const names = looks.slice(0, 20).map(({ project }) => project.name)
  throw new AuditError(2, `--project ${patterns.join(' ')} matches none of ${names.join(', ') || 'no projects'}`)
}
