import type { Clock } from '../model/clock.ts'
import type { FilterCoverage } from '../model/coverage.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { KeyAcceptance } from '../service/service-client.ts'
import { dueListings } from './due-listings.ts'
import type { PageProcessor } from './process-pages.ts'
import type { ProjectContext } from './project-context.ts'
import type { AuditedProject, OnTimed, PageRead, Statuses } from './project-scan.ts'
import { proveIdentity } from './prove-identity.ts'
import type { TakenPage } from './taken-page.ts'
import { openFilterWalk } from './walk-filters.ts'
import { type Walk, walkListing } from './walk-listing.ts'
import { type WithheldWalks, withholdRemovals } from './withhold-removals.ts'

export interface WalkTools {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onTimed?: OnTimed | undefined
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  readonly onPage: (project: AuditedProject, page: PageRead) => void
}

export interface ProvenWalks extends WithheldWalks {
  /** Of filter rows; undefined where none were to be read. */
  readonly filters: FilterCoverage | undefined
  /** Milliseconds of the retry budget that the walks have used. */
  readonly waitedMs: number
  readonly acceptance: KeyAcceptance
}

/** Walks a project's listings, and says what that proved: whose it was, and what it lost. */
export async function walkProject(
  project: AuditedProject,
  context: ProjectContext,
  processor: PageProcessor,
  evaluator: PolicyEvaluator,
  tools: WalkTools,
): Promise<ProvenWalks> {
  const { gathered } = processor
  const budget = { waitedMs: 0 }
  const acceptance: KeyAcceptance = { isAccepted: false }
  const walked: Walk[] = []
  const { clock, signal, onPage } = tools
  const filters = await openFilterWalk(project, context, { clock, signal, acceptance, onPage })
  for (const listing of dueListings(project)) {
    const startedAt = tools.clock.now()
    if (listing === 'subscriptions') await gathered.contradictions.expect(statusesOf(walked), gathered.unseen.itemsOf)
    const take = (page: TakenPage, ms: number) => processor.take(listing, page, ms)
    const ofListing = listing === 'subscriptions' ? filters : undefined
    const walk = await walkListing(listing, project, tools, { take, budget, acceptance, filters: ofListing })
    const endedAt = tools.clock.now()
    tools.onTimed?.(project, { listing, startedAt, endedAt })
    // They are read while the list is.
    if (ofListing !== undefined) tools.onTimed?.(project, { listing: 'filters', startedAt, endedAt })
    walked.push(walk)
    if (walk.coverage.cause === 'foreign') break
  }
  const proof = await proveIdentity(project, walked, tools.signal)
  const withheld = await withholdRemovals(context, proof, {
    limits: evaluator.optionsOf(project.ref, gathered.self, 'project/mass-removal'),
    acceptsRemovals: tools.acceptsRemovals,
    seenAgain: gathered.seenAgain,
    fieldsMissing: gathered.unseen.fieldsMissing,
    contradicted: gathered.contradictions.uidsOf,
  })
  const list = withheld.walks.find(({ coverage }) => coverage.listing === 'subscriptions')?.coverage
  if (list !== undefined) await filters?.stage(list)
  return { ...withheld, filters: list && filters?.coverage(list), waitedMs: budget.waitedMs, acceptance }
}

function statusesOf(walks: readonly Walk[]): Statuses {
  return Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
}
