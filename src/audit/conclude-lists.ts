import pLimit from 'p-limit'
import { projectKey } from '../model/keys.ts'
import { type ProjectRef, projectListOf, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { ListedProject } from '../service/service-client.ts'
import type { AuditedService, ProjectList } from './audited-service.ts'
import { unlistedRule } from './evaluate-waivers.ts'
import { findUnlisted } from './find-unlisted.ts'
import type { SearchedLists } from './fleet-conclusion.ts'
import type { OpenRun } from './open-run.ts'
import { openAcceptances } from './project-acceptances.ts'
import { nothingFound, type ProjectOutcome } from './project-outcome.ts'
import { reconcileProject } from './reconcile-project.ts'

/** Drafts what the lists that decide showed. Returns them as the projects of what is found in them. */
export async function writeLists(
  run: OpenRun,
  lists: readonly ProjectList[],
  outcomes: readonly ProjectOutcome[],
): Promise<readonly ProjectRef[]> {
  const { draft } = run
  const scanned = new Set(outcomes.map(({ project }) => projectKey(project)))
  for (const { service, coverage, added } of lists) {
    const list = projectListOf(service)
    await draft.stageScan(list)
    await draft.stageWalk(list, coverage, undefined)
    await reconcileList(run, list, [], coverage.status === 'complete')
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
  run: OpenRun,
  services: readonly AuditedService[],
  outcomes: readonly ProjectOutcome[],
  concurrency: number,
): Promise<SearchedLists & { readonly written: readonly ProjectRef[] }> {
  const { draft, evaluator, signal } = run
  const isAsked = evaluator.needs.has(unlistedRule)
  const answering = new Set(outcomes.flatMap(({ project, statuses }) => (isSeen(statuses) ? [project.service] : [])))
  const limit = pLimit(concurrency)
  const found = await Promise.all(
    services.map((service) =>
      isAsked && answering.has(service.name) && !signal.aborted ? limit(() => findUnlisted(service, run)) : undefined,
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
      ofList.evaluateScan(resourceOf(project), {
        isVanished: false,
        isMissing: false,
        isUnlisted: true,
        unconfirmedRemovals: [],
      }),
    )
    for (const place of ofList.outcome().usedWaivers) usedWaivers.add(place)
    await draft.stageScan(list)
    // The proof of what is found and resolved. A list that says nothing is not a gap.
    if (unlisted !== undefined) await draft.stageWalk(list, unlisted.coverage, undefined)
    await reconcileList(run, list, findings, unlisted !== undefined)
    written.push(list)
  }
  return { written, usedWaivers: [...usedWaivers], areRead: found.every((unlisted) => unlisted !== undefined) }
}

function isSeen(statuses: ProjectOutcome['statuses']): boolean {
  return Object.values(statuses).includes('complete')
}

function resourceOf({ uid, name }: ListedProject): Resource {
  return { kind: 'project', uid, name, attributes: {}, volatile: {}, facts: {} }
}

async function reconcileList(
  { draft, evaluator }: OpenRun,
  list: ProjectRef,
  findings: readonly Finding[],
  isComplete: boolean,
): Promise<void> {
  const outcome: ProjectOutcome = {
    project: list,
    labels: {},
    configuredAt: null,
    narrowed: [],
    statuses: { project: isComplete ? 'complete' : 'failed' },
    ...nothingFound,
  }
  const acceptances = await openAcceptances(draft, list)
  const kept = acceptances.apply(findings)
  await reconcileProject(draft, outcome, kept, { evaluator, acceptances, expected: undefined, ignored: [] })
}
