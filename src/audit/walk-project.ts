import { dueListings } from './due-listings.ts'
import { type Held, holdLosses } from './hold-losses.ts'
import type { AuditedProject } from './look.ts'
import type { Pass } from './open-pass.ts'
import type { ProjectTools } from './project-tools.ts'
import { proveIdentity } from './prove-identity.ts'
import type { Stage } from './stage-resources.ts'
import { type Walk, walkListing } from './walk-listing.ts'

export interface ProvenWalks extends Held {
  /** Milliseconds of the retry budget that the walks have used. */
  readonly waitedMs: number
}

/** Walks a project's listings one after the other, and says what that proved: whose it was, and what it lost. */
export async function walkProject(
  project: AuditedProject,
  stage: Stage,
  pass: Pass,
  tools: ProjectTools,
): Promise<ProvenWalks> {
  const budget = { waitedMs: 0 }
  const walked: Walk[] = []
  for (const listing of dueListings(project)) {
    const walk = await walkListing(listing, project, tools, (items, ms) => pass.take(listing, items, ms), budget)
    walked.push(walk)
    if (walk.coverage.cause === 'foreign') break
  }
  const proof = await proveIdentity(project, walked, tools.signal)
  const held = await holdLosses(stage, proof, {
    limits: tools.judge.optionsOf(project.ref, pass.self(), 'project/mass-removal'),
    acceptsRemovals: tools.acceptsRemovals,
    seenAgain: pass.seenAgain,
  })
  return { ...held, waitedMs: budget.waitedMs }
}
