import type { AuditedProject } from '../audit/audited-project.ts'
import { labelsIn } from '../audit/discover-projects.ts'
import { type PointlessName, pointlessInPolicy, pointlessPatterns } from '../audit/pointless-names.ts'
import { configuredIn } from '../config/choose-projects.ts'
import type { Configuration } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import { vanishedRule } from '../history/acceptances.ts'
import type { HistoryReader } from '../history/reader.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { leaveOutRenamed, readLatestScans } from '../history/sql/scans.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import { isProjectList, type ProjectRef } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { describePolicySize, endedWaivers, policySize } from '../policy/policy.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import { type LoadOptions, loadPolicy, loadPolicyTests } from './load-policy.ts'
import { configuredPaths, hasConfiguration, hasConfigurationFile, knownSecrets } from './locate-history.ts'
import { openExistingHistory } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

/** A file that `doctor --offline` read. */
export interface CheckedFile {
  /** As the user named it, or as the configuration does. */
  readonly file: string
  readonly kind: 'configuration' | 'policy' | 'policy-tests'
  /** Each with its position in the file. */
  readonly faults: readonly string[]
  /** What is accepted and should be changed. */
  readonly warnings: readonly string[]
  /** What the file has; empty when it has faults. */
  readonly about: string
}

interface CheckRequest {
  readonly config: string
  /** In place of the configured one. */
  readonly history?: string | undefined
  /** Whether keys and other secrets must be there. */
  readonly needsSecrets: boolean
  readonly signal: AbortSignal
}

/**
 * Finds all faults of the configuration, of its policy and of the tests of that; asks no service.
 * @throws AuditError.usage when there is no configuration
 */
export async function checkFiles(
  { config, history, needsSecrets, signal }: CheckRequest,
  terminal: ProcessContext,
): Promise<readonly CheckedFile[]> {
  const now = Date.now()
  const findTimetableFault = timetableFaultsAt(now)
  const options = {
    cwd: terminal.cwd(),
    history,
    findTimetableFault,
    usesSecrets: needsSecrets,
    needsTokens: needsSecrets ? 'all' : 'none',
  } as const
  const readAll = () => readConfiguration(config, { env: terminal.env, readFile: readTextFile }, options)
  // Where there is none, the error says how to begin.
  const read = hasConfiguration(config, terminal) ? await attempt(async () => readAll()) : { value: readAll() }
  const projects = 'value' in read ? await projectsOf(read.value, terminal) : []
  const configuration: CheckedFile = {
    file: hasConfigurationFile(config, terminal) ? config : 'the environment',
    kind: 'configuration',
    ...('value' in read
      ? {
          faults: [],
          warnings: [...read.value.warnings, ...warningsOf(projects, (known) => pointlessPatterns(read.value, known))],
          about: describeConfiguration(read.value),
        }
      : { faults: read.faults, warnings: [], about: '' }),
  }
  // A configuration with faults may still name its policy.
  const paths = await attempt(() => configuredPaths(config, terminal))
  const file = 'value' in paths ? paths.value.policy : undefined
  if (file === undefined) return [configuration]
  const secrets = await knownSecrets({ config }, terminal)
  return [configuration, ...(await checkPolicy(file, { projects, now, signal, secrets }))]
}

type KnownProject = Pick<AuditedProject, 'ref' | 'labels'>

/** All projects that there are, those of lists as of the last runs; empty where that is not known. */
async function projectsOf(
  { services, history: location }: Configuration,
  { env }: ProcessContext,
): Promise<readonly KnownProject[]> {
  const named = services.flatMap(({ projects }) => projects)
  if (services.every(({ matches }) => matches.length === 0)) return named
  // A server may be out of reach where files are checked.
  if (location.kind !== 'file') return []
  const opened = await attempt(() => openExistingHistory(location, env))
  if (!('value' in opened)) return []
  try {
    return [...named, ...(await readPresent(opened.value, configuredIn(services)))]
  } finally {
    await opened.value.close()
  }
}

async function readPresent(
  history: HistoryReader,
  isConfigured: (project: ProjectRef) => boolean,
): Promise<readonly KnownProject[]> {
  const last = await findLastRun(history)
  if (last === undefined) return []
  const open = await readViolationsAt(history, last.number)
  const vanished = new Set(open.flatMap(({ rule, project }) => (rule === vanishedRule ? [project] : [])))
  const scans = leaveOutRenamed(await readLatestScans(history, last.number)).filter(
    ({ project, isGone }) => isConfigured(project) && !isProjectList(project) && !isGone && !vanished.has(project.name),
  )
  const labelsOf = await labelsIn(history, scans)
  return scans.map(({ project }) => ({ ref: project, labels: labelsOf(project) }))
}

/** A sentence for each name that `find` finds to be for none of the projects; none where these are not known. */
function warningsOf(
  projects: readonly KnownProject[],
  find: (projects: readonly KnownProject[]) => readonly PointlessName[],
): readonly string[] {
  if (projects.length === 0) return []
  return find(projects).map(
    ({ what, at }) => `${at === null ? '' : `${at}: `}the ${what} is for no project that is there`,
  )
}

/** `projects`: all that there are; empty where they are not known. */
async function checkPolicy(
  file: string,
  { projects, ...loading }: { readonly projects: readonly KnownProject[]; readonly now: number } & LoadOptions,
): Promise<readonly CheckedFile[]> {
  const policy = await attempt(() => loadPolicy(file, loading))
  if ('faults' in policy) return [{ file, kind: 'policy', faults: policy.faults, warnings: [], about: '' }]
  const size = policySize(policy.value)
  const pointless = warningsOf(projects, (known) => pointlessInPolicy(policy.value, known))
  const warnings = [...pointless, ...endedWaivers(policy.value, loading.now)]
  const checked: CheckedFile = { file, kind: 'policy', faults: [], warnings, about: describePolicySize(size) }
  const ids = policy.value.allRules.map(({ id }) => id)
  const tests = await attempt(() => loadPolicyTests(file, ids, loading))
  if ('faults' in tests) {
    return [checked, { file: `tests of ${file}`, kind: 'policy-tests', faults: tests.faults, warnings: [], about: '' }]
  }
  return [{ ...checked, about: describePolicySize({ ...size, tests: tests.value.length }) }]
}

/** `1 service, 2 projects and listed ones, 1 schedule, 0 channels` */
export function describeConfiguration({
  services,
  schedules,
  notify,
}: Pick<Configuration, 'services' | 'schedules' | 'notify'>): string {
  const named = services.reduce((sum, service) => sum + service.projects.length, 0)
  const areListed = services.some(({ matches }) => matches.length > 0)
  const projects =
    areListed && named === 0 ? 'listed projects' : `${count(named, 'project')}${areListed ? ' and listed ones' : ''}`
  const parts = [count(services.length, 'service'), projects]
  return [...parts, count(schedules.length, 'schedule'), count(notify.length, 'channel')].join(', ')
}

/** What a file has, or a line for each of its faults. */
async function attempt<Value>(read: () => Promise<Value>): Promise<{ value: Value } | { faults: readonly string[] }> {
  try {
    return { value: await read() }
  } catch (error) {
    if (error instanceof AuditError) return { faults: error.message.split('\n') }
    throw error
  }
}
