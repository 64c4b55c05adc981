import { ServiceFault } from '../gateway/service/service-fault.ts'
import type { CoverageCause } from '../model/coverage.ts'
import type { Listing } from '../model/resource.ts'
import type { AuditedProject } from './audited-project.ts'
import { describeFault } from './describe-fault.ts'
import { dueListings, unreadListing } from './due-listings.ts'
import type { Walk } from './project-walk.ts'

export interface Proof {
  readonly walks: readonly Walk[]
  /** Lists whose items do not name the project, if there are any, of a project that cannot be determined. */
  readonly unproven: ReadonlySet<Listing>
}

/**
 * Some services ignore the project in the path and answer with the project that the key belongs to. An item names
 * its project; an empty list does not. Where lists came back empty and nothing else proves the project, the project
 * itself is requested, and a list that another project's key could also get proves nothing. Where the service does not
 * offer the project, an empty list stays unproven, and removals in it are withheld (`withhold-removals.ts`). So it is with
 * a catalogue of event types, whose items do not name a project.
 *
 * One foreign answer spoils every walk of the project.
 */
export async function proveIdentity(
  project: AuditedProject,
  walks: readonly Walk[],
  signal: AbortSignal,
): Promise<Proof> {
  const foreign = walks.find(({ coverage }) => coverage.cause === 'foreign')
  if (foreign !== undefined) return proven(spoil(project, walks, foreign.coverage.reason ?? ''))
  if (walks.some(namesProject) || !walks.some(isNameless)) return proven(walks)
  const answer = await ask(project, walks, signal)
  if (answer === 'own') return proven(walks)
  if (answer === 'not offered') {
    return { walks, unproven: new Set(walks.filter(isNameless).map(({ coverage }) => coverage.listing)) }
  }
  if (answer.cause === 'foreign') return proven(spoil(project, walks, answer.reason))
  const { cause } = answer
  return proven(
    walks.map((walk) => {
      if (!isNameless(walk)) return walk
      const what = walk.coverage.items === 0 ? 'empty' : 'its items do not name their project'
      const reason = `${what}, and the key could not be shown to belong to the project: ${answer.reason}`
      return { ...walk, coverage: { ...walk.coverage, status: 'failed', cause, reason } }
    }),
  )
}

function proven(walks: readonly Walk[]): Proof {
  return { walks, unproven: new Set() }
}

type Ownership = 'own' | 'not offered' | { readonly cause: CoverageCause; readonly reason: string }

/** Whose key it is; asked anew only if the project was not walked. */
async function ask(project: AuditedProject, walks: readonly Walk[], signal: AbortSignal): Promise<Ownership> {
  const { client, ref, key, filters } = project
  const walk = walks.find(({ coverage }) => coverage.listing === 'project')
  if (walk !== undefined) {
    if (walk.coverage.status === 'skipped') return 'not offered'
    return { cause: walk.coverage.cause ?? 'unproven', reason: walk.coverage.reason ?? 'the project could not be read' }
  }
  try {
    const traffic = { requests: 0, retries: 0 }
    await client.project({ projectUid: ref.uid, key, filters, signal, traffic, budget: { waitedMs: 0 } })
    return 'own'
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    return error.kind === 'not_offered' ? 'not offered' : { cause: error.kind, reason: describeFault(error, project) }
  }
}

function namesProject({ coverage: { listing, items } }: Walk): boolean {
  return items > 0 && listing !== 'event_types'
}

function isNameless(walk: Walk): boolean {
  return walk.coverage.status === 'complete' && !namesProject(walk)
}

function spoil(project: AuditedProject, walks: readonly Walk[], reason: string): Walk[] {
  return dueListings(project).map((listing): Walk => {
    const walk = walks.find(({ coverage }) => coverage.listing === listing)
    if (walk === undefined) return { coverage: unreadListing(listing, 'foreign', reason), lacksPromisedPage: false }
    const { coverage } = walk
    // One that broke off keeps its own reason.
    const why = coverage.cause === null ? ({ cause: 'foreign', reason } as const) : {}
    return { coverage: { ...coverage, ...why, status: 'failed' }, lacksPromisedPage: false }
  })
}
