import pLimit from 'p-limit'
import type { ListedProject, RetryBudget } from '../gateway/service/service-client.ts'
import { ServiceFault } from '../gateway/service/service-fault.ts'
import type { ActiveViolation } from '../history/staged.ts'
import type { Coverage } from '../model/coverage.ts'
import { type Kind, type ProjectRef, projectKey, projectListOf } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { AuditedService, ProjectList } from './audited-project.ts'
import { type ListReader, readProjectList } from './discover-projects.ts'
import { unlistedRule } from './evaluate-waivers.ts'
import type { SearchedLists } from './fleet-conclusion.ts'
import type { OpenRun } from './open-run.ts'
import { bareResource, endingOfUnchosen } from './policy-endings.ts'
import { ProjectAcceptances } from './project-acceptances.ts'
import { emptyOutcome, type ProjectOutcome } from './project-outcome.ts'
import { keyOf } from './reconcile.ts'
import { reconcileProject } from './reconcile-project.ts'
import { writeReconciliation } from './write-violations.ts'

/** Drafts what the lists that decide showed. Returns them as the projects of what is found in them. */
export async function writeLists(
  run: OpenRun,
  lists: readonly ProjectList[],
  outcomes: readonly ProjectOutcome[],
): Promise<readonly ProjectRef[]> {
  const { draft } = run
  const scanned = new Set(outcomes.map(({ project }) => projectKey(project)))
  for (const { service, coverage, added, returned, renamed, unchosen } of lists) {
    const list = projectListOf(service)
    await draft.stageScan(list)
    await draft.stageWalk(list, coverage, undefined)
    await reconcileProjects(run, list, [], { isComplete: coverage.status === 'complete', unchosen })
    const notices = [
      ...added.map((project) => ({ project, code: 'project_found', text: newProjectText }) as const),
      ...returned.map((project) => ({ project, code: 'project_found', text: returnedProjectText }) as const),
      ...renamed.map((project) => ({ project, code: 'project_renamed', text: renamedProjectText(project) }) as const),
    ].filter(({ project }) => scanned.has(projectKey(project)))
    for (const { project, code, text } of notices) await draft.stageNotice(project, { code, listing: null, text })
  }
  return lists.map(({ service }) => projectListOf(service))
}

const newProjectText = 'new in the list of projects: scanned for the first time'
const returnedProjectText = 'in the list of projects again: compared with its last scan'

function renamedProjectText({ name, uid }: ProjectRef): string {
  return `${uid} has the name ${name} from now on, with what waivers, overrides, schedules and channels say of it: a person accepted that the former project of that name is gone. Its history stays its own`
}

/**
 * Searches for projects without an entry, in the lists of services that name all their projects. Violations of a list
 * that says nothing are carried as unknown. Returns too about which lists something was drafted.
 */
export async function writeUnlisted(
  run: OpenRun,
  services: readonly AuditedService[],
  outcomes: readonly ProjectOutcome[],
  concurrency: number,
): Promise<SearchedLists & { readonly written: readonly ProjectRef[] }> {
  const { draft, evaluator, signal } = run
  const isAsked = evaluator.needs.has(unlistedRule)
  const answering = new Set(outcomes.flatMap(({ project, statuses }) => (isSeen(statuses) ? [project.service] : [])))
  const limit = pLimit(concurrency)
  const unlistedOfServices = await Promise.all(
    services.map((service) =>
      isAsked && answering.has(service.name) && !signal.aborted
        ? limit(() => findUnlisted(service, auditedAs(service.otherNames, outcomes), run))
        : undefined,
    ),
  )
  const written: ProjectRef[] = []
  const usedWaivers = new Set<number>()
  for (const [index, { name }] of services.entries()) {
    const unlisted = unlistedOfServices[index]
    const list = projectListOf(name)
    const projects = unlisted?.projects ?? []
    if (projects.length === 0 && (await draft.unconfirmedViolations(list)).length === 0) continue
    const ofList = evaluator.forProject(list)
    const findings = projects.flatMap((project) =>
      ofList.evaluateScan(bareResource({ ...project, kind: 'project' }), {
        isVanished: false,
        isMissing: false,
        isUnlisted: true,
        unconfirmedRemovals: [],
      }),
    )
    for (const index of ofList.outcome().usedWaivers) usedWaivers.add(index)
    await draft.stageScan(list)
    // The proof of what is found and resolved. A list that says nothing is not a gap.
    if (unlisted !== undefined) await draft.stageWalk(list, unlisted.coverage, undefined)
    await reconcileProjects(run, list, findings, { isComplete: unlisted !== undefined, unchosen: [] })
    written.push(list)
  }
  return {
    written,
    usedWaivers: [...usedWaivers],
    areRead: unlistedOfServices.every((unlisted) => unlisted !== undefined),
  }
}

