import type { Configuration, ConfiguredProject } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import { describePolicySize, endedWaivers, pointlessOverrides, policySize } from '../policy/policy.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import { count } from '../text/count.ts'
import { type LoadOptions, loadPolicy, loadPolicyTests } from './load-policy.ts'
import { configuredPaths, hasConfiguration, knownSecrets } from './locate-history.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

/** A file that `config check` read. */
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
  /** Whether keys and other secrets must be there. */
  readonly needsSecrets: boolean
  readonly signal: AbortSignal
}

/**
 * Finds all faults of the configuration, of its policy and of the tests of that; asks no service.
 * @throws AuditError.usage when there is no configuration
 */
export async function checkFiles(
  { config, needsSecrets, signal }: CheckRequest,
  terminal: ProcessContext,
): Promise<readonly CheckedFile[]> {
  const now = Date.now()
  const findTimetableFault = timetableFaultsAt(now)
  const options = {
    cwd: terminal.cwd(),
    findTimetableFault,
    usesSecrets: needsSecrets,
    needsTokens: needsSecrets ? 'all' : 'none',
  } as const
  const readAll = () => readConfiguration(config, { env: terminal.env, readFile: readTextFile }, options)
  // Where there is none, the error says how to begin.
  const read = hasConfiguration(config, terminal) ? await attempt(async () => readAll()) : { value: readAll() }
  const configuration: CheckedFile = {
    file: 'value' in read && read.value.file === undefined ? 'the environment' : config,
    kind: 'configuration',
    ...('value' in read
      ? { faults: [], warnings: read.value.warnings, about: describeConfiguration(read.value) }
      : { faults: read.faults, warnings: [], about: '' }),
  }
  // A configuration with faults may still name its policy.
  const paths = await attempt(() => configuredPaths(config, terminal))
  const file = 'value' in paths ? paths.value.policy : undefined
  if (file === undefined) return [configuration]
  const services = 'value' in read ? read.value.services : []
  // An override may be for a project that the list of a service does not have yet.
  const projects = services.some(({ matches }) => matches.length > 0)
    ? []
    : services.flatMap(({ projects }) => projects)
  const secrets = await knownSecrets({ config }, terminal)
  return [configuration, ...(await checkPolicy(file, { projects, now, signal, secrets }))]
}

/** `projects`: all that there are; empty where they are not known. */
async function checkPolicy(
  file: string,
  { projects, ...loading }: { readonly projects: readonly ConfiguredProject[]; readonly now: number } & LoadOptions,
): Promise<readonly CheckedFile[]> {
  const policy = await attempt(() => loadPolicy(file, loading))
  if ('faults' in policy) return [{ file, kind: 'policy', faults: policy.faults, warnings: [], about: '' }]
  const size = policySize(policy.value)
  const pointless = projects.length === 0 ? [] : pointlessOverrides(policy.value, projects)
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
