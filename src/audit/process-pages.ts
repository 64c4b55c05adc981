import type { StagedChange } from '../history/records.ts'
import { narrowShape, type Shape } from '../inventory/shape.ts'
import { takeInventory } from '../inventory/take-inventory.ts'
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
import { dateValues } from './date-values.ts'
import { findTargets, type ProbeTarget } from './probes/find-targets.ts'
import type { ProjectContext } from './project-context.ts'
import type { AuditedProject, PageRead } from './project-scan.ts'
import { type StagedResource, stageResources } from './stage-resources.ts'
import { withoutAccepted, writeFindings } from './write-violations.ts'

/** Takes a project's pages as they come. */
export interface PageProcessor {
  take(listing: Listing, items: readonly JsonObject[], durationMs: number): Promise<void>
  /** What was gathered of the pages so far. */
  readonly gathered: Readonly<Gathered>
}

export interface Gathered {
  readonly shapes: ReadonlyMap<Listing, Shape>
  readonly changes: readonly StagedChange[]
  readonly targets: readonly ProbeTarget[]
  /** Whether a secret was known under another installation key. */
  isRebased: boolean
  /** Whether something was known in another normal form. */
  isReformed: boolean
  readonly malformed: MalformedCounts
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
  /** Fingerprints that a person accepts. */
  readonly accepted: ReadonlySet<string>
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  readonly onPage: (project: AuditedProject, page: PageRead) => void
}

const takenAtOnce = 100

export function openPageProcessor(
  project: AuditedProject,
  context: ProjectContext,
  { evaluator, ofProject, comparison, origins, accepted, probes, onPage }: Evaluation,
): PageProcessor {
  const { draft, sealer, now } = context
  const startedAt = new Date(now).toISOString()
  const shapes = new Map<Listing, Shape>()
  const changes: StagedChange[] = []
  const targets: ProbeTarget[] = []
  const seenAgain = new Map<Kind, number>()
  const carried = new Set<ResourceKey>()
  const silentlyChanged: ResourceKey[] = []
  const gathered: Gathered = {
    ...{ shapes, changes, targets, seenAgain, silentlyChanged, ignored: new Map() },
    isRebased: false,
    isReformed: false,
    malformed: countMalformed(),
    self: { kind: 'project', uid: project.ref.uid, name: '', attributes: {}, volatile: {}, facts: {} },
  }

  const evaluateStaged = async (listing: Listing, resources: readonly StagedResource[]) => {
    const findings: Finding[] = []
    const dates = await dateValues(
      resources.map(({ resource }) => ({ resource, paths: evaluator.datesOf(resource) })),
      { before: draft.run, startedAt },
      (points) => draft.versionsAt(project.ref, points),
    )
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
    await writeFindings(draft, project.ref, withoutAccepted(project.ref, all, accepted))
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
    seenAgain.set(kind, (seenAgain.get(kind) ?? 0) + staged.known)
    if (kind === 'project') gathered.self = staged.resources[0]?.resource ?? gathered.self
    await evaluateStaged(listing, staged.resources)
  }

  const takeSome = async (listing: Listing, items: readonly JsonObject[]) => {
    const { listed, lifted } = takeInventory(listing, items, sealer)
    shapes.set(listing, narrowShape(shapes.get(listing), listed))
    // A source that was listed is known in full: the stub that a subscription carries adds nothing.
    if (listing === 'sources') for (const resource of listed) carried.add(resourceKey(resource))
    const fresh = lifted.filter((resource) => !carried.has(resourceKey(resource)))
    for (const resource of fresh) carried.add(resourceKey(resource))
    const passing = [
      ...listed.map((resource, index) => ({ resource, item: items[index] })),
      ...fresh.map((resource) => ({ resource, item: undefined })),
    ]
    for (const target of findTargets(probes, project, passing)) targets.push(target)
    for (const [kind, resources] of Map.groupBy([...listed, ...fresh], ({ kind }) => kind)) {
      await draftAndEvaluate(listing, kind, resources)
    }
  }

  return {
    gathered,
    async take(listing, items, durationMs) {
      // A page may hold thousands of items; what is made of them need not be in memory all at once.
      for (const some of chunks(items, takenAtOnce)) await takeSome(listing, some)
      onPage(project, { listing, items: items.length, durationMs })
    },
  }
}
