import type { StagedChange } from '../history/records.ts'
import { ReleaseSigns } from '../inventory/release-signs.ts'
import { narrowBy, type Shape, shapeOf } from '../inventory/shape.ts'
import { type FilterReadings, takeInventory } from '../inventory/take-inventory.ts'
import { chunks } from '../model/chunks.ts'
import type { JsonObject } from '../model/json.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Probe } from '../policy/probe.ts'
import type { OriginComparison } from './compare-with-origins.ts'
import type { Comparison } from './comparison.ts'
import { countMalformed, type MalformedCounts } from './count-malformed.ts'
import { countUnseen, type UnseenCounts } from './count-unseen.ts'
import { dateValues } from './date-values.ts'
import { type Contradictions, findContradictions } from './find-contradictions.ts'
import { type LastWritten, type TakenSettings, takeNewerSettings } from './newer-settings.ts'
import { findTargets, type ProbeTarget } from './probes/find-targets.ts'
import type { ProjectAcceptances } from './project-acceptances.ts'
import type { ProjectContext } from './project-context.ts'
import type { AuditedProject, PageRead } from './project-scan.ts'
import { type StagedResource, stageResources } from './stage-resources.ts'
import type { TakenPage } from './taken-page.ts'
import { writeFindings } from './write-violations.ts'

/** Takes a project's pages as they come. */
export interface PageProcessor {
  take(listing: Listing, page: TakenPage, durationMs: number): Promise<void>
  /** What was gathered of the pages so far. */
  readonly gathered: Readonly<Gathered>
}

export interface Gathered {
  readonly shapes: ReadonlyMap<Listing, Shape>
  /** What the items show of the service's release. */
  readonly releaseSigns: ReleaseSigns
  readonly changes: readonly StagedChange[]
  readonly targets: readonly ProbeTarget[]
  /** Whether a secret was known under another installation key. */
  isRebased: boolean
  /** Whether something was known in another normal form. */
  isReformed: boolean
  readonly malformed: MalformedCounts
  readonly unseen: UnseenCounts
  readonly contradictions: Contradictions
  /** The settings of the project that count; undefined where none were read. */
  settings: TakenSettings | undefined
  /** How many changes are left out of drift, by the path in the policy; and resources in which nothing else changed. */
  readonly ignored: Map<string, number>
  readonly silentlyChanged: readonly ResourceKey[]
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain: ReadonlyMap<Kind, number>
  /** The project itself, as far as it was seen. */
  self: Resource
}

interface Evaluation {
  readonly evaluator: PolicyEvaluator
  readonly ofProject: ProjectEvaluator
  readonly comparison: Comparison
  readonly origins: OriginComparison
  readonly acceptances: ProjectAcceptances
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly lastWritten: LastWritten | undefined
}

const takenAtOnce = 100

