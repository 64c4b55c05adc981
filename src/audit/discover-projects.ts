import type { Sealer } from '../gateway/inventory/sealer.ts'
import { takeInventory } from '../gateway/inventory/take-inventory.ts'
import type { ListAccess, ListedProject, RetryBudget, ShowName, Traffic } from '../gateway/service/service-client.ts'
import { isStop, ServiceFault } from '../gateway/service/service-fault.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { Coverage, CoverageCause, CoverageStatus } from '../model/coverage.ts'
import { classOf } from '../model/errors.ts'
import { matchesGlob } from '../model/glob.ts'
import type { JsonObject } from '../model/json.ts'
import { isProjectList, type ProjectRef } from '../model/resource.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { Clock } from '../model/time.ts'
import type { AuditedProject, AuditedService, ListingEntry, MatchingEntry, ProjectList } from './audited-project.ts'
import { describeFault } from './describe-fault.ts'

export interface ProjectSearch extends ListReader {
  /** Knows the projects of earlier runs; undefined: none are known. */
  readonly history: HistoryReader | undefined
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
  search: ProjectSearch,
): Promise<DiscoveredProjects> {
  const { history, sealer } = search
  const scans = services.some(isDiscovering) ? await readScans(history) : []
  const discoveries = await Promise.all(
    services.map(async (service) => {
      if (!isDiscovering(service)) return { projects: service.named, list: undefined }
      const read = await readProjectList(service, search)
      const ofService = scans.filter(({ project }) => project.service === service.name)
      // Those that only their service's name could match with an entry.
      return findProjects(service, read, {
        scans: ofService,
        labelsOf: await labelsIn(
          history,
          ofService.filter(({ project }) => isNamedByUid(project)),
        ),
        sealer,
      })
    }),
  )
  return {
    projects: discoveries.flatMap(({ projects }) => projects),
    lists: discoveries.flatMap(({ list }) => list ?? []),
  }
}

export interface ListReader {
  readonly clock: Clock
  readonly sealer: Sealer
  readonly signal: AbortSignal
}

/** What was listed, and what that proves: with any status but `complete`, a project that is missing may be there. */
interface ReadList {
  readonly listed: readonly ListedProject[]
  readonly coverage: Coverage
}

/**
 * Reads the list of a service's projects. A list without a project is `suspect`, however often it comes: a service that
 * lost its place answers so, and every project would vanish.
 */
export async function readProjectList(
  service: AuditedService,
  reading: ListReader,
  budget: RetryBudget = { waitedMs: 0 },
): Promise<ReadList> {
  const traffic: Traffic = { requests: 0, retries: 0 }
  const startedAt = reading.clock.now()
  const result = (status: CoverageStatus, cause: CoverageCause | null, reason: string | null, items = 0): Coverage => {
    const { requests, retries } = traffic
    const durationMs = Math.round(reading.clock.now() - startedAt)
    const pages = items === 0 ? 0 : 1
    return {
      listing: 'projects',
      status,
      cause,
      reason,
      filter: null,
      pages,
      items,
      requests,
      retries,
      duration_ms: durationMs,
    }
  }
  try {
    const listed = await listProjectsOf(service, { traffic, budget }, reading)
    if (listed.length === 0) return { listed, coverage: result('suspect', 'unproven', emptyReason) }
    return { listed, coverage: result('complete', null, null, listed.length) }
  } catch (error) {
    if (error instanceof ServiceFault) {
      const status = isStop(error.kind) ? 'partial' : 'failed'
      return { listed: [], coverage: result(status, error.kind, describeFault(error, service)) }
    }
    const reason = `a bug in hookdrift ended the reading of the list of projects (${classOf(error)}); please report it`
    return { listed: [], coverage: result('failed', 'bug', reason) }
  }
}

/**
 * The organisation of the first project that answers and shows it.
 * @throws ServiceFault when none does
 */
export async function findOrganisation<Project>(
  named: readonly Project[],
  show: (project: Project) => Promise<JsonObject>,
): Promise<string> {
  let fault: unknown
  for (const project of named) {
    try {
      const { organisation_id: organisation } = await show(project)
      if (typeof organisation === 'string' && organisation !== '') return organisation
    } catch (error) {
      if (!(error instanceof ServiceFault) || isStop(error.kind)) throw error
      fault ??= error
    }
  }
  throw fault ?? new ServiceFault('malformed', 'list of projects: no project shows its organisation_id')
}

/** A part of a reference, as in a configuration. */
const nameForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/

