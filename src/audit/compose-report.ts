import type { RunRecord } from '../history/records.ts'
import type { Report } from '../model/report.ts'
import { composeVerdict } from '../report/verdict.ts'

/** The report of a run, from its record alone: the same today and in a year. */
export function composeReport(record: RunRecord): Report {
  const { number, startedAt, finishedAt, failOn, toolVersion, coverage, notices, changes, violations } = record
  const { rules, projects, policyDigest, configurationDigest, chain } = record
  return {
    schema: 'hookdrift.report/1',
    tool: { name: 'hookdrift', version: toolVersion },
    run: { number, started_at: startedAt, finished_at: finishedAt, sealed: true },
    digests: { policy: policyDigest, configuration: configurationDigest, chain },
    verdict: composeVerdict({ coverage, violations, drift: changes, failOn }),
    coverage: coverage.map(
      ({ project, listing, status, cause, reason, filter, pages, items, requests, retries, durationMs }) => ({
        project,
        listing,
        status,
        cause,
        reason,
        filter,
        pages,
        items,
        requests,
        retries,
        duration_ms: durationMs,
      }),
    ),
    notices,
    drift: changes.map(({ project, kind, uid, name, change, fields, referrers }) => ({
      project,
      kind,
      uid,
      name,
      change,
      fields,
      ...(referrers === undefined ? {} : { referrers }),
    })),
    violations: violations.map((violation) => ({
      fingerprint: violation.fingerprint,
      rule: violation.rule,
      severity: violation.severity,
      state: violation.state,
      project: violation.project,
      kind: violation.kind,
      uid: violation.uid,
      name: violation.name,
      path: violation.path,
      message: violation.message,
      first_seen: violation.firstSeen,
      last_seen: violation.lastSeen,
      ...(violation.waiver === undefined ? {} : { waiver: violation.waiver }),
    })),
    projects,
    rules,
  }
}