export function openPageProcessor(
  project: AuditedProject,
  context: ProjectContext,
  { evaluator, ofProject, comparison, origins, acceptances, probes, onPage, lastWritten }: Evaluation,
): PageProcessor {
  const { draft, sealer, now } = context
  const startedAt = new Date(now).toISOString()
  /** What the listings have shown: what is embedded elsewhere adds nothing to it. */
  const shown = new Set<ResourceKey>()
  const shapes = new Map<Listing, Shape>()
  const changes: StagedChange[] = []
  const targets: ProbeTarget[] = []
  const seenAgain = new Map<Kind, number>()
  const silentlyChanged: ResourceKey[] = []
  const gathered: Gathered = {
    ...{ shapes, changes, targets, seenAgain, silentlyChanged, ignored: new Map(), releaseSigns: new ReleaseSigns() },
    isRebased: false,
    isReformed: false,
    settings: undefined,
    malformed: countMalformed(),
    unseen: countUnseen(),
    contradictions: findContradictions(draft, project.ref),
    self: { kind: 'project', uid: project.ref.uid, name: '', attributes: {}, volatile: {}, facts: {} },
  }
  const noteShape = (listing: Listing, shape: ReadonlySet<string>) => {
    shapes.set(listing, narrowBy(shapes.get(listing), shape))
    gathered.releaseSigns.note(listing, shape)
  }

  const evaluateStaged = async (listing: Listing, resources: readonly StagedResource[]) => {
    const dates = await dateValues(
      resources.map(({ resource }) => ({ resource, paths: evaluator.datesOf(resource) })),
      { before: draft.run, startedAt },
      (points) => draft.versionsAt(project.ref, points),
    )
    const findings: Finding[] = []
    for (const [at, { resource }] of resources.entries()) {
      for (const finding of ofProject.evaluate(resource, dates[at])) findings.push(finding)
    }
    const drifted = (await comparison.compare(listing, resources)).flatMap(({ resource, drift, originRun }) =>
      ofProject.compare(resource, drift, originRun),
    )
    const all = [
      ...findings,
      ...(await origins.decide(
        resources.map(({ resource }) => resource),
        drifted,
      )),
    ]
    acceptances.compare(resources, context)
    await writeFindings(draft, project.ref, acceptances.apply(all))
  }

  const draftAndEvaluate = async (listing: Listing, kind: Kind, resources: readonly Resource[]) => {
    const staged = await stageResources(context, kind, listing, resources)
    for (const { resource, change, leftOut } of staged.resources) {
      if (change !== undefined) changes.push(change)
      else if (leftOut.size > 0) silentlyChanged.push(resourceKey(resource))
      for (const [path, count] of leftOut) gathered.ignored.set(path, (gathered.ignored.get(path) ?? 0) + count)
    }
    gathered.isRebased ||= staged.isRebased
    gathered.isReformed ||= staged.isReformed
    gathered.malformed.add(listing, staged.resources)
    gathered.unseen.add(listing, kind, staged.resources)
    seenAgain.set(kind, (seenAgain.get(kind) ?? 0) + staged.known)
    if (kind === 'project') gathered.self = staged.resources[0]?.resource ?? gathered.self
    if (kind === 'source' && listing === 'subscriptions') gathered.contradictions.takeSources(staged.resources)
    await evaluateStaged(listing, staged.resources)
  }

  const takeSettings = async (projects: readonly Resource[]) => {
    const [self] = projects
    if (self === undefined) return projects
    const taken = await takeNewerSettings(self, context, lastWritten)
    gathered.settings = taken
    return [taken.project]
  }

  const takeSome = async (listing: Listing, items: readonly JsonObject[], filters: FilterReadings | undefined) => {
    const inventory = takeInventory(listing, items, sealer, filters)
    const listed = listing === 'project' ? await takeSettings(inventory.listed) : inventory.listed
    // A source that was listed is known in full: the stub that a subscription carries adds nothing.
    if (listing === 'sources') for (const resource of listed) shown.add(resourceKey(resource))
    const lifted = inventory.lifted.filter((resource) => !shown.has(resourceKey(resource)))
    for (const resource of lifted) shown.add(resourceKey(resource))
    const passing = [
      ...listed.map((resource, at) => ({ resource, item: items[at] })),
      ...lifted.map((resource) => ({ resource, item: undefined })),
    ]
    for (const target of findTargets(probes, project, passing)) targets.push(target)

    for (const [kind, resources] of Map.groupBy([...listed, ...lifted], ({ kind }) => kind))
      await draftAndEvaluate(listing, kind, resources)
    for (const resource of listed) noteShape(listing, shapeOf(resource))
    if (listing === 'subscriptions') gathered.contradictions.take(listed)
  }

  return {
    gathered,
    async take(listing, page, durationMs) {
      // A page may hold thousands of items; what is made of them need not be in memory all at once.
      for (const some of chunks(page.items, takenAtOnce)) await takeSome(listing, some, page.filters)
      onPage(project, { listing, items: page.items.length, durationMs })
    },
  }
}
