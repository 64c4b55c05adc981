import { type Attributes, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { Timing } from '../audit/project-scan.ts'
import type { Report, ReportCoverage } from '../model/report.ts'
import type { ProjectRef } from '../model/resource.ts'

/** A run as it becomes a trace. Spans are made when it has ended: only then it is known what each walk proved. */
export interface RunTrace {
  timed(project: ProjectRef, timing: Timing): void
  /** The run was committed. */
  ended(report: Report, at: number): void
  /** An error ended it; `kind` says which, and nothing that a service sent. */
  failed(kind: string, at: number): void
}

type ProjectTiming = Timing & { readonly project: ProjectRef }

/** Statuses of a walk that are as they should be. */
const fine: ReadonlySet<string> = new Set(['complete', 'skipped'])

/**
 * One trace: a span for the run, in it one for the scan of each project, in that one for each walk. `about`: attributes
 * of the run. Attributes are names of the configuration, codes and counts: no text of a service, no address.
 */
export function traceRun(tracer: Tracer, startedAt: number, about: Attributes): RunTrace {
  const timings: ProjectTiming[] = []

  const emit = (
    endTime: number,
    attributes: Attributes,
    fault: string | undefined,
    walks: readonly ReportCoverage[],
  ) => {
    const run = tracer.startSpan('hookdrift.run', {
      root: true,
      startTime: startedAt,
      attributes: { ...about, ...attributes },
    })
    if (fault !== undefined) run.setStatus({ code: SpanStatusCode.ERROR, message: fault })
    const inRun = trace.setSpan(ROOT_CONTEXT, run)
    for (const [name, parts] of Map.groupBy(timings, ({ project }) => project.name)) {
      const attributes = { 'hookdrift.service': parts[0]?.project.service, 'hookdrift.project': name }
      const ofProject = walks.filter(({ project }) => project === name)
      const scanned = parts.find(({ listing }) => listing === undefined)
      const scan = tracer.startSpan('hookdrift.scan', { startTime: scanned?.startedAt ?? startedAt, attributes }, inRun)
      const incomplete = ofProject.filter(({ status }) => !fine.has(status))
      if (incomplete.length > 0) scan.setStatus({ code: SpanStatusCode.ERROR, message: causesOf(incomplete) })
      const inScan = trace.setSpan(inRun, scan)
      for (const { listing, startedAt: startTime, endedAt } of parts) {
        if (listing === undefined) continue
        const coverage = ofProject.find((walk) => walk.listing === listing)
        const span = tracer.startSpan(
          'hookdrift.walk',
          { startTime, attributes: { ...attributes, 'hookdrift.listing': listing, ...attributesOf(coverage) } },
          inScan,
        )
        if (coverage !== undefined && !fine.has(coverage.status))
          span.setStatus({ code: SpanStatusCode.ERROR, message: causesOf([coverage]) })
        span.end(endedAt)
      }
      scan.end(scanned?.endedAt ?? endTime)
    }
    run.end(endTime)
  }

  return {
    timed: (project, timing) => void timings.push({ project, ...timing }),
    ended({ run, verdict, coverage }, at) {
      const { exit_code: code, violations, drift } = verdict
      const counts = [
        ...Object.entries(violations).map(([severity, count]) => [`hookdrift.violations.${severity}`, count] as const),
        ...Object.entries(drift).map(([change, count]) => [`hookdrift.drift.${change}`, count] as const),
      ]
      const attributes = { 'hookdrift.run': run.number, 'hookdrift.exit_code': code, ...Object.fromEntries(counts) }
      // Violations are a result; an incomplete scan is a failure of the run.
      emit(at, attributes, code > 1 ? `exit code ${code}` : undefined, coverage)
    },
    failed: (kind, at) => emit(at, {}, kind, []),
  }
}

function attributesOf(coverage: ReportCoverage | undefined): Attributes {
  if (coverage === undefined) return {}
  const { status, cause, pages, items, requests, retries } = coverage
  return {
    'hookdrift.status': status,
    ...(cause === null ? {} : { 'hookdrift.cause': cause }),
    'hookdrift.pages': pages,
    'hookdrift.items': items,
    'hookdrift.requests': requests,
    'hookdrift.retries': retries,
  }
}

function causesOf(walks: readonly ReportCoverage[]): string {
  return [...new Set(walks.map(({ status, cause }) => cause ?? status))].join(', ')
}
