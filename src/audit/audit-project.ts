import type { Draft, StagedChange } from '../history/history.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { narrowShape, type Shape } from '../inventory/shape.ts'
import { takeInventory } from '../inventory/take-inventory.ts'
import type { Clock } from '../model/clock.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type Listing, listings, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Judge } from '../policy/judge.ts'
import type { Probe } from '../policy/probe.ts'
import { type Comparison, compareWithBaseline, readRecentChanges } from './compare-with-baseline.ts'
import { dateValues } from './date-values.ts'
import { approvedState } from './expected-state.ts'
import { findRemovals, type Removals } from './find-removals.ts'
import { findTargets, type ProbeTarget } from './find-targets.ts'
import { holdLosses } from './hold-losses.ts'
import { type AuditedProject, isKindWhole, type PageRead, type Statuses } from './look.ts'
import { proveIdentity } from './prove-identity.ts'
import { leaveOutProbes, type Probed, runProbes } from './run-probes.ts'
import { settleFindings } from './settle-violations.ts'
import { type Stage, stageResources } from './stage-resources.ts'
import { type Walk, walkListing } from './walk-listing.ts'
import { compareWithPast, writeNotices } from './write-notices.ts'

export interface ProjectTools {
  readonly draft: Draft
  readonly judge: Judge
  readonly sealer: Sealer
  readonly clock: Clock
  /** When the run started, ISO 8601. */
  readonly startedAt: string
  readonly signal: AbortSignal
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  /** Whether they run. */
  readonly runsProbes: boolean
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  readonly onPage: (project: AuditedProject, page: PageRead) => void
}

/** What looking at a project gave. */
export interface ProjectLook {
  readonly project: AuditedProject
  readonly statuses: Statuses
  /** Resources that stand and that nothing shows any more, as `kind uid`. */
  readonly outOfSight: ReadonlySet<string>
  /** What could not be tested, as `kind uid`: what only a probe can say of it is unknown. */
  readonly untested: ReadonlySet<string>
  /** Names of the probes that are about something here. */
  readonly probed: ReadonlySet<string>
}

/** Walks a project's listings one after the other, drafts what they show, and judges it. */
export async function auditProject(project: AuditedProject, tools: ProjectTools): Promise<ProjectLook> {
  const { draft, judge, sealer } = tools
  const { ref } = project
  const stage: Stage = {
    draft,
    project: ref,
    baselines: await draft.baselines(ref),
    filters: project.filters,
    wereSourcesListed: (await draft.lastShape(ref, 'sources')) !== undefined,
    sealKeyId: sealer.keyId,
  }
  const now = Date.parse(tools.startedAt)
  const comparison = compareWithBaseline(stage, {
    expected: project.expected ?? (await approvedState(draft, ref)),
    recent: await readRecentChanges(stage, { now, lookbackMs: judge.lookbackMs }),
    now,
  })
  const pass = passOf(project, stage, comparison, tools)
  const budget = { waitedMs: 0 }
  const walked = await walkAll(project, tools, pass.take, budget)
  const proof = await proveIdentity(project, walked, tools.signal)
  const { walks, losses } = await holdLosses(stage, proof, {
    limits: judge.optionsOf(ref, pass.self(), 'project/mass-removal'),
    acceptsRemovals: tools.acceptsRemovals,
    seenAgain: pass.seenAgain,
  })
  const walkStatuses: Statuses = Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
  const reshaped = await compareWithPast(stage, walkStatuses, pass.shapes)
  for (const { coverage } of walks) await draft.stageWalk(ref, coverage, reshaped.get(coverage.listing)?.shape)
  if (walks.some(({ fault }) => fault === 'foreign')) {
    await draft.discard(ref)
    judge.forget(ref)
    return { project, statuses: walkStatuses, outOfSight: new Set(), untested: new Set(), probed: new Set() }
  }
  const isVanished = walks.some(({ fault }) => fault === 'not-found')
  await settleFindings(draft, ref, judge.judgeLook(ref, pass.self(), { isVanished, held: losses }))
  const removals = await findRemovals(stage, walkStatuses)
  const probed = await probe({ project, tools, stage, pass, budget, statuses: walkStatuses, removals })
  const statuses: Statuses = tools.runsProbes ? { ...walkStatuses, probes: 'complete' } : walkStatuses
  await draft.stageChanges(ref, await withReferrers(stage, [...pass.changes, ...removals.changes, ...probed.changes]))
  await settleFindings(
    draft,
    ref,
    probed.resources.flatMap((resource) => judge.visit(ref, resource)),
  )
  const isComplete = (kind: Kind) => isKindWhole(statuses, project.filters, kind)
  const sawAll = (rule: string) => judge.needsOf(rule)?.kinds.every(isComplete) ?? true
  await settleFindings(draft, ref, judge.concludeProject(ref, { isComplete }), sawAll)
  const missing = await comparison.compareMissing(statuses)
  const ofMissing = missing.gone.flatMap(({ resource, drift }) => judge.compare(ref, resource, drift))
  await settleFindings(draft, ref, ofMissing)
  for (const notice of writeNotices(reshaped, pass, removals.unreferenced)) {
    await draft.stageNotice(ref, notice.listing, notice.text)
  }
  const uncompared = comparison.uncomparedSeals()
  if (uncompared > 0) await draft.stageNotice(ref, 'endpoints', tellUncompared(uncompared))
  for (const text of probed.notices) await draft.stageNotice(ref, 'sources', text)
  const names = new Set(pass.targets.map((target) => target.probe.name))
  const outOfSight = new Set([...removals.outOfSight, ...missing.outOfSight])
  return { project, statuses, outOfSight, untested: probed.untested, probed: names }
}

