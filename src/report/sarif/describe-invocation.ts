import type { Invocation, Notification, ReportingDescriptor } from 'sarif'
import { type CoverageStatus, isCoverageComplete } from '../../model/coverage.ts'
import type { FileLocation } from '../../model/evaluation.ts'
import type { Report, ReportCoverage } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { describeNotice } from '../describe-notice.ts'
import { physicalLocation } from './describe-result.ts'
import { plain } from './plain.ts'

/** The notifications that a run can have. */
export const notificationKinds = [
  { id: 'walk-incomplete', shortDescription: { text: 'A listing could not be read to its end' } },
  { id: 'walk-skipped', shortDescription: { text: 'A listing is not offered by the service' } },
  { id: 'walk-narrowed', shortDescription: { text: 'A listing was read through a filter' } },
  { id: 'rule-not-evaluated', shortDescription: { text: 'A rule could not be evaluated in a project' } },
  { id: 'notice', shortDescription: { text: 'Information that is not a fault' } },
  { id: 'results-cut', shortDescription: { text: 'Results were omitted' } },
] as const satisfies readonly ReportingDescriptor[]

type NotificationKind = (typeof notificationKinds)[number]['id']

/** The outcome of the run: its exit code, gaps, rules without a result and the number of omitted results. */
export function describeInvocation(
  report: Report,
  placeOf: (project: string) => FileLocation | undefined,
  omitted: string | undefined,
): Invocation {
  const { run, verdict, coverage, notices, projects } = report
  const notify = (id: NotificationKind, level: Notification.level, text: string, project?: string): Notification => ({
    descriptor: { id },
    level,
    message: { text: plain(text) },
    ...(project === undefined ? {} : { locations: [projectLocation(project, placeOf(project))] }),
  })
  return {
    executionSuccessful: isCoverageComplete(coverage),
    exitCode: verdict.exit_code,
    exitCodeDescription: plain(verdict.text),
    startTimeUtc: run.started_at,
    endTimeUtc: run.finished_at,
    toolExecutionNotifications: [
      ...(omitted === undefined ? [] : [notify('results-cut', 'warning', omitted)]),
      ...coverage.flatMap((walk) =>
        describeWalk(walk).map(([id, level, text]) => notify(id, level, text, walk.project)),
      ),
      ...projects.flatMap(({ project, not_evaluated }) =>
        Object.entries(not_evaluated).map(([rule, why]) =>
          notify('rule-not-evaluated', 'warning', `${project}: ${rule} was not evaluated: ${why}`, project),
        ),
      ),
      ...notices.map((notice) => notify('notice', 'note', describeNotice(notice), notice.project ?? undefined)),
    ],
  }
}

const levelOf = {
  failed: 'error',
  partial: 'error',
  suspect: 'warning',
} as const satisfies Record<Exclude<CoverageStatus, 'complete' | 'skipped'>, Notification.level>

function describeWalk(walk: ReportCoverage): [NotificationKind, Notification.level, string][] {
  const { project, listing, status, reason, filter, items, pages } = walk
  const found: [NotificationKind, Notification.level, string][] = []
  if (status === 'skipped') found.push(['walk-skipped', 'note', `${project} ${listing}: skipped: ${reason}`])
  else if (status !== 'complete') {
    const seen = pages === 0 ? 'nothing seen' : `${count(items, 'item')} in ${count(pages, 'page')} seen`
    found.push(['walk-incomplete', levelOf[status], `${project} ${listing}: ${status}, ${seen}: ${reason}`])
  }
  if (filter !== null) found.push(['walk-narrowed', 'note', `${project} ${listing}: only those with ${filter}`])
  return found
}

function projectLocation(project: string, place: FileLocation | undefined) {
  return { ...physicalLocation(place), logicalLocations: [{ fullyQualifiedName: project, kind: 'project' }] }
}
