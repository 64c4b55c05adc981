import { dirname, resolve } from 'node:path'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import type { ServiceSettings } from '../service/settings.ts'
import type { Expand, NodePath } from '../yaml/node-values.ts'
import { type FileProblem, problemLines, refuseProblems } from '../yaml/problem.ts'
import { examineDocument, type ReadDocument } from '../yaml/read-document.ts'
import { findChannelFaults, findChannelWarnings } from './check-channels.ts'
import { findHistoryFaults } from './check-history-url.ts'
import { findLinkFaults } from './check-links.ts'
import { type FindTimetableFault, findScheduleFaults } from './check-schedules.ts'
import { findReaderFaults, findServeFaults, findServeWarnings } from './check-serve.ts'
import { findContradictions, findWarnings } from './check-services.ts'
import { findWorkerFaults } from './check-worker.ts'
import type { Channel, Configuration, ConfiguredProject, Schedule, SharedWork } from './configuration.ts'
import { configurationDigest } from './configuration-digest.ts'
import {
  configurationLimits,
  configurationSchema,
  type DecodedConfiguration,
  type DecodedProject,
  type DecodedService,
} from './configuration-schema.ts'
import { referenceIn, type ValuePlace } from './describe-key.ts'
import { dialectOf } from './dialect-schema.ts'
import {
  expandReferences,
  type ReferenceSources,
  readConfigurationText,
  withoutReferences,
} from './expand-references.ts'
import { listenAddress } from './listen-schema.ts'
import { type DecodedChannel, isChannelSecret } from './notify-schema.ts'
import { matchedProjects, namedProjects } from './project-entries.ts'
import { authorityOf, type ConfigurationReadContext, resolveFrom } from './read-authority.ts'
import { type NeededTokens, notingTokens, serveSettingsOf } from './read-serve.ts'
import { retentionOf } from './retention-schema.ts'
import { isSecretPath, secretPlaceholder } from './secret-paths.ts'

export interface ConfigurationOptions {
  /** `--history`; overrides `$HOOKDRIFT_HISTORY` and the file. */
  readonly history?: string | undefined
  /** What both are relative to. Default: the working directory of the process. */
  readonly cwd?: string
  /** Checks the schedules' patterns and zones. */
  readonly findTimetableFault?: FindTimetableFault | undefined
  /** Whether channels are sent to. Default: yes. If not, their secrets may be missing, and `notify` is empty. */
  readonly usesChannels?: boolean
  /** Which tokens of the pages' readers are used. Default: none; then they may be missing, and `serve` with them. */
  readonly needsTokens?: NeededTokens
  /** Whether secrets are used. Default: yes. If not, all of them may be missing, also those of channels. */
  readonly usesSecrets?: boolean
}

/** Whole, because a person without a checkout has no example at hand. */
const startAdvice = `run \`hookdrift init\`, set HOOKDRIFT_URL and HOOKDRIFT_KEY, name another file with --config FILE, or write this one:
    services:
      - name: acme
        url: https://hooks.example.com
        key: \${ACME_KEY}
        projects:
          - { id: ID-OF-THE-PROJECT, name: payments }`

/** A configuration as far as it can be read, and what is wrong with it. */
export interface ExaminedConfiguration {
  readonly problems: readonly FileProblem[]
  /**
   * Without its faulty parts; undefined where they are too many. A project without a usable key has an empty one.
   * `findHistory` throws AuditError.usage where the name of the history is faulty.
   */
  readonly parts: (Omit<Configuration, 'history'> & { readonly findHistory: () => HistoryLocation }) | undefined
  /** Whether a part of this member of the file was left out as faulty. */
  isCut(member: string): boolean
}

/**
 * Reads the configuration.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function readConfiguration(
  file: string,
  sources: ReferenceSources,
  options: ConfigurationOptions = {},
): Configuration {
  const { problems, parts } = examineConfiguration(file, sources, options)
  refuseProblems(problems)
  if (parts === undefined) throw new Error('a configuration was refused without a problem') // Lets the compiler know.
  const { findHistory, ...configuration } = parts
  return { ...configuration, history: findHistory() }
}

/**
 * Reads the configuration for callers that go on with what is right in it.
 * @throws AuditError.usage when it cannot be read at all, or is not YAML
 */
