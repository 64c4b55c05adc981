import type { Sealer } from '../../gateway/inventory/sealer.ts'
import type { KnownResource } from '../../gateway/repair/foresee-write.ts'
import { SqlScanDraft } from '../../history/draft/scan-draft.ts'
import type { HistoryReader } from '../../history/reader.ts'
import { readRunInputs } from '../../history/sql/read-run.ts'
import type { RecordedScan } from '../../history/sql/scans.ts'
import type { ActiveViolation } from '../../history/staged.ts'
import { readStoredVersion } from '../../history/stored-body.ts'
import { type Resource, type ResourceKey, resourceKey } from '../../model/resource.ts'
import { type Clock, isoTime } from '../../model/time.ts'
import type { Finding } from '../../model/violation.ts'
import { listingOf } from '../../model/walks-for.ts'
import { createEvaluator } from '../../policy/evaluator.ts'
import type { Policy } from '../../policy/policy.ts'
import { asResource } from '../as-resource.ts'
import type { AuditedProject } from '../audited-project.ts'
import { ItemMemory } from '../item-memory.ts'
import { filtersOf } from '../listing-filters.ts'
import { areSourcesListed, type Statuses } from '../project-scan.ts'
import { keyOf, type Reconciliation } from '../reconcile.ts'
import { auditProject, openScan, type ScanTools } from '../scan-project.ts'
import { isOfListing, seenAs, unasked } from './unasked.ts'

/** What becomes of resources: as they would be, or undefined where they would be gone. */
export type SupposedChanges = ReadonlyMap<ResourceKey, Resource | undefined>

/** Violations that a run would open and end because of them, and those of which it could say neither. */
export interface SupposedViolations {
  readonly opened: readonly Finding[]
  readonly ended: readonly ActiveViolation[]
  readonly unsure: readonly ActiveViolation[]
}

export interface SuppositionTools {
  readonly policy: Policy
  readonly sealer: Sealer
  readonly clock: Clock
}

/**
 * Audits a project as its last scan left it, and once more with changes, which `change` makes of its resources. Nothing is
 * asked of a service, and nothing is written. Rules across projects, and about violations, are not evaluated.
 */
export async function supposeChanges<Change extends { readonly changes: SupposedChanges }>(
  reader: HistoryReader,
  { project: ref, run, coverage }: RecordedScan,
  { policy, sealer, clock }: SuppositionTools,
  change: (known: readonly KnownResource[]) => Change,
): Promise<Change & { readonly violations: SupposedViolations }> {
  return reader.snapshot(async (session) => {
    const past: HistoryReader = { ask: (ask) => ask(session), snapshot: (ask) => ask(session), within: () => past }
    const inputs = await readRunInputs(past, run.number)
    const { labels = {}, not_licensed = {} } = inputs?.projects.find(({ project }) => project === ref.name) ?? {}
    const lacks = Object.values(not_licensed)
    const audited: AuditedProject = { ...unasked, ref, labels, lacks, filters: filtersOf(coverage) }
    const now = clock.now()
    const begun = { run: run.number + 1, startedAt: isoTime(now), sealKeyId: sealer.keyId }
    const draft = new ReadDraft(session, past, begun)
    const evaluator = createEvaluator(policy, now, () => labels, clock.now)
    const tools: ScanTools = { policy, runsProbes: false, acceptsRemovals: true, draft, sealer, clock, now, evaluator }
    const scan = await openScan(audited, tools)
    const walks = coverage.filter(isOfListing)
    const statuses: Statuses = Object.fromEntries(walks.map(({ listing, status }) => [listing, status]))
    const known = [...scan.before.versions.all()].map((version) => ({
      ...asResource(version, readStoredVersion(version)),
      sealKeyId: version.sealKeyId,
    }))
    const read: ReadonlySet<Resource> = new Set(known)
    const audit = async (resources: readonly Resource[]) => {
      // The service answers so for a project that is not there.
      const isGone = resources.length === 0 && known.length > 0
      const shownWalks = isGone ? walks.map((walk) => ({ ...walk, ...vanished })) : walks
      const seen = resources.flatMap((resource) => {
        const listing = listingOf(resource.kind, areSourcesListed(statuses))
        return listing === undefined ? [] : [{ listing, resource }]
      })
      const shown = seenAs(ref, { walks: shownWalks, filters: audited.filters, seen, read })
      const items = new ItemMemory(scan.before.versions, sealer, undefined)
      return (await auditProject(audited, scan, shown, items, tools)).reconciliation
    }
    const changed = change(known)
    const others = known.filter((resource) => !changed.changes.has(resourceKey(resource)))
    const supposed = [...changed.changes.values()].filter((resource) => resource !== undefined)
    return { ...changed, violations: compareEndings(await audit(known), await audit([...others, ...supposed])) }
  })
}

/** Nothing was read from a service, and readers of some projects have no record of such readings. */
class ReadDraft extends SqlScanDraft {
  override async reading(): Promise<undefined> {}
}

const vanished = { status: 'failed', cause: 'not_found', items: 0 } as const

/** What a run would do without the changes, such as under a policy that is newer than the last run, is not theirs. */
function compareEndings(
  without: Reconciliation<ActiveViolation>,
  withThem: Reconciliation<ActiveViolation>,
): SupposedViolations {
  const opened = new Set(without.opened.map(({ key }) => key))
  const ended = new Set(without.resolved.map(({ violation }) => keyOf(violation)))
  const unsure = new Set(without.unknown.map(keyOf))
  return {
    opened: withThem.opened.flatMap(({ key, finding }) => (opened.has(key) ? [] : [finding])),
    ended: withThem.resolved.flatMap(({ violation }) => (ended.has(keyOf(violation)) ? [] : [violation])),
    unsure: withThem.unknown.filter((violation) => !unsure.has(keyOf(violation))),
  }
}
