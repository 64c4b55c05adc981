import { departedProjects } from '../history/departed-projects.ts'
import type { History } from '../history/history.ts'
import type { RecordedScan } from '../history/reader.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { projectKey } from '../model/keys.ts'
import { isProjectList, type ProjectRef } from '../model/resource.ts'
import type { AuditedService, FoundEntry, ProjectList } from './audited-service.ts'
import { entryFor, nameProjects, namesAtService } from './name-projects.ts'
import type { AuditedProject } from './project-scan.ts'
import { type ListReader, type ReadList, readProjectList } from './read-project-list.ts'

export interface Discovering extends ListReader {
  readonly sealer: Sealer
  /** Knows the projects of earlier runs; undefined: none are known. */
  readonly history: Pick<History, 'lastRun' | 'latestScans' | 'acceptances' | 'runInputs'> | undefined
}

/** All projects that are configured or found. */
export interface DiscoveredProjects {
  readonly projects: readonly AuditedProject[]
  /** Of the services whose list decides. */
  readonly lists: readonly ProjectList[]
}

/**
 * Reads the lists of those services whose list decides which projects are audited, and adds what they show to the named
 * projects. A list that is not complete takes nothing away: what earlier runs scanned is scanned again. So is a project
 * that is missing from a complete list, until a person accepts that it is gone.
 */
export async function discoverProjects(
  services: readonly AuditedService[],
  discovering: Discovering,
): Promise<DiscoveredProjects> {
  const scans = services.some(isDiscovering) ? await readScans(discovering) : []
  const found = await Promise.all(
    services.map(async (service) => {
      if (!isDiscovering(service)) return { projects: service.named, list: undefined }
      const read = await readProjectList(service, discovering)
      const ofService = scans.filter(({ project }) => project.service === service.name)
      return findProjects(service, read, {
        scans: ofService,
        labelsOf: await labelsIn(discovering, ofService),
        ...discovering,
      })
    }),
  )
  return {
    projects: found.flatMap(({ projects }) => projects),
    lists: found.flatMap(({ list }) => list ?? []),
  }
}

function isDiscovering({ matches }: AuditedService): boolean {
  return matches.length > 0
}

/** The last scans of projects that did not leave the fleet. */
async function readScans({ history }: Discovering): Promise<readonly RecordedScan[]> {
  const last = await history?.lastRun()
  if (history === undefined || last === undefined) return []
  const scans = await history.latestScans(last.number)
  const departed = await departedProjects(history, scans)
  return scans.filter(({ project }) => !departed.has(projectKey(project)))
}

type LabelsOf = (project: ProjectRef) => FoundEntry['labels']

/** Labels under which earlier runs scanned projects that only their service's name could match with an entry. */
async function labelsIn({ history }: Discovering, scans: readonly RecordedScan[]): Promise<LabelsOf> {
  const runs = new Set(scans.filter(({ project }) => isNamedByUid(project)).map(({ run }) => run.number))
  const labels = new Map<string, FoundEntry['labels']>()
  for (const run of runs) {
    for (const { project, labels: ofProject } of (await history?.runInputs(run))?.projects ?? []) {
      labels.set(project, ofProject)
    }
  }
  return ({ name }) => labels.get(name) ?? {}
}

interface Known {
  readonly scans: readonly RecordedScan[]
  readonly labelsOf: LabelsOf
  readonly sealer: Sealer
}

function findProjects(
  service: AuditedService,
  { listed, coverage }: ReadList,
  { scans, labelsOf, sealer }: Known,
): { readonly projects: readonly AuditedProject[]; readonly list: ProjectList } {
  const named = new Set(service.named.map(({ ref }) => ref.uid))
  const taken = new Set(service.named.map(({ ref }) => shortName(ref)))
  const past = scans
    .map(({ project }) => project)
    .filter((project) => !isProjectList(project) && !named.has(project.uid))
  const known = uniqueNames(past, taken)
  const names = nameProjects(listed, { known, taken, sealer })
  const pastByUid = new Map(past.map((project) => [project.uid, project]))
  const shown = new Set(listed.map(({ uid }) => uid))

  const openAs = (uid: string, alsoCalled: readonly string[]): AuditedProject[] => {
    const short = names.get(uid) ?? uid
    const before = pastByUid.get(uid)
    // Its entry matched a name that only the service knows, and that may be another one today.
    const lasting =
      before !== undefined && isNamedByUid(before) ? { labels: labelsOf(before), configuredAt: null } : undefined
    const entry = entryFor(service.matches, [short, ...alsoCalled]) ?? lasting
    if (entry === undefined) return []
    return [service.open({ name: `${service.name}/${short}`, service: service.name, uid }, entry)]
  }
  const present = listed.flatMap(({ uid, name }) => (named.has(uid) ? [] : openAs(uid, namesAtService(name, sealer))))
  const absent = past.flatMap(({ uid }) => (shown.has(uid) ? [] : openAs(uid, [])))
  const isWhole = coverage.status === 'complete'
  const noting = (project: AuditedProject): AuditedProject =>
    isWhole && !shown.has(project.ref.uid) ? { ...project, isMissing: true } : project
  const wasReadBefore = isWhole && scans.some(({ project }) => isProjectList(project))
  const added = wasReadBefore ? present.map(({ ref }) => ref).filter(({ uid }) => !known.has(uid)) : []
  return {
    projects: [...service.named, ...present, ...absent].map(noting),
    list: { service: service.name, coverage, added },
  }
}

/** The names of earlier runs, by uid; the uid itself where the name belongs to several projects. */
function uniqueNames(past: readonly ProjectRef[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const sharing = Map.groupBy(past, shortName)
  return new Map(
    past.map((project) => {
      const short = shortName(project)
      return [project.uid, taken.has(short) || sharing.get(short)?.length !== 1 ? project.uid : short]
    }),
  )
}

function shortName({ name, service }: ProjectRef): string {
  return name.slice(service.length + 1)
}

function isNamedByUid(project: ProjectRef): boolean {
  return shortName(project) === project.uid
}