/** `unchosen`: uids of projects of which the configuration says by patterns that they are not scanned. */
async function reconcileProjects(
  run: OpenRun,
  list: ProjectRef,
  findings: readonly Finding[],
  { isComplete, unchosen }: { readonly isComplete: boolean } & Pick<ProjectList, 'unchosen'>,
): Promise<void> {
  const violations = (await run.draft.unconfirmedViolations(list)).filter(({ kind }) => kind === 'project')
  const ended = unchosen.map((uid) => keyOf({ rule: unlistedRule, kind: 'project', uid, path: '' }))
  await reconcileList(run, list, findings, { kind: 'project', violations, isComplete, ended })
}

interface ListBasis {
  readonly kind: Kind
  /** Active ones of that kind. */
  readonly violations: readonly ActiveViolation[]
  readonly isComplete: boolean
  /** Keys of violations that nothing decides. */
  readonly undecided?: readonly string[]
  /** Keys of violations that the configuration ends. */
  readonly ended?: readonly string[]
}

/** Decides what becomes of the violations of one kind that are about a list, or about its service. */
export async function reconcileList(
  { draft, evaluator }: OpenRun,
  list: ProjectRef,
  findings: readonly Finding[],
  { kind, violations, isComplete, undecided = [], ended = [] }: ListBasis,
): Promise<void> {
  const accepted = (await draft.acceptancesOf([list])).get(list.name) ?? []
  const acceptances = new ProjectAcceptances(
    list,
    accepted.filter((acceptance) => acceptance.kind === kind),
  )
  const outcome: ProjectOutcome = {
    project: list,
    labels: {},
    configured_at: null,
    narrowed: [],
    statuses: { project: isComplete ? 'complete' : 'failed', sources: 'complete' },
    ...emptyOutcome,
    undecided,
    endings: Object.fromEntries(ended.map((key) => [key, endingOfUnchosen])),
  }
  const reconciliation = reconcileProject(outcome, acceptances.apply(findings), {
    evaluator,
    acceptances,
    violations,
    asLeft: () => undefined,
  })
  await writeReconciliation(draft, list, reconciliation)
  await draft.endAcceptances(list, acceptances.endings)
}

/** Uids of projects that the run audits under some names of services. */
function auditedAs(services: readonly string[], outcomes: readonly ProjectOutcome[]): ReadonlySet<string> {
  return new Set(outcomes.flatMap(({ project }) => (services.includes(project.service) ? project.uid : [])))
}

function isSeen(statuses: ProjectOutcome['statuses']): boolean {
  return Object.values(statuses).includes('complete')
}

interface UnlistedProjects {
  readonly projects: readonly ListedProject[]
  /** Of the list, which is complete. */
  readonly coverage: Coverage
}

/**
 * Finds projects that a service lists, that its key reads, and that the configuration does not name. `elsewhere`: uids
 * of those that are audited under another name of the service. undefined: that cannot be said. The key may have no right
 * to the list, so each request is sent once and a fault is not a gap in coverage.
 */
async function findUnlisted(
  service: AuditedService,
  elsewhere: ReadonlySet<string>,
  reading: ListReader,
): Promise<UnlistedProjects | undefined> {
  const { named, organisation } = service
  if (organisation === undefined && named.every(({ listings }) => listings.project === 'off')) return undefined
  // A budget that is spent allows no further try.
  const budget = { waitedMs: Number.POSITIVE_INFINITY }
  const { listed, coverage } = await readProjectList(service, reading, budget)
  const namedUids = new Set(named.map(({ ref }) => ref.uid))
  if (coverage.status !== 'complete' || !listed.some(({ uid }) => namedUids.has(uid))) return undefined
  const projects = listed.filter(({ uid }) => !namedUids.has(uid) && !elsewhere.has(uid))
  if (projects.length > 0 && !(await readsOthers(service, projects, reading.signal, budget))) return undefined
  return { projects, coverage }
}

/** A project that refuses the key may do so for itself; this many decide about the key. */
const mostTried = 3

/** A project's key lists all projects of its organisation, and reads its own alone. */
async function readsOthers(
  { client, key }: AuditedService,
  unlisted: readonly ListedProject[],
  signal: AbortSignal,
  budget: RetryBudget,
): Promise<boolean> {
  for (const { uid } of unlisted.slice(0, mostTried)) {
    try {
      const traffic = { requests: 0, retries: 0 }
      await client.project({ projectUid: uid, key, filters: {}, signal, traffic, budget })
      return true
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      if (error.kind === 'foreign') return false
    }
  }
  return false
}
