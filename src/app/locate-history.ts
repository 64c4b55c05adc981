import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMaskingSealer, type Sealer } from '../gateway/inventory/sealer.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import { AuditError } from '../model/errors.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

/** Options of commands that need only the history of a configuration. */
export interface HistoryOptions {
  readonly config: string
  readonly history?: string
}

/**
 * Finds the history: `--history`, then the environment, then the configuration, of which only the paths are read: that
 * needs no key.
 * @throws AuditError.usage when they name none
 */
export async function locateHistory(options: HistoryOptions, terminal: ProcessContext): Promise<HistoryLocation> {
  const named = namedHistory(options, terminal)
  if (named !== undefined) return readLocation(named, terminal.cwd())
  return (await configuredPaths(options.config, terminal)).history
}

/** The history that the command line or the environment names. An empty variable counts as unset. */
export function namedHistory({ history }: HistoryOptions, { env }: ProcessContext): string | undefined {
  return history ?? (env.HOOKDRIFT_HISTORY || undefined)
}

/** Whether there is a configuration: a file, or the environment in its place. */
export function hasConfiguration(config: string, terminal: ProcessContext): boolean {
  return hasConfigurationFile(config, terminal) || (terminal.env.HOOKDRIFT_URL ?? '') !== ''
}

export function hasConfigurationFile(config: string, { cwd }: ProcessContext): boolean {
  return existsSync(resolve(cwd(), config))
}

/** `named`: what a person may name in place of the configuration. `onRead` gets every file that is read for it. */
export async function configuredPaths(
  config: string,
  { cwd, env }: ProcessContext,
  named = 'the history with --history FILE',
  onRead: (file: string) => void = () => {},
) {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const readFile = (file: string, mostBytes?: number) => {
    onRead(file)
    return readTextFile(file, mostBytes)
  }
  return readConfiguration(
    resolve(cwd(), config),
    { env, readFile },
    {
      needs: ['history', 'policy'],
      usesSecrets: false,
      advice: `name ${named}, or another configuration with --config FILE or HOOKDRIFT_CONFIG`,
    },
  )
}

/**
 * Reads the configuration of a history, where there is one: a project that it no longer names is not expected. undefined
 * where the history is named without it. Readers of some projects get no others.
 * @throws AuditError.usage when it cannot be read, or its projects, schedules or channels cannot
 */
export async function findConfiguredPaths({ history, config }: HistoryOptions, terminal: ProcessContext) {
  const isNamed = history !== undefined || (terminal.env.HOOKDRIFT_HISTORY && !hasConfiguration(config, terminal))
  if (isNamed) return undefined
  const paths = await configuredPaths(config, terminal)
  if (paths.isWhole) {
    const { expectedIn, projectScope } = await import('../config/choose-projects.ts')
    const { services, schedules, notify } = paths
    const { named, isDiscovered } = expectedIn(services)
    const { projects } = terminal.reading ?? {}
    const own = projects === undefined ? named : named.filter(projectScope(projects).has)
    return { expected: { named: own, isDiscovered }, schedules, notify }
  }
  throw AuditError.usage(`${config}: a service, a project, a schedule or a channel cannot be read`, {
    advice: '`hookdrift doctor --offline` says which, and why',
  })
}

/**
 * The keys, tokens and passwords that texts of people may repeat: those of the environment and of the configuration. With
 * `--history` no configuration is read, and of one that cannot be read none is known.
 */
export async function knownSecrets(
  { config, history }: HistoryOptions,
  terminal: Pick<ProcessContext, 'cwd' | 'env'>,
): Promise<readonly string[]> {
  const { env } = terminal
  const given = [env.HOOKDRIFT_KEY ?? '', env.HOOKDRIFT_SEAL_KEY ?? '']
  if (history !== undefined) return given
  const { examineConfiguration } = await import('../config/read-configuration.ts')
  const options = { needs: [], usesSecrets: false }
  try {
    const file = resolve(terminal.cwd(), config)
    return [...given, ...examineConfiguration(file, { env, readFile: readTextFile }, options).secrets]
  } catch (error) {
    if (error instanceof AuditError) return given
    throw error
  }
}

/** Masks secrets in what a person typed: those of the configuration, and what looks like one. */
export async function openMasking(options: HistoryOptions, terminal: ProcessContext): Promise<Sealer> {
  return createMaskingSealer(await knownSecrets(options, terminal))
}

/**
 * Finds the policy file: the one that the command line names, or the configuration's, of which only the paths are read:
 * that needs no key. `example`: a command line that names one.
 * @throws AuditError.usage when neither names one
 */
export async function policyFileOf(
  { policy, config }: { readonly policy?: string; readonly config: string },
  terminal: ProcessContext,
  example: string,
): Promise<string> {
  if (policy !== undefined) return resolve(terminal.cwd(), policy)
  const { policy: named } = await configuredPaths(config, terminal, `the policy with \`${example}\``)
  if (named !== undefined) return named
  throw AuditError.usage(`${config} names no policy: the pack \`recommended\` applies`, {
    advice: `name a policy in it, or with \`${example}\``,
  })
}

/**
 * The server of a history that workers share. `instead`: what to do without one.
 * @throws AuditError.usage when the history is a file
 */
export function requireServer(history: HistoryLocation, instead = 'remove `worker.shared`'): PostgresServer {
  if (history.kind === 'postgres') return history.server
  throw AuditError.usage(`the history ${history.displayName} is a file, which workers cannot share`, {
    advice: `${instead}, or keep the history in PostgreSQL: \`hookdrift docs many-machines\``,
  })
}