export function examineConfiguration(
  file: string,
  sources: ReferenceSources,
  options: ConfigurationOptions = {},
): ExaminedConfiguration {
  const { text, ...origin } = readConfigurationText(file, sources, startAdvice)
  const { expand, missing } = notingTokens(expandFor(options, expandReferences(file, sources)))
  const { document, problems: mistakes } = examineDocument(text, {
    ...origin,
    file,
    schema: configurationSchema,
    limits: configurationLimits,
    expand,
    isSecret: isSecretPath,
  })
  const isCut = (member: string) => document === undefined || document.leftOut.some(([first]) => first === member)
  if (document === undefined) return { problems: mistakes, parts: undefined, isCut }
  const { faults, authorities } = examineValues(document, { file, sources, options })
  const { value } = document
  const { needsTokens = 'none' } = options
  const areNeeded = needsTokens === 'all' || (needsTokens === 'of-worker' && value.worker?.pages === true)
  const lost = areNeeded ? missing.map(({ path, text }) => document.problem(path, text)) : []
  const problems = [...mistakes, ...lost, ...faults]
  const headers = authorities.map((ca, index) => ({ ca, headers: headersAsWritten(index, document) }))
  const parts = {
    file: origin.variableAt === undefined ? resolve(file) : undefined,
    findHistory: () => historyOf(file, value, sources.env, options),
    policy: value.policy === undefined ? undefined : resolveFrom(file, value.policy),
    company: value.company,
    retention: value.retention && retentionOf(value.retention),
    concurrency: value.concurrency,
    runTimeoutMs: value.run_timeout,
    listen: value.worker?.listen === undefined ? undefined : listenAddress(value.worker.listen),
    hosts: value.worker?.hosts,
    pages: value.worker?.pages === true,
    serve: missing.length === 0 && options.usesSecrets !== false ? serveSettingsOf(value.serve) : undefined,
    shared: sharedWorkOf(value.worker),
    schedules: value.schedules.map((schedule) => scheduleOf(schedule, value.run_timeout)),
    notify: options.usesChannels === false ? [] : value.notify.map((channel) => channelOf(channel, file)),
    reportUrl: value.report_url,
    services: value.services.map((service, index) => ({
      settings: settingsOf(service, authorities[index], Math.max(value.concurrency, service.limits.walks ?? 0)),
      urlPlace: placeAt(document, ['services', index, 'url']),
      projects: namedProjects(service).map(([position, project]) =>
        projectOf(project, service, document, { path: ['services', index, 'projects', position], problems }),
      ),
      matches: matchedProjects(service).map(([position, { match, labels }]) => {
        const path = ['services', index, 'projects', ...(position === undefined ? [] : [position])]
        return { pattern: match, labels, line: document.at(path).line }
      }),
      organisation: service.organisation,
      key: service.key,
      keyPlace: placeAt(document, ['services', index, 'key']),
      listings: service.listings,
      filtersPerRun: service.limits.filters_per_run,
      mostWalks: service.limits.walks ?? value.concurrency,
      uiUrl: service.ui_url ?? value.ui_url,
    })),
    digest: configurationDigest(value, headers),
    warnings: problemLines([
      ...findWarnings(document),
      ...findServeWarnings(document),
      ...findChannelWarnings(document),
    ]),
  }
  return { problems, parts, isCut }
}

/** Finds what no schema can: faults across values, and in files that are named. */
function examineValues(
  document: ReadDocument<DecodedConfiguration>,
  { file, sources, options }: Pick<ConfigurationReadContext, 'file' | 'sources'> & { options: ConfigurationOptions },
): { faults: readonly FileProblem[]; authorities: readonly (string | undefined)[] } {
  const problems: FileProblem[] = [
    ...findHistoryFaults(document),
    ...findContradictions(document),
    ...findServeFaults(document),
    ...findReaderFaults(document),
    ...findWorkerFaults(document),
    ...findScheduleFaults(document, options.findTimetableFault),
    ...findChannelFaults(document),
    ...findLinkFaults(document),
  ]
  const authorities = document.value.services.map((_, index) =>
    authorityOf(index, { file, sources, document, problems }),
  )
  return { faults: problems, authorities }
}

