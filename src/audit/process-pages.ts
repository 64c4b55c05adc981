import type { StagedChange } from '../history/records.ts'
import { toResource } from '../history/stored-body.ts'
import { ReleaseSigns } from '../inventory/release-signs.ts'
import { narrowBy, type Shape, shapeOf } from '../inventory/shape.ts'
import { type FilterReadings, takeInventory, withFilters } from '../inventory/take-inventory.ts'
import { chunks } from '../model/chunks.ts'
import { isEqual, type JsonObject } from '../model/json.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { KnownItem, type RawItem } from '../model/raw-page.ts'
import { isReadable, type Kind, type Listing, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Probe } from '../policy/probe.ts'
import type { Collector } from './collect-resources.ts'
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
import type { ProjectMarks } from './project-marks.ts'
import { type AuditedProject, kindOf, type PageRead } from './project-scan.ts'
import { type Embedded, sortEmbedded } from './sort-embedded.ts'
import { type StagedResource, stageResources } from './stage-resources.ts'
import type { ReadResource, TakenItems, TakenPage } from './taken-page.ts'
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
  readonly collector: Collector
  readonly comparison: Comparison
  readonly origins: OriginComparison
  readonly acceptances: ProjectAcceptances
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  /** undefined: every item is read. */
  readonly marks: ProjectMarks | undefined
  /** What the listings have shown: what is embedded elsewhere adds nothing to it. */
  readonly shown: Set<ResourceKey>
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly lastWritten: LastWritten | undefined
}

const takenAtOnce = 100
const noFilters: FilterReadings = new Map()

