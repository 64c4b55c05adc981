import { composeReport } from '../../audit/compose-report.ts'
import { matchesProject } from '../../config/choose-projects.ts'
import type { Schedule } from '../../config/configuration.ts'
import type { HistoryReader } from '../../history/reader.ts'
import { readRunRecord } from '../../history/sql/read-run.ts'
import { type CommittedRun, findLastRun, listRuns } from '../../history/sql/runs.ts'
import { leaveOutRenamed, type RecordedScan, readCompleteScans, readLatestScans } from '../../history/sql/scans.ts'
import { isCoverageComplete, isInterrupted } from '../../model/coverage.ts'
import type { Report } from '../../model/report.ts'
import { isProjectList, type ProjectRef, policyProject, projectKey, type WalkedListing } from '../../model/resource.ts'
import { addPast, addRun, emptyFleetStatus, type FleetStatus } from './fleet-status.ts'

/** The results of runs before this worker started. */
export interface RecordedPast {
  readonly fleet: FleetStatus
  /** The last committed run. */
  readonly last: Report | undefined
  /** When the schedule's projects were last scanned, in milliseconds since the epoch; undefined: never. */
  servedUntil(schedule: Pick<Schedule, 'projects' | 'jitterMs'>): number | undefined
}

/** The most runs to read; a project that was last scanned before them appears with its next scan. */
const mostRead = 50
/** The delay of a tick's run, apart from jitter. */
const latenessMs = 60_000

/** Reads the known state of the configured projects. */
export async function readPast(
  history: HistoryReader,
  isConfigured: (project: ProjectRef) => boolean,
): Promise<RecordedPast> {
  const runs = await listRuns(history)
  const latest = runs.at(-1)
  if (latest === undefined) return { fleet: emptyFleetStatus, last: undefined, servedUntil: () => undefined }
  const scans = await readFleetScans(history, latest, isConfigured)
  const numbers = [...new Set([...scans.map(({ run }) => run.number), latest.number])].sort((a, b) => a - b)
  let fleet = emptyFleetStatus
  let last: Report | undefined
  for (const number of numbers.slice(-mostRead)) {
    const record = await readRunRecord(history, number)
    if (record === undefined) continue
    last = composeReport(record)
    fleet = addRun(fleet, last)
  }
  const scansBefore = new Map<number, Map<string, RecordedScan>>()
  const scansAt = async (number: number) => {
    const known = scansBefore.get(number)
    if (known !== undefined) return known
    const scansByProject = new Map(
      (await readLatestScans(history, number)).map((scan) => [projectKey(scan.project), scan]),
    )
    scansBefore.set(number, scansByProject)
    return scansByProject
  }
  const endOf = new Map(runs.map(({ number, finished_at }) => [number, Date.parse(finished_at)]))
  for (const { project, incompleteSince } of scans) {
    if (incompleteSince === undefined) continue
    const baselines = Object.values(await readCompleteScans(history, project, latest.number))
    const ends: (readonly [WalkedListing, number])[] = baselines.map(({ listing, run }) => [
      listing,
      endOf.get(run) ?? 0,
    ])
    // Filters belong to no kind: they were complete in the last scan that was so as a whole.
    const whole = (await scansAt(incompleteSince.number - 1)).get(projectKey(project))
    if (whole !== undefined && isCoverageComplete(whole.coverage))
      ends.push(['filters', endOf.get(whole.run.number) ?? 0])
    fleet = addPast(fleet, project.name, new Map(ends))
  }
  const names = namesOf(scans)
  return {
    fleet: new Map([...fleet].filter(([project]) => names.has(project))),
    last,
    servedUntil: ({ projects, jitterMs }) => {
      const starts = scans
        .filter(({ project }) => matchesProject(project.name, projects) && !isProjectList(project))
        .map((scan) => Date.parse(scan.run.started_at) - (wasCutShort(scan) ? jitterMs + latenessMs : 0))
      return starts.length === 0 ? undefined : Math.min(...starts)
    },
  }
}

/** The names of the configured projects that have not left the fleet, and of what else has metrics. */
export async function readFleetNames(
  history: HistoryReader,
  isConfigured: (project: ProjectRef) => boolean,
): Promise<ReadonlySet<string>> {
  const latest = await findLastRun(history)
  return namesOf(latest === undefined ? [] : await readFleetScans(history, latest, isConfigured))
}

async function readFleetScans(
  history: HistoryReader,
  { number }: CommittedRun,
  isConfigured: (project: ProjectRef) => boolean,
): Promise<readonly RecordedScan[]> {
  const scans = leaveOutRenamed(await readLatestScans(history, number))
  const own = scans.filter(({ project, isGone }) => isConfigured(project) && !isGone)
  // A list that decides nothing is scanned by each run of the whole fleet as long as it has violations.
  const lists = scans.filter(
    ({ project, run }) =>
      isProjectList(project) &&
      !isConfigured(project) &&
      own.some((one) => one.project.service === project.service && one.run.number <= run.number),
  )
  return [...own, ...lists]
}

function namesOf(scans: readonly RecordedScan[]): ReadonlySet<string> {
  return new Set([policyProject.name, ...scans.map(({ project }) => project.name)])
}

/** A run that a signal ended has not done its tick's work. */
function wasCutShort({ coverage }: RecordedScan): boolean {
  return coverage.some(isInterrupted)
}
