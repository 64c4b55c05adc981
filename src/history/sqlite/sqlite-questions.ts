import { differing, visitDiffering } from './differing.ts'
import { endpointsOf } from './endpoints-of.ts'
import { firstViolations, foundViolations } from './first-violations.ts'
import { countResources, listResources } from './list-resources.ts'
import { readMove } from './move/mark-moved.ts'
import { find, referrersOf, search, versionsOf, violationsOf } from './resource-life.ts'
import { visitSpans } from './visit-spans.ts'
import { identifyViolations, visitViolations } from './visit-violations.ts'

/** What people and pages ask a history, and no run does. */
export const questions = {
  firstViolations,
  visitViolations,
  foundViolations,
  identifyViolations,
  visitSpans,
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
