import { dueListings } from './due-listings.ts'
import type { PageProcessor } from './process-pages.ts'
import type { AuditedProject } from './project-scan.ts'
import type { ProjectTools } from './project-tools.ts'
import { proveIdentity } from './prove-identity.ts'
import type { ProjectContext } from './stage-resources.ts'
import { type Walk, walkListing } from './walk-listing.ts'
import { type WithheldWalks, withholdRemovals } from './withhold-removals.ts'

export interface ProvenWalks extends WithheldWalks {
  /** Milliseconds of the retry budget that the walks have used. */
  readonly waitedMs: number
}

/** Walks a project's listings one after the other, and says what that proved: whose it was, and what it lost. */
export async function walkProject(
  project: AuditedProject,
  stage: ProjectContext,
  processor: PageProcessor,
  tools: ProjectTools,
): Promise<ProvenWalks> {
  const budget = { waitedMs: 0 }
  const walked: Walk[] = []
  for (const listing of dueListings(project)) {
    const walk = await walkListing(listing, project, tools, (items, ms) => processor.take(listing, items, ms), budget)
    walked.push(walk)
    if (walk.coverage.cause === 'foreign') break
  }
  const proof = await proveIdentity(project, walked, tools.signal)
  const held = await withholdRemovals(stage, proof, {
    limits: tools.evaluator.optionsOf(project.ref, processor.self(), 'project/mass-removal'),
    acceptsRemovals: tools.acceptsRemovals,
    seenAgain: processor.seenAgain,
  })
  return { ...held, waitedMs: budget.waitedMs }
}
