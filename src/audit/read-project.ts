import { narrowBy, type Shape, shapeOf } from '../gateway/inventory/shape.ts'
import { type Inventory, takeInventory, withNewer } from '../gateway/inventory/take-inventory.ts'
import { ReleaseSigns } from '../gateway/release-signs.ts'
import type { IdentifyItem, ItemIdentity, ProjectAccess } from '../gateway/service/service-client.ts'
import { type Listing, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { AuditedProject } from './audited-project.ts'
import { dueListings } from './due-listings.ts'
import { FilterWalk } from './filter-walk.ts'
import type { ItemMemory } from './item-memory.ts'
import { filterText } from './listing-filters.ts'
import { type TakenSettings, takeNewerSettings } from './newer-settings.ts'
import type { OpenRun } from './open-run.ts'
import { findTargets } from './probes/run-probes.ts'
import type { ProbeTarget } from './probes/try-probes.ts'
import type { Page, ProjectScan } from './project-scan.ts'
import { ProjectWalk, type Walk } from './project-walk.ts'
import { type Proof, proveIdentity } from './prove-identity.ts'

/** What a scan of a project showed, sealed and in the normal form. */
export interface SeenProject {
  readonly proof: Proof
  /** In the order of walking. */
  readonly listings: readonly SeenListing[]
  /** undefined where no filter rows were to be read. */
  readonly rows: FilterWalk | undefined
  /** The fields of the items of each listing. */
  readonly shapes: ReadonlyMap<Listing, Shape>
  /** What the items show of the service's release. */
  readonly release: ReleaseSigns
  readonly settings: TakenSettings | undefined
  /** Functions that the policy's probes are about. */
  readonly targets: readonly ProbeTarget[]
  /** To run them with. */
  readonly access: ProjectAccess
}

export interface SeenListing {
  readonly listing: Listing
  readonly listed: readonly Resource[]
  /** Sources and devices that they embed, and that no list before has shown. */
  readonly lifted: readonly Resource[]
  /** Of the items of `listed`, where they are identified. */
  readonly identities: readonly ItemIdentity[]
  /** Those of them that were read from their version, because an earlier scan read the same bytes. */
  readonly read: ReadonlySet<Resource>
}

/** Walks the listings of a project one after the other, and asks whose they are. */
export async function readProject(
  audited: AuditedProject,
  scan: ProjectScan,
  items: ItemMemory,
  run: OpenRun,
): Promise<SeenProject> {
  const walk = new ProjectWalk(audited, run)
  const rows = FilterWalk.open(scan, audited, run, walk.access)
  const release = new ReleaseSigns()
  const shapes = new Map<Listing, Shape>()
  const targets: ProbeTarget[] = []
  const walks: Walk[] = []
  const pagesOf = new Map<Listing, SeenPage[]>()
  /** What the listings have shown: what is embedded elsewhere adds nothing to it. */
  const shown = new Set<ResourceKey>()
  for (const listing of dueListings(audited)) {
    const pages: SeenPage[] = []
    pagesOf.set(listing, pages)
    const take = async (page: Page, durationMs: number) => {
      const seen = takePage(listing, page, { scan, items, shown })
      for (const resource of seen.listed) {
        const shape = shapeOf(resource)
        shapes.set(listing, narrowBy(shapes.get(listing), shape))
        release.note(listing, shape)
      }
      const passing = [...seen.listed, ...seen.lifted].map((resource, at) => ({ resource, item: page.items[at] }))
      if (run.policy.probes.length > 0) targets.push(...findTargets(run.policy.probes, audited, passing))
      pages.push(seen)
      run.onPage(audited, { listing, items: page.items.length, durationMs })
    }
    const ofSubscriptions = listing === 'subscriptions' ? rows : undefined
    const identify = identifierOf(listing, { scan, items, run, rows: ofSubscriptions })
    const walked = await walk.list(listing, take, { rows: ofSubscriptions, identify })
    walks.push(walked)
    if (walked.coverage.cause === 'foreign') break
  }
  const listings = [...pagesOf].map(([listing, pages]) => joinPages(listing, pages, release))
  const [self] = listings.find(({ listing }) => listing === 'project')?.listed ?? []
  const settings = self === undefined ? undefined : await takeNewerSettings(self, scan, run.lastWritten)
  const proof = await proveIdentity(audited, walks, run.signal)
  return { proof, listings, rows, shapes, release, settings, targets, access: walk.access }
}

interface SeenPage extends Omit<SeenListing, 'listing'>, Pick<Inventory, 'newer'> {}

/**
 * Items of a page are known by their bytes where nothing else is read of them: no filter that they must match, no
 * function that a probe runs, no filter rows.
 */
function identifierOf(
  listing: Listing,
  {
    scan,
    items,
    run,
    rows,
  }: {
    readonly scan: ProjectScan
    readonly items: ItemMemory
    readonly run: OpenRun
    readonly rows: FilterWalk | undefined
  },
): IdentifyItem | undefined {
  if (listing === 'project' || listing === 'event_types') return undefined
  if (filterText(listing, scan.filters) !== null || run.policy.probes.length > 0 || rows !== undefined) return undefined
  return items.identifier(listing)
}

/** The resources of a page's items, and those that they embed and no list has shown. */
function takePage(
  listing: Listing,
  { items: parsedItems, identities = [], filters }: Page,
  { scan, items, shown }: { readonly scan: ProjectScan; readonly items: ItemMemory; readonly shown: Set<ResourceKey> },
): SeenPage {
  const known = items.read(listing, identities)
  const parsed = known.size === 0 ? parsedItems : parsedItems.filter((_, at) => identities[at]?.uid === undefined)
  const { listed: fresh, lifted: embedded, newer } = takeInventory(listing, parsed, scan.sealer, filters)
  const remaining = fresh.values()
  const listed =
    known.size === 0
      ? fresh
      : identities.flatMap(({ uid }) => (uid === undefined ? remaining.next().value : known.get(uid)) ?? [])
  // A source that was listed is known in full: the stub that a subscription carries adds nothing.
  if (listing === 'sources') for (const resource of listed) shown.add(resourceKey(resource))
  const lifted = embedded.filter((resource) => !shown.has(resourceKey(resource)))
  for (const resource of lifted) shown.add(resourceKey(resource))
  return { listed, lifted, identities, read: new Set(known.values()), newer }
}

/** What a release has that any answer shows, every item should show. */
function joinPages(listing: Listing, pages: readonly SeenPage[], release: ReleaseSigns): SeenListing {
  return {
    listing,
    listed: pages.flatMap((page) => withNewer(page, release.isFrom)),
    lifted: pages.flatMap(({ lifted }) => lifted),
    identities: pages.flatMap(({ identities }) => identities),
    read: new Set(pages.flatMap(({ read }) => [...read])),
  }
}