/** Secrets that are not used may be missing. The digest has none, so it stays the same. */
function expandFor({ usesChannels = true, usesSecrets = true }: ConfigurationOptions, expand: Expand): Expand {
  if (usesChannels && usesSecrets) return expand
  const isUnused = usesSecrets ? isChannelSecret : isSecretPath
  return (written, path) => {
    const expanded = expand(written, path)
    const isMissing = 'problem' in expanded || expanded.text === ''
    // The URL of a history may contain a password.
    if (isMissing && !usesSecrets && path[0] === 'history') return { text: withoutReferences(written, unset) }
    return isMissing && isUnused(path) ? { text: secretPlaceholder(path) } : expanded
  }
}

/** In place of what the environment does not say. */
const unset = 'unset'

function sharedWorkOf(worker: DecodedConfiguration['worker']): SharedWork | undefined {
  return worker?.shared === true ? { slots: worker.slots ?? 16, services: worker.services } : undefined
}

function channelOf(channel: DecodedChannel, file: string): Channel {
  return channel.type === 'directory' ? { ...channel, path: resolveFrom(file, channel.path) } : channel
}

function historyOf(
  file: string,
  { history, seal_key }: DecodedConfiguration,
  env: ReferenceSources['env'],
  options: ConfigurationOptions,
): HistoryLocation {
  // An empty variable counts as unset.
  const override = options.history ?? (env.HOOKDRIFT_HISTORY || undefined)
  const location =
    override === undefined ? readLocation(history, dirname(resolve(file))) : readLocation(override, options.cwd ?? '.')
  return seal_key === undefined ? location : { ...location, sealKey: seal_key }
}

function headersAsWritten(
  index: number,
  document: ReadDocument<DecodedConfiguration>,
): Readonly<Record<string, string | null>> {
  const headers = document.value.services[index]?.dialect.headers ?? {}
  const written = Object.keys(headers).map((name) => {
    return [name.toLowerCase(), document.written(['services', index, 'dialect', 'headers', name]) ?? null] as const
  })
  return Object.fromEntries(written)
}

function settingsOf(service: DecodedService, ca: string | undefined, connections: number): ServiceSettings {
  const { limits } = service
  return {
    name: service.name,
    url: service.url,
    pageSize: service.page_size,
    limits: {
      connectTimeoutMs: limits.connect_timeout,
      pageTimeoutMs: limits.page_timeout,
      retries: limits.retries,
      retryBudgetMs: limits.retry_budget,
      maxPages: limits.max_pages,
      maxBodyBytes: limits.max_body,
    },
    dialect: dialectOf(service.dialect),
    ca,
    connections,
    filtersAtOnce: limits.filters_at_once,
  }
}

function scheduleOf(schedule: DecodedConfiguration['schedules'][number], runTimeoutMs: number): Schedule {
  return {
    name: schedule.name,
    cron: schedule.cron,
    timezone: schedule.timezone,
    jitterMs: schedule.jitter,
    projects: schedule.projects ?? [],
    probes: schedule.probes,
    runOnStart: schedule.run_on_start,
    runTimeoutMs: schedule.run_timeout ?? runTimeoutMs,
  }
}

function projectOf(
  project: DecodedProject,
  service: DecodedService,
  document: ReadDocument<DecodedConfiguration>,
  { path, problems }: { readonly path: NodePath; readonly problems: readonly FileProblem[] },
): ConfiguredProject {
  const keyPath = [...(project.key === undefined ? path.slice(0, 2) : path), 'key']
  const { line, column } = document.at(keyPath)
  const isFaulty = problems.some((problem) => problem.line === line && problem.column === column)
  const key = (isFaulty ? undefined : (project.key ?? service.key)) ?? ''
  return {
    ref: { name: `${service.name}/${project.name ?? project.id}`, service: service.name, uid: project.id },
    key,
    keyPlace: placeAt(document, keyPath),
    labels: project.labels,
    filters: project.filters,
    line: document.at(path).line,
  }
}

function placeAt(document: ReadDocument<DecodedConfiguration>, path: NodePath): ValuePlace {
  return { ...document.at(path), reference: referenceIn(document.written(path) ?? '') }
}