interface NamesInUse {
  /** Names under which earlier runs scanned projects, by uid; each is in use once. */
  readonly pastNames: ReadonlyMap<string, string>
  /** Names that the configuration gives to other projects. */
  readonly taken: ReadonlySet<string>
  /** Names of projects of which a person accepted that they are gone. Default: none. */
  readonly freed?: ReadonlySet<string>
  readonly sealer: Sealer
}

/**
 * Names the projects of a list for references, by uid. A project keeps the name of earlier runs: waivers, baselines and
 * patterns name it so, and a person who renames it at the service could otherwise lead it away from them. A new one has
 * the service's name, with `-` for blanks, or its uid: where the name does not fit into a reference, contains a secret,
 * or is that of another project. Where a person accepted that this other one is gone, the only one that the service
 * calls so now has its name.
 */
export function nameProjects(
  listed: readonly ListedProject[],
  { pastNames, taken, freed = new Set(), sealer }: NamesInUse,
): ReadonlyMap<string, string> {
  const uids = new Set(listed.map(({ uid }) => uid))
  const inUse = new Set([...taken, ...pastNames.values(), ...uids])
  const words = listed
    .map(({ uid, name }) => [uid, wordOf(name, sealer)] as const)
    .filter(([uid, word = '']) => !pastNames.has(uid) || (pastNames.get(uid) === uid && freed.has(word)))
  const wanted = Map.groupBy(words, ([, word]) => word)
  const names = words.map(([uid, word]) => {
    const isFree = word !== undefined && !inUse.has(word) && wanted.get(word)?.length === 1
    return [uid, isFree ? word : uid] as const
  })
  return new Map([...pastNames, ...names])
}

/** What patterns may call a project of the list besides its name here. */
export function namesAtService(name: string, sealer: Sealer): readonly string[] {
  return [name, wordOf(name, sealer) ?? name]
}

/** The first entry for projects of the list whose pattern fits one of the names. */
export function entryFor<Entry extends { readonly pattern: string }>(
  entries: readonly Entry[],
  names: readonly string[],
): Entry | undefined {
  return entries.find(({ pattern }) => names.some((name) => matchesGlob(name, pattern)))
}

/** Makes names of a list fit to be shown and kept. */
export function createShowName(sealer: Sealer): ShowName {
  return (name) => neutralise(sealedName(name, sealer))
}

function isDiscovering({ matches }: AuditedService): boolean {
  return matches.length > 0
}

/** The last scans of all projects. */
async function readScans(history: HistoryReader | undefined): Promise<readonly RecordedScan[]> {
  if (history === undefined) return []
  const last = await findLastRun(history)
  return last === undefined ? [] : readLatestScans(history, last.number)
}

type LabelsOf = (project: ProjectRef) => ListingEntry['labels']

