import pLimit from 'p-limit'
import type { ScanDraft } from '../history/history.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { projectKey } from '../model/keys.ts'
import { type ProjectRef, projectListOf, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { nothingEvaluated } from '../policy/evaluation-outcome.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ListedProject } from '../service/service-client.ts'
import type { AuditedService, ProjectList } from './audited-service.ts'
import { unlistedRule } from './evaluate-waivers.ts'
import { findUnlisted } from './find-unlisted.ts'
import type { SearchedLists } from './fleet-conclusion.ts'
import { sealedName } from './name-projects.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import type { ListReading } from './read-project-list.ts'
import { reconcileProject } from './reconcile-project.ts'
import { withoutAccepted } from './write-violations.ts'

interface Concluding extends ListReading {
  readonly draft: ScanDraft
  readonly sealer: Sealer
  readonly evaluator: PolicyEvaluator
  readonly concurrency: number
  readonly outcomes: readonly ProjectOutcome[]
}

/** Drafts what the lists that decide showed. Returns them as the projects of what is found in them. */
export async function writeLists(
  draft: ScanDraft,
  lists: readonly ProjectList[],
  { evaluator, outcomes }: Pick<Concluding, 'evaluator' | 'outcomes'>,
): Promise<readonly ProjectRef[]> {
  const scanned = new Set(outcomes.map(({ project }) => projectKey(project)))
  for (const { service, coverage, added } of lists) {
    const list = projectListOf(service)
    await draft.stageScan(list)
    await draft.stageWalk(list, coverage, undefined)
    await reconcileList(draft, list, { findings: [], isComplete: coverage.status === 'complete', evaluator })
    for (const project of added.filter((one) => scanned.has(projectKey(one)))) {
      await draft.stageNotice(project, { code: 'project_found', listing: null, text: foundText })
    }
  }
  return lists.map(({ service }) => projectListOf(service))
}

const foundText = 'new in the list of projects: scanned for the first time'

/**
 * Searches for projects without an entry, in the lists of services that name all their projects. Violations of a list
 * that says nothing are carried as unknown. Returns too about which lists something was drafted.
 */
export async function writeUnlisted(
  services: readonly AuditedService[],
  { draft, sealer, evaluator, clock, signal, concurrency, outcomes }: Concluding,
): Promise<SearchedLists & { readonly written: readonly ProjectRef[] }> {
  const isAsked = evaluator.needs.has(unlistedRule)
  const answering = new Set(outcomes.flatMap(({ project, statuses }) => (isSeen(statuses) ? [project.service] : [])))
  const limit = pLimit(concurrency)
  const found = await Promise.all(
    services.map((service) =>
      isAsked && answering.has(service.name) && !signal.aborted
        ? limit(() => findUnlisted(service, { clock, signal }))
        : undefined,
    ),
  )
  const written: ProjectRef[] = []
  const usedWaivers = new Set<number>()
  for (const [place, { name }] of services.entries()) {
    const unlisted = found[place]
    const list = projectListOf(name)
    const projects = unlisted?.projects ?? []
    if (projects.length === 0 && (await draft.unconfirmedViolations(list)).length === 0) continue
    const ofList = evaluator.forProject(list)
    const findings = projects.flatMap((project) =>
      ofList.evaluateScan(resourceOf(project, sealer), {
        ...{ isVanished: false, isMissing: false, isUnlisted: true, unconfirmedRemovals: [] },
      }),
    )
    for (const place of ofList.outcome().usedWaivers) usedWaivers.add(place)
    await draft.stageScan(list)
    // The proof of what is found and resolved. A list that says nothing is not a gap.
    if (unlisted !== undefined) await draft.stageWalk(list, unlisted.coverage, undefined)
    await reconcileList(draft, list, { findings, isComplete: unlisted !== undefined, evaluator })
    written.push(list)
  }
  return { written, usedWaivers: [...usedWaivers], areRead: found.every((unlisted) => unlisted !== undefined) }
}

function isSeen(statuses: ProjectOutcome['statuses']): boolean {
  return Object.values(statuses).includes('complete')
}

function resourceOf({ uid, name }: ListedProject, sealer: Sealer): Resource {
  return { kind: 'project', uid, name: sealedName(name, sealer), attributes: {}, volatile: {}, facts: {} }
}

interface Read {
  readonly findings: readonly Finding[]
  readonly isComplete: boolean
  readonly evaluator: PolicyEvaluator
}

async function reconcileList(
  draft: ScanDraft,
  list: ProjectRef,
  { findings, isComplete, evaluator }: Read,
): Promise<void> {
  const outcome: ProjectOutcome = {
    ...{
      project: list,
      labels: {},
      configuredAt: null,
      narrowed: [],
      statuses: { project: isComplete ? 'complete' : 'failed' },
    },
    ...{ unobserved: [], removed: [], changed: [], ignored: {}, endings: {}, undecided: [], untested: [], probed: [] },
    ...{ isUnderOtherRules: false, evaluation: nothingEvaluated },
  }
  const accepted = await draft.acceptedFingerprints(list)
  const kept = withoutAccepted(list, findings, accepted)
  await reconcileProject(draft, outcome, kept, { evaluator, accepted, expected: undefined, ignored: [] })
}
