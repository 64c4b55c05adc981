import type { StagedChange } from '../history/records.ts'
import { narrowShape, type Shape } from '../inventory/shape.ts'
import { takeInventory } from '../inventory/take-inventory.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Comparison } from './compare-with-expected.ts'
import { countMalformed, type MalformedCounts } from './count-malformed.ts'
import { dateValues } from './date-values.ts'
import { findTargets, type ProbeTarget } from './probes/find-targets.ts'
import type { AuditedProject } from './project-scan.ts'
import type { ProjectTools } from './project-tools.ts'
import { reconcileFindings } from './settle-violations.ts'
import { type ProjectContext, stageResources } from './stage-resources.ts'

/** What is gathered while a project's pages pass. */
export interface PageProcessor {
  take(listing: Listing, items: readonly JsonObject[], durationMs: number): Promise<void>
  readonly shapes: ReadonlyMap<Listing, Shape>
  readonly changes: readonly StagedChange[]
  readonly targets: readonly ProbeTarget[]
  isRebased(): boolean
  isReformed(): boolean
  readonly malformed: Pick<MalformedCounts, 'tell'>
  /** How many resources of a kind were known before and seen again. */
  seenAgain(kind: Kind): number
  /** The project itself, as far as it was seen. */
  self(): Resource
}

const takenAtOnce = 100

export function openPageProcessor(
  project: AuditedProject,
  stage: ProjectContext,
  comparison: Comparison,
  { draft, evaluator, sealer, startedAt, probes, onPage }: ProjectTools,
): PageProcessor {
  const shapes = new Map<Listing, Shape>()
  const changes: StagedChange[] = []
  const targets: ProbeTarget[] = []
  const carried = new Set<string>()
  const again = new Map<Kind, number>()
  const malformed = countMalformed()
  let isRebased = false
  let isReformed = false
  let self: Resource = { kind: 'project', uid: project.ref.uid, name: '', attributes: {}, volatile: {}, facts: {} }

  const draftAndEvaluate = async (listing: Listing, kind: Kind, resources: readonly Resource[]) => {
    const staged = await stageResources(stage, kind, listing, resources)
    for (const { change } of staged.resources) if (change !== undefined) changes.push(change)
    isRebased ||= staged.isRebased
    isReformed ||= staged.isReformed
    malformed.add(listing, staged.resources)
    again.set(kind, (again.get(kind) ?? 0) + staged.known)
    if (kind === 'project') self = staged.resources[0]?.resource ?? self
    const findings: Finding[] = []
    for (const { resource } of staged.resources) {
      const paths = evaluator.datesOf(resource)
      const dates = paths.length === 0 ? undefined : await dateValues(stage, resource, paths, startedAt)
      for (const finding of evaluator.evaluate(project.ref, resource, dates)) findings.push(finding)
    }
    for (const { resource, drift } of await comparison.compare(listing, staged.resources)) {
      for (const finding of evaluator.compare(project.ref, resource, drift)) findings.push(finding)
    }
    await reconcileFindings(draft, project.ref, findings)
  }

  const takeSome = async (listing: Listing, items: readonly JsonObject[]) => {
    const { listed, lifted } = takeInventory(listing, items, sealer)
    shapes.set(listing, narrowShape(shapes.get(listing), listed))
    // A source that was listed is known in full: the stub that a subscription carries adds nothing.
    if (listing === 'sources') for (const { kind, uid } of listed) carried.add(`${kind} ${uid}`)
    const fresh = lifted.filter(({ kind, uid }) => !carried.has(`${kind} ${uid}`))
    for (const { kind, uid } of fresh) carried.add(`${kind} ${uid}`)
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
    shapes,
    changes,
    targets,
    malformed,
    isRebased: () => isRebased,
    isReformed: () => isReformed,
    seenAgain: (kind) => again.get(kind) ?? 0,
    self: () => self,
    async take(listing, items, durationMs) {
      // A page may hold thousands of items; what is made of them need not stand in memory all at once.
      for (let at = 0; at < items.length; at += takenAtOnce) {
        await takeSome(listing, items.slice(at, at + takenAtOnce))
      }
      onPage(project, { listing, items: items.length, durationMs })
    },
  }
}