function findProjects(
  service: AuditedService,
  { listed, coverage }: ReadList,
  {
    scans,
    labelsOf,
    sealer,
  }: { readonly scans: readonly RecordedScan[]; readonly labelsOf: LabelsOf; readonly sealer: Sealer },
): { readonly projects: readonly AuditedProject[]; readonly list: ProjectList } {
  // Audited twice, its violations would be counted and sent twice, and its secrets be shared with themselves.
  const named = new Set([...service.named.map(({ ref }) => ref.uid), ...service.namedElsewhere])
  const taken = new Set(service.named.map(({ ref }) => shortName(ref)))
  const listedUids = new Set(listed.map(({ uid }) => uid))
  const known = scans.filter(({ project }) => !isProjectList(project) && !named.has(project.uid))
  const past = known.filter(({ isGone }) => !isGone).map(({ project }) => project)
  // A project that left the fleet gave its name away, and has it again where no other one took it.
  const back = known
    .filter(({ isGone, project }) => isGone && listedUids.has(project.uid))
    .map(({ project }) => project)
  const ownNames = uniqueNames(past, taken)
  const pastNames = new Map([...ownNames, ...uniqueNames(back, new Set([...taken, ...ownNames.values()]))])
  const left = known.filter(({ isGone, project }) => isGone && !listedUids.has(project.uid))
  const freed = new Set(left.map(({ project }) => shortName(project)))
  const names = nameProjects(listed, { pastNames, taken, freed, sealer })
  const pastByUid = new Map([...past, ...back].map((project) => [project.uid, project]))

  const openAs = (uid: string, alsoCalled: readonly string[]): AuditedProject[] => {
    const short = names.get(uid) ?? uid
    const before = pastByUid.get(uid)
    // Its entry matched a name that only the service knows, and that may be another one today.
    const lasting =
      before !== undefined && isNamedByUid(before) ? { labels: labelsOf(before), configuredAt: null } : undefined
    // One of an earlier run may be known by its name there alone, which has `-` where the service's has blanks.
    const former = before === undefined ? [] : [shortName(before)]
    const fits = (match: MatchingEntry) =>
      entryFor([match], [short, ...former, ...alsoCalled]) !== undefined ||
      former.some((name) => matchesGlob(name, hyphenated(match.pattern)))
    const entry = service.matches.find(fits) ?? lasting
    if (entry === undefined) return []
    return [service.open({ name: `${service.name}/${short}`, service: service.name, uid }, entry)]
  }
  const present = listed.flatMap(({ uid, name }) => (named.has(uid) ? [] : openAs(uid, namesAtService(name, sealer))))
  const absent = past.flatMap(({ uid }) => (listedUids.has(uid) ? [] : openAs(uid, [])))
  const chosen = new Set([...named, ...present.map(({ ref }) => ref.uid)])
  const unchosen = [...listedUids].filter((uid) => !chosen.has(uid))
  const isWhole = coverage.status === 'complete'
  const noting = (project: AuditedProject): AuditedProject =>
    isWhole && !listedUids.has(project.ref.uid) ? { ...project, isMissing: true } : project
  const wasReadBefore = isWhole && scans.some(({ project, coverage }) => isProjectList(project) && coverage.length > 0)
  const presentRefs = present.map(({ ref }) => ref)
  const added = wasReadBefore ? presentRefs.filter(({ uid }) => !pastNames.has(uid)) : []
  // One of which nothing can be read yet is scanned by each run, and only the first of them has a notice.
  const departed = new Set(known.flatMap(({ hasDeparted, project }) => (hasDeparted ? project.uid : [])))
  const returned = presentRefs.filter(({ uid }) => departed.has(uid))
  const renamed = presentRefs.filter(({ uid }) => ownNames.get(uid) === uid && names.get(uid) !== uid)
  return {
    projects: [...service.named, ...present, ...absent].map(noting),
    list: { service: service.name, coverage, added, returned, renamed, unchosen },
  }
}

function shortName({ name, service }: ProjectRef): string {
  return name.slice(service.length + 1)
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

function isNamedByUid(project: ProjectRef): boolean {
  return shortName(project) === project.uid
}

/** Labels under which these scans were evaluated. */
export async function labelsIn(history: HistoryReader | undefined, scans: readonly RecordedScan[]): Promise<LabelsOf> {
  const labels = new Map<string, ListingEntry['labels']>()
  for (const [run, scansOfRun] of Map.groupBy(scans, ({ run }) => run.number)) {
    const inputs = history && (await readRunInputs(history, run))
    const ofRun = new Map(inputs?.projects.map((evaluation) => [evaluation.project, evaluation.labels]))
    for (const { project } of scansOfRun) labels.set(project.name, ofRun.get(project.name) ?? {})
  }
  return ({ name }) => labels.get(name) ?? {}
}

const emptyReason =
  'the list has no project: not believed, however often it comes. ' +
  'Check `organisation` and the key; projects that earlier runs scanned are scanned all the same'

/** @throws ServiceFault when the list, or the organisation that it needs, could not be read */
async function listProjectsOf(
  service: Pick<AuditedService, 'client' | 'key' | 'organisation' | 'named'>,
  cost: Pick<ListAccess, 'traffic' | 'budget'>,
  { signal, sealer }: ListReader,
): Promise<readonly ListedProject[]> {
  const { client, key, named } = service
  const show = ({ client, ref, key, filters }: AuditedProject) =>
    client.project({ projectUid: ref.uid, key, filters, signal, ...cost })
  const organisation = service.organisation ?? (await findOrganisation(named, show))
  return client.projects({ organisation, key, signal, ...cost, showName: createShowName(sealer) })
}

/** The service's name as a part of a reference; undefined where it does not fit. */
function wordOf(name: string, sealer: Sealer): string | undefined {
  const word = hyphenated(name.trim())
  return nameForm.test(word) && sealedName(name, sealer) === name ? word : undefined
}

function hyphenated(text: string): string {
  return text.replace(/ {1,200}/g, '-')
}

/** A name of the list, with its secrets sealed. */
function sealedName(name: string, sealer: Sealer): string {
  return takeInventory('project', [{ name }], sealer).listed[0]?.name ?? ''
}
