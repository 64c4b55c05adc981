import type { Report } from '../../src/model/report.ts'

/** What a report makes of the endpoints of its first project: whether they were seen, and what that did. */
export function endpointsIn({ verdict, coverage, drift, violations }: Report) {
  const endpoints = coverage.find(({ listing }) => listing === 'endpoints')
  return {
    exit: verdict.exit_code,
    status: endpoints?.status,
    reason: endpoints?.reason,
    removed: drift.filter(({ change }) => change === 'removed').length,
    resolved: violations.filter(({ state }) => state === 'resolved').length,
  }
}
