import type { ScanDraft } from '../history/history.ts'
import type { CompleteScans, StagedChange } from '../history/records.ts'
import type { ProjectHistory } from '../history/staged.ts'
import { reseal } from '../inventory/reseal.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { type FilterReadings, takeInventory, withNewer } from '../inventory/take-inventory.ts'
import type { FilterCoverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import type { ProjectNotice } from '../model/notice.ts'
import {
  type Listing,
  listings,
  type ProjectRef,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import { isoTime } from '../model/time.ts'
import { withoutUndefined } from '../model/without-undefined.ts'
import type { ChangeWindow } from '../policy/change-window.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { massRemoval } from '../rules/project/mass-removal.ts'
import { mayBeVulnerable, releaseVulnerable } from '../rules/service/release-vulnerable.ts'
import type { IdentifyItem, ItemIdentity } from '../service/service-client.ts'
import type { Filters } from '../service/settings.ts'
import { count } from '../text/count.ts'
import { compareWithApproved } from './compare-with-approved.ts'
import { type Comparison, compareWithLastScan, type MissingResources, type Reform } from './comparison.ts'
import { dueListings } from './due-listings.ts'
import type { ExpectedState } from './expected-state.ts'
import { FilterWalk } from './filter-walk.ts'
import { type Contradictions, findContradictions } from './find-contradictions.ts'
import { findRemovals, type Removals } from './find-removals.ts'
import type { ItemMemory } from './item-memory.ts'
import { filterText } from './listing-filters.ts'
import { takeNewerSettings } from './newer-settings.ts'
import { Observations } from './observations.ts'
import type { OpenRun } from './open-run.ts'
import { findTargets, leaveOutProbes, type ProbeOutcomes, runProbes } from './probes/run-probes.ts'
import type { ProbeTarget } from './probes/try-probes.ts'
import { ProjectAcceptances } from './project-acceptances.ts'
import { configured, discardedOutcome, type ProjectOutcome } from './project-outcome.ts'
import { type ProjectPast, readPast } from './project-past.ts'
import {
  type AuditedProject,
  type CurrentVersions,
  kindOf,
  type Page,
  type ProjectScan,
  type Statuses,
} from './project-scan.ts'
import { ProjectWalk, type Walk } from './project-walk.ts'
import { proveIdentity } from './prove-identity.ts'
import { keyOf } from './reconcile.ts'
import { reconcileProject } from './reconcile-project.ts'
import { ScanEvaluation, type UnconcludedProject } from './scan-evaluation.ts'
import { stageResources } from './stage-resources.ts'
import { timeChanges } from './time-changes.ts'
import { type WithheldWalks, withholdRemovals } from './withhold-removals.ts'
import { detectShapeChanges, writeNotices } from './write-notices.ts'

/** A page may hold thousands of items; what is made of them need not be in memory all at once. */
const takenAtOnce = 100

/** What a page brings of its items besides the items themselves. */
interface ReadItems {
  readonly identities: readonly ItemIdentity[]
  /** Their resources, by uid, where an earlier scan read the same bytes. */
  readonly remembered: ReadonlyMap<string, Resource>
  readonly filters: FilterReadings | undefined
}

/** What the walks of a project proved. `filters`: of its filter rows; undefined where none were to be read. */
interface ProvenWalks extends WithheldWalks {
  readonly filters: FilterCoverage | undefined
  readonly rows: FilterWalk | undefined
}

/**
 * The audit of one project by one run: walks its listings, drafts and evaluates page by page what they show, and
 * reconciles what was found with what the history knows. What needs all projects together is left for the end of the run.
 */
export class ProjectAudit implements ProjectScan {
  readonly draft: ScanDraft
  readonly project: ProjectRef
  readonly sealer: Sealer
  readonly now: number
  readonly filters: Filters
  readonly ignored: readonly IgnoredPath[]
  readonly windows: readonly ChangeWindow[]
  readonly currentVersions: CurrentVersions
  readonly lastComplete: CompleteScans
  readonly history: ProjectHistory
  readonly #audited: AuditedProject
  readonly #run: OpenRun
  readonly #walk: ProjectWalk
  readonly #rules: ProjectEvaluator
  readonly #expected: ExpectedState | undefined
  readonly #comparison: Comparison
  readonly #acceptances: ProjectAcceptances
  readonly #evaluation: ScanEvaluation
  readonly #items: ItemMemory
  readonly #contradictions: Contradictions
  readonly #observed: Observations
  readonly #targets: ProbeTarget[] = []
  /** What the listings have shown: what is embedded elsewhere adds nothing to it. */
  readonly #listed = new Set<ResourceKey>()

  static async open(audited: AuditedProject, run: OpenRun): Promise<ProjectAudit> {
    return new ProjectAudit(audited, run, await readPast(audited, run))
  }

  private constructor(audited: AuditedProject, run: OpenRun, past: ProjectPast) {
    const { draft, sealer, now, policy, evaluator } = run
    const { expected, recent } = past
    this.draft = draft
    this.project = audited.ref
    this.sealer = sealer
    this.now = now
    this.filters = audited.filters
    this.ignored = policy.ignore
    this.windows = policy.windows.filter(({ isFor }) => isFor(audited.ref.name))
    this.currentVersions = past.currentVersions
    this.lastComplete = past.lastComplete
    this.history = past.history
    this.#audited = audited
    this.#run = run
    this.#walk = new ProjectWalk(audited, run)
    this.#rules = evaluator.forProject(audited.ref)
    this.#expected = expected
    const reform: Reform = (kind, attributes) => reseal(kind, attributes, sealer)
    this.#comparison =
      expected === undefined
        ? compareWithLastScan(this, recent, reform)
        : compareWithApproved(this, expected, recent, reform)
    this.#acceptances = past.acceptances
    this.#evaluation = new ScanEvaluation(this, {
      evaluator,
      rules: this.#rules,
      comparison: this.#comparison,
      followed: past.history.withOrigin,
      expected,
      acceptances: past.acceptances,
      reform,
    })
    this.#items = past.items
    this.#contradictions = findContradictions(past.currentVersions)
    this.#observed = new Observations(audited.ref.uid)
  }

  /** Walks, takes and concludes. */
  async audit(): Promise<ProjectOutcome> {
    const { draft, project } = this
    const proven = await this.#walkAll()
    const walked = statusesOf(proven.walks)
    const reshaped = detectShapeChanges(this.history, walked, this.#observed.shapes)
    for (const { coverage } of proven.walks) {
      await draft.stageWalk(project, coverage, reshaped.get(coverage.listing)?.shape)
    }
    if (proven.filters !== undefined) await draft.stageWalk(project, proven.filters, undefined)
    if (proven.walks.some(({ coverage }) => coverage.cause === 'foreign')) {
      return discardProject(this.#audited, walked, this.#run)
    }
    await this.#items.stage()

    const removals = await findRemovals(this, walked, this.#contradictions.uidsOf('endpoints'))
    const probed = await this.#probe(walked, removals)
    const changes = [...this.#observed.changes, ...removals.changes, ...probed.changes]
    const timed = await timeChanges(this, changes, proven.rows)
    await this.#stageChanges(timed)
    const statuses: Statuses = this.#run.runsProbes ? { ...walked, probes: 'complete' } : walked
    const missing = await this.#comparison.compareMissing(statuses, removals.unobserved)
    const outcome = await this.#conclude(statuses, proven, removals, probed, missing, timed)

    const notices = [
      ...writeNotices(reshaped, this.#observed, removals.unreferenced),
      ...noteUncomparedSeals(missing.uncomparedSeals),
      ...probed.notices,
      ...(this.#audited.isMissing === true && isSeen(proven.walks) ? [notListed] : []),
    ]
    for (const notice of notices) await draft.stageNotice(project, notice)
    return outcome
  }

  /** Takes a page of a listing: brings it to the normal form, drafts it, evaluates it, and drafts what was found. */
  async #take(listing: Listing, page: Page): Promise<void> {
    for (let from = 0; from < page.items.length; from += takenAtOnce) {
      const items = page.items.slice(from, from + takenAtOnce)
      const identities = page.identities?.slice(from, from + takenAtOnce) ?? []
      const remembered = await this.#items.read(listing, identities)
      const read = new Set(remembered.values())
      const resources = await this.#inventory(listing, items, {
        identities,
        remembered,
        filters: page.filters,
      })
      for (const [kind, ofKind] of Map.groupBy(resources, (resource) => resource.kind)) {
        const staged = await stageResources(this, kind, listing, ofKind, read)
        this.#observed.noteStaged(listing, kind, staged)
        if (kind === kindOf[listing]) this.#items.note(listing, identities, staged.resources)
        if (kind === 'source' && listing === 'subscriptions') this.#contradictions.takeSources(staged.resources)
        this.#acceptances.compare(staged.resources, this)
        await this.#evaluation.take(listing, staged.resources)
      }
    }
  }

  /** Walks the listings one after the other, and says what that proved: whose it was, and what it lost. */
  async #walkAll(): Promise<ProvenWalks> {
    const { evaluator, acceptsRemovals, onPage, signal } = this.#run
    const { seenAgain, unseen } = this.#observed
    const rows = await FilterWalk.open(this, this.#audited, this.#run, this.#walk.access)
    const walks: Walk[] = []
    for (const listing of dueListings(this.#audited)) {
      if (listing === 'subscriptions') this.#contradictions.expect(statusesOf(walks), unseen.itemsOf)
      const take = async (page: Page, durationMs: number) => {
        await this.#take(listing, page)
        onPage(this.#audited, { listing, items: page.items.length, durationMs })
      }
      const options = {
        rows: listing === 'subscriptions' ? rows : undefined,
        identify: this.#identifierOf(listing, rows),
      }
      const walk = await this.#walk.list(listing, take, options)
      walks.push(walk)
      if (walk.coverage.cause === 'foreign') break
    }
    const withheld = await withholdRemovals(this, await proveIdentity(this.#audited, walks, signal), {
      limits: evaluator.optionsOf(this.project, this.#observed.self, 'project/mass-removal'),
      acceptsRemovals,
      seenAgain,
      fieldsMissing: unseen.fieldsMissing,
      contradicted: this.#contradictions.uidsOf,
    })
    const list = withheld.walks.find(({ coverage }) => coverage.listing === 'subscriptions')?.coverage
    if (list !== undefined) await rows?.stage(list)
    return { ...withheld, filters: list && rows?.coverage(list), rows }
  }

  /**
   * Items of a page are known by their bytes where nothing else is read of them: no filter that they must match, no
   * function that a probe runs, no filter rows.
   */
  #identifierOf(listing: Listing, rows: FilterWalk | undefined): IdentifyItem | undefined {
    if (listing === 'project' || listing === 'event_types') return undefined
    if (filterText(listing, this.filters) !== null || this.#run.policy.probes.length > 0) return undefined
    return listing === 'subscriptions' && rows !== undefined ? undefined : this.#items.identifier(listing)
  }

  /** The resources of some items, and those that they embed and no list has shown. */
  async #inventory(
    listing: Listing,
    items: readonly JsonObject[],
    { identities, remembered, filters }: ReadItems,
  ): Promise<readonly Resource[]> {
    const parsed = remembered.size === 0 ? items : items.filter((_, at) => identities[at]?.uid === undefined)
    const inventory = takeInventory(listing, parsed, this.sealer, filters)
    const taken = remembered.size === 0 ? inventory.listed : inOrderOf(identities, remembered, inventory.listed)
    this.#observed.noteShapes(listing, taken)
    const sure = withNewer({ ...inventory, listed: taken }, this.#observed.release.isFrom)
    const listed = listing === 'project' ? await this.#takeSettings(sure) : sure
    // A source that was listed is known in full: the stub that a subscription carries adds nothing.
    if (listing === 'sources') for (const resource of listed) this.#listed.add(resourceKey(resource))
    const lifted = inventory.lifted.filter((resource) => !this.#listed.has(resourceKey(resource)))
    for (const resource of lifted) this.#listed.add(resourceKey(resource))
    const resources = [...listed, ...lifted]
    const { probes } = this.#run.policy
    if (probes.length > 0) {
      const passing = resources.map((resource, at) => ({ resource, item: items[at] }))
      for (const target of findTargets(probes, this.#audited, passing)) this.#targets.push(target)
    }
    if (listing === 'subscriptions') this.#contradictions.take(listed)
    return resources
  }

  async #takeSettings(projects: readonly Resource[]): Promise<readonly Resource[]> {
    const [self] = projects
    if (self === undefined) return projects
    this.#observed.settings = await takeNewerSettings(self, this, this.#run.lastWritten)
    return [this.#observed.settings.project]
  }

  async #probe(statuses: Statuses, removals: Removals): Promise<ProbeOutcomes> {
    if (!this.#run.runsProbes) return leaveOutProbes(this, this.#targets)
    return runProbes(this, {
      client: this.#audited.client,
      access: this.#walk.access,
      probes: this.#run.policy.probes,
      targets: this.#targets,
      expected: this.#expected,
      statuses,
      unobserved: new Set(removals.unobserved),
      removed: new Set(removals.gone),
    })
  }

  /** One change of a shared source is one change, with the subscriptions that it touches. */
  async #stageChanges(changes: readonly StagedChange[]): Promise<void> {
    const sources = changes.filter(({ kind }) => kind === 'source').map(({ uid }) => uid)
    const referrers = await this.draft.referrers(this.project, sources)
    await this.draft.stageChanges(
      this.project,
      changes.map((change) =>
        change.kind === 'source' ? { ...change, referrers: referrers.get(change.uid) ?? [] } : change,
      ),
    )
  }

  /** Evaluates what only the whole scan shows, and decides what becomes of the project's violations. */
  async #conclude(
    statuses: Statuses,
    { walks, losses, isLossOpen }: ProvenWalks,
    removals: Removals,
    probed: ProbeOutcomes,
    missing: MissingResources,
    timed: readonly StagedChange[],
  ): Promise<ProjectOutcome> {
    const { self, ignored, settings } = this.#observed
    const release = this.#observed.release.range()
    const inferred = release === undefined ? {} : { release }
    const isVanished = walks.some(({ coverage }) => coverage.cause === 'not_found')
    if (!isVanished && walks.some(isProof)) this.#acceptances.endVanished()
    const findings = [
      ...this.#rules.evaluateScan(self, {
        isVanished,
        isMissing: this.#audited.isMissing === true && !isSeen(walks),
        isUnlisted: false,
        ...inferred,
        unconfirmedRemovals: losses,
      }),
      ...probed.resources.flatMap((resource) => this.#rules.evaluate(resource)),
      ...missing.gone.flatMap(({ resource, drift }) => this.#rules.compare(resource, drift)),
    ]
    const unconcluded: UnconcludedProject = {
      ...configured(this.#audited),
      ...this.#describePast(statuses),
      ...inferred,
      ...(settings?.writtenAt && { settings_at: settings.writtenAt }),
      statuses,
      unobserved: [...removals.unobserved, ...missing.unobserved],
      removed: [...removals.gone, ...probed.removed],
      ignored: Object.fromEntries(ignored),
      undecided: [
        ...(mayBeVulnerable(release) ? [violationOf(releaseVulnerable, self)] : []),
        ...(isLossOpen ? [violationOf(massRemoval, self)] : []),
      ],
      untested: probed.untested,
      dueProbes: probed.due,
      unprobed: probed.unprobed,
      probed: [...new Set(this.#targets.map((target) => target.probe.name))],
    }
    return this.#evaluation.conclude(unconcluded, findings, { changes: timed, until: isoTime(this.#run.clock.now()) })
  }

  /** What the run could compare the project with. Members that say nothing are absent, so that equal runs store nothing. */
  #describePast(walked: Statuses): Pick<ProjectOutcome, 'not_compared' | 'approved_at'> {
    const isUncompared = (listing: Listing) =>
      walked[listing] !== undefined && walked[listing] !== 'skipped' && this.lastComplete[kindOf[listing]] === undefined
    const notCompared = listings.filter(isUncompared)
    return withoutUndefined({
      not_compared: notCompared.length === 0 ? undefined : notCompared,
      approved_at: this.#expected?.approvedAt,
    })
  }
}

/** Keeps nothing of a project but what its walks proved: its violations are carried as unknown. */
export async function discardProject(
  project: AuditedProject,
  statuses: Statuses,
  { draft, evaluator }: Pick<OpenRun, 'draft' | 'evaluator'>,
): Promise<ProjectOutcome> {
  await draft.discard(project.ref)
  const outcome = discardedOutcome(project, statuses)
  const acceptances = new ProjectAcceptances(project.ref, [])
  await reconcileProject(draft, outcome, [], { evaluator, acceptances, expected: 'unread', ignored: [] })
  return outcome
}

/** All resources of a page in its order. `parsed`: those of items that no earlier scan read. */
function inOrderOf(
  identities: readonly ItemIdentity[],
  remembered: ReadonlyMap<string, Resource>,
  parsed: readonly Resource[],
): readonly Resource[] {
  const remaining = parsed.values()
  return identities.flatMap(({ uid }) => (uid === undefined ? remaining.next().value : remembered.get(uid)) ?? [])
}

function statusesOf(walks: readonly Walk[]): Statuses {
  return Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
}

function isSeen(walks: readonly Walk[]): boolean {
  return walks.some(({ coverage }) => coverage.items > 0)
}

/** Whether a walk shows that the project is there: items that name no project may be those of another one. */
function isProof({ coverage: { items, cause } }: Walk): boolean {
  return items > 0 && cause !== 'unproven'
}

/** The key of the violation of a rule about a project as a whole. */
function violationOf({ id }: Pick<Rule, 'id'>, project: Resource): string {
  return keyOf({ ...project, rule: id, path: '' })
}

const notListed: ProjectNotice = {
  code: 'project_not_listed',
  listing: null,
  text: 'the list of projects does not have it, but it answers: it is scanned as before',
}

function noteUncomparedSeals(resources: number): ProjectNotice[] {
  if (resources === 0) return []
  const text = `what was approved was sealed under another installation key, or by an earlier version: secrets of ${count(resources, 'resource')} were not compared with it`
  return [{ code: 'approval_not_compared', listing: null, text }]
}