function tellUncompared(resources: number): string {
  return `what was approved was sealed under another installation key: secrets of ${resources} resources were not compared with it`
}

interface AfterWalks {
  readonly project: AuditedProject
  readonly tools: ProjectTools
  readonly stage: Stage
  readonly pass: Pass
  readonly budget: { readonly waitedMs: number }
  readonly statuses: Statuses
  readonly removals: Removals
}

function probe({ project, tools, stage, pass, budget, statuses, removals }: AfterWalks): Promise<Probed> {
  const { sealer, probes, runsProbes, signal, startedAt } = tools
  const { targets } = pass
  if (!runsProbes) return leaveOutProbes(stage, targets)
  const traffic = { requests: 0, retries: 0, waitedMs: budget.waitedMs }
  const look = { projectUid: project.ref.uid, key: project.key, filters: project.filters, signal, traffic }
  const { outOfSight } = removals
  const now = Date.parse(startedAt)
  return runProbes({ client: project.client, stage, sealer, probes, targets, look, now, statuses, outOfSight })
}

async function walkAll(
  project: AuditedProject,
  tools: ProjectTools,
  take: Pass['take'],
  budget: { waitedMs: number },
): Promise<Walk[]> {
  const walks: Walk[] = []
  for (const listing of listings) {
    if ((listing === 'project' || listing === 'sources') && project.listings[listing] === 'off') continue
    const walk = await walkListing(listing, project, tools, (items, ms) => take(listing, items, ms), budget)
    walks.push(walk)
    if (walk.fault === 'foreign') break
  }
  return walks
}

/** What is gathered while a project's pages pass. */
interface Pass {
  take(listing: Listing, items: readonly JsonObject[], durationMs: number): Promise<void>
  readonly shapes: ReadonlyMap<Listing, Shape>
  readonly changes: readonly StagedChange[]
  readonly targets: readonly ProbeTarget[]
  isRebased(): boolean
  isReformed(): boolean
  /** How many resources of a kind were known before and seen again. */
  seenAgain(kind: Kind): number
  /** The project itself, as far as it was seen. */
  self(): Resource
}

const takenAtOnce = 100

function passOf(
  project: AuditedProject,
  stage: Stage,
  comparison: Comparison,
  { draft, judge, sealer, startedAt, probes, onPage }: ProjectTools,
): Pass {
  const shapes = new Map<Listing, Shape>()
  const changes: StagedChange[] = []
  const targets: ProbeTarget[] = []
  const carried = new Set<string>()
  const again = new Map<Kind, number>()
  let isRebased = false
  let isReformed = false
  let self: Resource = { kind: 'project', uid: project.ref.uid, name: '', attributes: {}, volatile: {}, facts: {} }

  const draftAndJudge = async (listing: Listing, kind: Kind, resources: readonly Resource[]) => {
    const staged = await stageResources(stage, kind, listing, resources)
    for (const { change } of staged.resources) if (change !== undefined) changes.push(change)
    isRebased ||= staged.isRebased
    isReformed ||= staged.isReformed
    again.set(kind, (again.get(kind) ?? 0) + staged.known)
    if (kind === 'project') self = staged.resources[0]?.resource ?? self
    const findings: Finding[] = []
    for (const { resource } of staged.resources) {
      const paths = judge.datesOf(resource)
      const dates = paths.length === 0 ? undefined : await dateValues(stage, resource, paths, startedAt)
      for (const finding of judge.visit(project.ref, resource, dates)) findings.push(finding)
    }
    for (const { resource, drift } of await comparison.compare(listing, staged.resources)) {
      for (const finding of judge.compare(project.ref, resource, drift)) findings.push(finding)
    }
    await settleFindings(draft, project.ref, findings)
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
      await draftAndJudge(listing, kind, resources)
    }
  }

  return {
    shapes,
    changes,
    targets,
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

/** One change of a shared source is one change, with the subscriptions that it touches. */
async function withReferrers({ draft, project }: Stage, changes: readonly StagedChange[]): Promise<StagedChange[]> {
  const sources = changes.filter(({ kind }) => kind === 'source').map(({ uid }) => uid)
  const referrers = await draft.referrers(project, sources)
  return changes.map((change) =>
    change.kind === 'source' ? { ...change, referrers: referrers.get(change.uid) ?? [] } : change,
  )
}
