import { differing, visitDiffering } from './differing.ts'
import { endedRuns, runExtents, runsBefore } from './ended-runs.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { countResources, listResources } from './list-resources.ts'
import { readMove } from './move/mark-moved.ts'
import { policiesBetween } from './policies-between.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { resolvedBetween, violationsAt, waivedBetween } from './violations-at.ts'
import { visitSpans } from './visit-spans.ts'
import { identifyViolations, visitViolations } from './visit-violations.ts'

/** What people and pages ask a history, and no run does. */
export const questions = {
  endedRuns,
  runsBefore,
  runExtents,
  violationsAt,
  resolvedBetween,
  firstViolations,
  visitViolations,
  foundViolations,
  identifyViolations,
  visitSpans,
  waivedBetween,
  policiesBetween,
  listResources,
  countResources,
  differing,
  visitDiffering,
  find,
  search,
  endpointsOf,
  versionsOf,
  violationsOf,
  referrersOf,
  readMove,
}