export function openPageProcessor(
  project: AuditedProject,
  context: ProjectContext,
  {
    evaluator,
    ofProject,
    collector,
    comparison,
    origins,
    acceptances,
    probes,
    marks,
    shown,
    onPage,
    lastWritten,
  }: Evaluation,
): PageProcessor {
  const { draft, sealer, now } = context
  const startedAt = new Date(now).toISOString()
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
  const countSeen = (kind: Kind, count: number) => seenAgain.set(kind, (seenAgain.get(kind) ?? 0) + count)

  const evaluateStaged = async (listing: Listing, resources: readonly StagedResource[]) => {
    const dates = await dateValues(
      resources.map(({ resource }) => ({ resource, paths: evaluator.datesOf(resource) })),
      { before: draft.run, startedAt },
      (points) => draft.versionsAt(project.ref, points),
    )
    const findings: Finding[] = []
    const evaluated = resources.map((staged, at) => {
      const checked = ofProject.check(staged.resource, dates[at])
      for (const finding of checked.findings) findings.push(finding)
      return { staged, checked }
    })
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
    return evaluated
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
    countSeen(kind, staged.known)
    if (kind === 'project') gathered.self = staged.resources[0]?.resource ?? gathered.self
    const evaluated = await evaluateStaged(listing, staged.resources)
    return evaluated.flatMap((one, at): ReadResource[] => {
      const read = resources[at]
      return read === undefined ? [] : [{ ...one, read }]
    })
  }

  /** Notes resources that are known, and need neither be read nor evaluated. */
  const passKnown = async (
    listing: Listing,
    known: readonly { readonly kind: Kind; readonly uid: string; readonly version: number }[],
  ) => {
    if (known.length === 0) return
    for (const [kind, { length }] of Map.groupBy(known, (resource) => resource.kind)) {
      countSeen(kind, length)
      gathered.unseen.addKnown(listing, kind, length)
    }
    for (const resource of known) {
      comparison.pass(resourceKey(resource))
      marks?.noteKnown(resource.version)
    }
    await draft.stage(project.ref, { seen: known.map(({ version }) => version), versions: [] })
  }

  const takeSettings = async (projects: readonly Resource[]) => {
    const [self] = projects
    if (self === undefined) return projects
    const taken = await takeNewerSettings(self, context, lastWritten)
    gathered.settings = taken
    return [taken.project]
  }

  /** Recognised subscriptions whose filter rows are others than those that are known, or are unknown now. */
  const findReviewed = async (known: readonly KnownItem[], filters: FilterReadings) => {
    const reviewed = new Map<string, Resource>()
    const due = known.filter(({ uid }) => filters.has(uid))
    const bodies =
      due.length === 0
        ? []
        : await draft.versionsById(
            project.ref,
            due.map(({ version }) => version),
          )
    for (const [at, { uid }] of due.entries()) {
      const body = bodies[at]
      if (body === undefined) throw new Error('a version that was recognised is not in the history')
      const before = toResource(body)
      const now = withFilters(before, filters.get(uid) ?? 'unread', sealer)
      const isSame = isReadable(now) && isEqual(now.attributes.filters ?? null, before.attributes.filters ?? null)
      if (!isSame || !Object.hasOwn(before.attributes, 'filters')) reviewed.set(uid, now)
    }
    return reviewed
  }

  const takeSome = async (
    listing: Listing,
    items: readonly RawItem[],
    filters: FilterReadings = noFilters,
  ): Promise<TakenItems> => {
    const read = items.filter((item): item is JsonObject => !(item instanceof KnownItem))
    const inventory = takeInventory(listing, read, sealer, filters)
    const { lifted } = inventory
    const listed = listing === 'project' ? await takeSettings(inventory.listed) : inventory.listed
    const recognised = items.filter(isKnown)
    const reviewed = await findReviewed(recognised, filters)
    const known = recognised.filter(({ uid }) => !reviewed.has(uid))
    // A source that was listed is known in full: the stub that a subscription carries adds nothing.
    if (listing === 'sources')
      for (const { uid } of [...listed, ...recognised]) shown.add(resourceKey({ kind: 'source', uid }))
    const embedded = sortEmbedded(listing, items, lifted, shown)
    const itemOf = new Map(listed.map((resource, at) => [resource, read[at]]))
    const passing = [...listed, ...embedded.fresh].map((resource) => ({ resource, item: itemOf.get(resource) }))
    const due = [...findTargets(probes, project, passing)]
    for (const target of due) targets.push(target)

    const evaluated = new Map<ResourceKey, ReadResource>()
    const evaluatedNow = [...listed, ...reviewed.values(), ...embedded.fresh]
    for (const [kind, resources] of Map.groupBy(evaluatedNow, ({ kind }) => kind)) {
      for (const one of await draftAndEvaluate(listing, kind, resources))
        evaluated.set(resourceKey(one.staged.resource), one)
    }
    const listedKind = kindOf[listing]
    for (const { shape } of recognised) noteShape(listing, shape)
    for (const { waivers } of known) ofProject.useWaivers(waivers)
    for (const resource of listed) noteShape(listing, shapeOf(resource))
    await passKnown(listing, [
      ...known.map(({ uid, version }) => ({ kind: listedKind, uid, version })),
      ...embedded.known,
    ])

    if (listing === 'subscriptions') {
      await gathered.contradictions.take(
        [...listed, ...reviewed.values()],
        known.map(({ version }) => version),
      )
      gathered.contradictions.takeSources(sourcesIn(embedded, evaluated))
    }

    const passed = (key: ResourceKey, version: number | undefined) => {
      const one = evaluated.get(key)
      if (one === undefined) return { version: version ?? 0, resource: undefined, isNew: false }
      const { resource, since } = one.staged
      const isNew = since === draft.run || !isReadable(resource)
      return { version: one.staged.version, resource, isNew }
    }
    const uids = listed.values()
    await collector.pass([
      ...items.map((item) =>
        item instanceof KnownItem
          ? passed(resourceKey({ kind: listedKind, uid: item.uid }), item.version)
          : passed(resourceKey(uids.next().value ?? gathered.self), undefined),
      ),
      ...embedded.all.map(({ version, ...resource }) => passed(resourceKey(resource), version)),
    ])
    return { items, evaluated, embedded, probed: new Set(due.map(resourceKey)) }
  }

  return {
    gathered,
    async take(listing, page, durationMs) {
      // A page may hold thousands of items; what is made of them need not be in memory all at once.
      for (const some of chunks(page.items, takenAtOnce)) {
        const taken = await takeSome(listing, some, page.filters)
        await marks?.take(listing, page, taken)
      }
      onPage(project, { listing, items: page.items.length, durationMs })
    },
  }
}

/** Sources that a subscription shows first, and whether an earlier scan knew them. */
function* sourcesIn({ all }: Embedded, evaluated: ReadonlyMap<ResourceKey, ReadResource>) {
  for (const { kind, uid, version } of all) {
    if (kind !== 'source') continue
    const staged = evaluated.get(resourceKey({ kind, uid }))?.staged
    yield { uid, isKnown: version !== undefined || staged?.isKnown === true }
  }
}

function isKnown(item: RawItem): item is KnownItem {
  return item instanceof KnownItem
}
