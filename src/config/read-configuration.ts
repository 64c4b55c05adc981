import { hash, X509Certificate } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { proxyFaultOf } from '../gateway/service/proxy-for.ts'
import type { ServiceSettings } from '../gateway/service/settings.ts'
import { type HistoryLocation, readLocation, urlScheme } from '../history/location.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { reasonOf } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Expand, NodePath } from '../model/yaml/node-values.ts'
import { type FileProblem, problemLines, refuseProblems } from '../model/yaml/problem.ts'
import { examineDocument, type ReadDocument } from '../model/yaml/read-document.ts'
import { matchesProject } from './choose-projects.ts'
import {
  configurationLimits,
  configurationSchema,
  type DecodedConfiguration,
  type DecodedProject,
  type DecodedService,
  isKeyPath,
  isNameOfProject,
  isSecretPath,
  isServeSecret,
  matchedProjects,
  namedProjects,
  partialSchema,
  retentionOf,
  secretPlaceholder,
} from './configuration-schema.ts'
import { dialectOf } from './dialect-schema.ts'
import {
  expandReferences,
  isLiteral,
  type ReferenceSources,
  readConfigurationText,
  referenceForms,
  referenceIn,
  type ValuePosition,
  withoutReferences,
} from './expand-references.ts'
import {
  channelWithoutSecrets,
  type DecodedChannel,
  httpAddress,
  isChannelSecret,
  isSecretAddress,
  unsetHost,
} from './notify-schema.ts'
import { isLoopback, listenAddress, serveSettingsOf } from './serve-schema.ts'

/** The fault of a pattern, a zone or a jitter; undefined if they make a timetable. */
export type FindTimetableFault = (schedule: {
  readonly cron: string
  readonly timezone: string
  readonly jitterMs: number
}) => { readonly member: 'cron' | 'timezone' | 'jitter'; readonly text: string } | undefined

export interface ConfigurationOptions {
  /** `--history`; overrides `$HOOKDRIFT_HISTORY` and the file. */
  readonly history?: string | undefined
  /** What both are relative to. Default: the working directory of the process. */
  readonly cwd?: string
  /** Checks the schedules' patterns and zones; without it, they pass. */
  readonly findTimetableFault?: FindTimetableFault | undefined
  /** The members that must be right; what else is wrong is left out. Default: all. */
  readonly needs?: readonly (keyof DecodedConfiguration)[]
  /** Whether channels are sent to. Default: yes. If not, their secrets may be missing, and `notify` is empty. */
  readonly usesChannels?: boolean
  /**
   * Which tokens of the pages' readers must be there: none, those of the pages that a worker serves, or all in the file.
   * Default: none; then they may be missing, and `serve` with them.
   */
  readonly needsTokens?: 'none' | 'of-worker' | 'all'
  /** Whether secrets are used. Default: yes. If not, all of them may be missing, also those of channels. */
  readonly usesSecrets?: boolean
  /** What to do where there is no configuration. */
  readonly advice?: string
}

/** Whole, because a person without a checkout has no example at hand. */
const startAdvice = `run \`hookdrift init\`, set HOOKDRIFT_URL and HOOKDRIFT_KEY, name another file with --config FILE or HOOKDRIFT_CONFIG, or write this one:
    services:
      - name: acme
        url: https://hooks.example.com
        key: \${ACME_KEY}
        projects:
          - { id: ID-OF-THE-PROJECT, name: payments }`

/**
 * Reads the configuration, with every default filled in and every path absolute. Its warnings are `file:line:column: text`,
 * in the order of the file.
 * @throws AuditError.usage with a line for every mistake in what is needed, as `file:line:column`
 */
export function readConfiguration(file: string, sources: ReferenceSources, options: ConfigurationOptions = {}) {
  const { problems, parts } = examineConfiguration(file, sources, options)
  const { needs, advice } = options
  const isNeeded = ({ path: [first] }: FileProblem) => needs?.some((member) => member === first) ?? true
  refuseProblems(parts === undefined ? problems : problems.filter(isNeeded), advice === undefined ? {} : { advice })
  if (parts === undefined) throw new Error('a configuration was refused without a problem') // Lets the compiler know.
  const { findHistory, warnings, ...configuration } = parts
  return { ...configuration, history: findHistory(), warnings: problemLines(warnings.filter(isNeeded)) }
}

/**
 * Reads the configuration for callers that go on with what is right in it. `problems`: what is wrong. `parts`: it without
 * its faulty parts; undefined where they are too many. `secrets`: its keys, tokens and passwords, as far as they can be
 * filled in. `isCut`: whether a part of a member of the file was left out as faulty.
 * @throws AuditError.usage when it cannot be read at all, or is not YAML
 */
export function examineConfiguration(file: string, sources: ReferenceSources, options: ConfigurationOptions = {}) {
  const { findTimetableFault = () => undefined, advice = startAdvice } = options
  const { text, ...origin } = readConfigurationText(file, sources, advice)
  const { expand, secrets, missing } = expandFor(options, expandReferences(file, sources, origin))
  const {
    document,
    problems: mistakes,
    faults,
  } = examineDocument(text, {
    ...origin,
    file,
    schema: configurationSchema,
    rest: partialSchema,
    limits: configurationLimits,
    expand,
    isSecret: isSecretPath,
  })
  const isCut = (member: string) => document === undefined || document.omittedPaths.some(([first]) => first === member)
  if (document === undefined) return { problems: mistakes, parts: undefined, secrets, isCut }
  const { value } = document
  const authorities = value.services.map(({ ca_file: path }) =>
    path === undefined ? {} : readAuthority(path, file, sources),
  )
  const unreadable = authorities.flatMap(({ fault }, index) =>
    fault === undefined ? [] : [document.problem(['services', index, 'ca_file'], fault)],
  )
  const areNeeded = options.needsTokens === 'of-worker' && value.worker?.pages === true
  const tokens = missing.filter(({ path }) => isServeSecret(path))
  const lost = areNeeded ? tokens.map(({ path, text }) => document.problem(path, text)) : []
  const timetables = findTimetableFaults(document, findTimetableFault)
  const channels = options.usesChannels === false ? [] : value.notify
  const proxies = findProxyFaults([...value.services, ...channels.flatMap((each) => httpAddress(each) ?? [])], sources)
  const problems = [...mistakes, ...faults, ...lost, ...timetables, ...unreadable, ...proxies]
  const headers = authorities.map(({ pem }, index) => ({ ca: pem, headers: headersAsWritten(index, document) }))
  const sealKey = missing.some(({ path: [first] }) => first === 'seal_key') ? undefined : value.seal_key
  const parts = {
    /** Undefined: the environment is the configuration. */
    file: origin.variableAt === undefined ? resolve(file) : undefined,
    /** @throws AuditError.usage where the name of the history is faulty */
    findHistory: () => ({ ...historyOf(file, value.history, sources.env, options), ...(sealKey && { sealKey }) }),
    policy: value.policy === undefined ? undefined : resolveFrom(file, value.policy),
    company: value.company,
    /** Undefined: all runs are kept. */
    retention: value.retention && retentionOf(value.retention),
    concurrency: value.concurrency,
    runTimeoutMs: value.run_timeout,
    listen: value.worker?.listen === undefined ? undefined : listenAddress(value.worker.listen),
    hosts: value.worker?.hosts,
    pages: value.worker?.pages === true,
    /** It contains secrets; undefined where one is missing that is not used. */
    serve: tokens.length > 0 ? undefined : serveSettingsOf(value.serve),
    /** Undefined: the worker runs alone. */
    shared: sharedWorkOf(value.worker),
    schedules: value.schedules.map((schedule) => scheduleOf(schedule, value.run_timeout)),
    /** They contain secrets, for delivery only. */
    notify: channels.map((channel) => channelOf(channel, file)),
    reportUrl: value.report_url,
    services: value.services.map((service, index) => ({
      settings: settingsOf(service, authorities[index]?.pem, Math.max(value.concurrency, service.limits.walks ?? 0)),
      urlPosition: positionAt(document, ['services', index, 'url']),
      /** Those that are named. */
      projects: namedProjects(service).map(([position, project]) =>
        projectOf(project, service, document, { path: ['services', index, 'projects', position], problems }),
      ),
      /** Which projects of the service's list are audited too: the first that fits counts. */
      matches: matchedProjects(service).map(([position, { match, labels }]) => {
        const path = ['services', index, 'projects', ...(position === undefined ? [] : [position])]
        return { pattern: match, labels, line: document.at(path).line }
      }),
      organisation: service.organisation,
      /** For projects of the list. A secret. */
      key: service.key,
      keyPosition: positionAt(document, ['services', index, 'key']),
      listings: service.listings,
      filtersPerRun: service.limits.filters_per_run,
      deliveriesPerQuestion: service.limits.deliveries_per_question,
      mostWalks: service.limits.walks ?? value.concurrency,
      uiUrl: service.ui_url ?? value.ui_url,
    })),
    /** Whether no project, schedule or channel was left out as faulty. */
    isWhole: !document.omittedPaths.some(isExpected),
    secrets,
    /** sha256 in hex of the configuration, without keys and other secrets. */
    digest: configurationDigest(value, headers),
    warnings: [...findWarnings(document)],
  }
  return { problems, parts, secrets, isCut }
}

/** Whether a faulty part is, or may have, a project, a schedule or a channel. */
function isExpected(path: NodePath): boolean {
  const [first, , member] = path
  return (
    first === 'run_timeout' ||
    first === 'schedules' ||
    (first === 'notify' && member === undefined) ||
    isNameOfProject(path)
  )
}

/** In place of what the environment does not say. */
const unset = 'unset'

/** Secrets that are not used may be missing, and are noted then. The digest has none, so it stays the same. */
function expandFor(
  { usesChannels = true, usesSecrets = true, needsTokens, needs }: ConfigurationOptions,
  fill: Expand,
): {
  readonly expand: Expand
  /** Keys, tokens and passwords that were filled in. */
  readonly secrets: readonly string[]
  readonly missing: readonly { readonly path: NodePath; readonly text: string }[]
} {
  const secrets: string[] = []
  const missing: { path: NodePath; text: string }[] = []
  const isUsed = (path: NodePath) => {
    if (isServeSecret(path)) return needsTokens === 'all'
    return usesSecrets && (usesChannels || !isChannelSecret(path))
  }
  const expand: Expand = (written, path) => {
    const filled = fill(written, path)
    if ('text' in filled && isKeyPath(path)) secrets.push(filled.text)
    const text = 'problem' in filled ? filled.problem : filled.text === '' ? 'the token is empty' : undefined
    if (text === undefined) return filled
    // The URL of a history may contain a password.
    if (path[0] === 'history' && !usesSecrets && needs === undefined) return { text: withoutReferences(written, unset) }
    const isUrl = needs !== undefined && path[0] === 'services' && path.at(-1) === 'url'
    if (!isUrl && (!isSecretPath(path) || isUsed(path))) return filled
    missing.push({ path, text })
    return { text: isUrl ? `https://${unsetHost}` : secretPlaceholder(path) }
  }
  return { expand, secrets, missing }
}

/** Finds schedules that cannot be kept. */
function* findTimetableFaults(
  { value, problem }: ReadDocument<DecodedConfiguration>,
  findTimetableFault: FindTimetableFault,
): Generator<FileProblem> {
  for (const [index, { cron, timezone, jitter: jitterMs }] of value.schedules.entries()) {
    const fault = findTimetableFault({ cron, timezone, jitterMs })
    if (fault !== undefined) yield problem(['schedules', index, fault.member], fault.text)
  }
}

/** Finds proxies of the environment that cannot be followed: one that is meant to be left out would get the key. */
function findProxyFaults(addresses: readonly { readonly url: string }[], { env }: ReferenceSources): FileProblem[] {
  const faults = addresses.flatMap(({ url }) => proxyFaultOf(new URL(url), env) ?? [])
  return [...new Set(faults)].map((text) => ({ file: 'environment', path: [], line: 0, column: 0, text }))
}

/** The certificates that a service names in `ca_file`, or what is wrong with them. */
function readAuthority(
  path: string,
  file: string,
  { readFile }: ReferenceSources,
): { readonly pem?: string; readonly fault?: string } {
  let pem: string
  try {
    pem = readFile(resolveFrom(file, path))
  } catch (thrown) {
    return { fault: `cannot read ${path}: ${reasonOf(thrown)}` }
  }
  if (isCertificate(pem)) return { pem }
  return { fault: `${path} does not contain a certificate, expected one or more in PEM form` }
}

/** A path in the configuration is relative to its folder. */
function resolveFrom(file: string, path: string): string {
  return resolve(dirname(file), path)
}

function isCertificate(pem: string): boolean {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return certificates.map((certificate) => new X509Certificate(certificate)).length > 0
  } catch {
    return false
  }
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

function historyOf(
  file: string,
  history: string,
  env: ReferenceSources['env'],
  options: ConfigurationOptions,
): HistoryLocation {
  // An empty variable counts as unset.
  const override = options.history ?? (env.HOOKDRIFT_HISTORY || undefined)
  return override === undefined
    ? readLocation(history, dirname(resolve(file)))
    : readLocation(override, options.cwd ?? '.')
}

function sharedWorkOf(worker: DecodedConfiguration['worker']) {
  return worker?.shared === true ? { slots: worker.slots ?? 16, services: worker.services } : undefined
}

function scheduleOf(schedule: DecodedConfiguration['schedules'][number], runTimeoutMs: number) {
  const projects: readonly string[] = schedule.projects ?? []
  return {
    name: schedule.name,
    cron: schedule.cron,
    timezone: schedule.timezone,
    jitterMs: schedule.jitter,
    /** Patterns of projects; all when empty. */
    projects,
    probes: schedule.probes,
    runOnStart: schedule.run_on_start,
    runTimeoutMs: schedule.run_timeout ?? runTimeoutMs,
  }
}

function channelOf(channel: DecodedChannel, file: string): DecodedChannel {
  return channel.type === 'directory' ? { ...channel, path: resolveFrom(file, channel.path) } : channel
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

function positionAt(document: ReadDocument<DecodedConfiguration>, path: NodePath): ValuePosition {
  return { ...document.at(path), reference: referenceIn(document.written(path) ?? '') }
}

function projectOf(
  project: DecodedProject,
  service: DecodedService,
  document: ReadDocument<DecodedConfiguration>,
  { path, problems }: { readonly path: NodePath; readonly problems: readonly FileProblem[] },
) {
  const keyPath = [...(project.key === undefined ? path.slice(0, 2) : path), 'key']
  const { line, column } = document.at(keyPath)
  const isFaulty = problems.some((problem) => problem.line === line && problem.column === column)
  const key = (isFaulty ? undefined : (project.key ?? service.key)) ?? ''
  return {
    ref: { name: `${service.name}/${project.name ?? project.id}`, service: service.name, uid: project.id },
    /** A secret: for the service only, never for a log or a report. Empty where none can be used. */
    key,
    keyPosition: positionAt(document, keyPath),
    labels: project.labels,
    filters: project.filters,
    line: document.at(path).line,
  }
}

/** Values for the digest that the decoded configuration does not contain, by service. */
interface WrittenService {
  readonly ca: string | undefined
  /** Header values as written: one from the environment may be a secret. */
  readonly headers: Readonly<Record<string, string | null>>
}

/**
 * sha256 of the configuration's meaning: comments, the order of members and explicit defaults make no difference. Nor
 * do keys, a history's server, the readers of the pages, and what one of several workers serves and takes of a shared
 * run: a rotated key does not change it, and all workers of a run have the same. Paths count as written.
 */
function configurationDigest(configuration: DecodedConfiguration, parts: readonly WrittenService[]): string {
  const services = configuration.services.map((service, index) => withoutSecrets(service, parts[index]))
  const channels = configuration.notify.map(channelWithoutSecrets)
  // A configuration without channels keeps its digest from before channels existed.
  const notify = channels.length === 0 ? undefined : channels
  // Drops members that are undefined.
  const plain: Json = JSON.parse(
    JSON.stringify({
      ...configuration,
      seal_key: placeholderFor(configuration.seal_key),
      services,
      notify,
      serve: undefined,
      history: historyFor(configuration.history),
      worker: undefined,
    }),
  )
  return hash('sha256', canonicalJson(plain))
}

function withoutSecrets(service: DecodedService, parts: WrittenService | undefined) {
  return {
    ...service,
    key: placeholderFor(service.key),
    ca: parts?.ca,
    dialect: { ...service.dialect, headers: parts?.headers },
    projects:
      service.projects === 'all'
        ? service.projects
        : service.projects.map((entry) => ('id' in entry ? { ...entry, key: placeholderFor(entry.key) } : entry)),
  }
}

const keyPlaceholder = 'key'

function placeholderFor(key: string | undefined): string | undefined {
  return key === undefined ? undefined : keyPlaceholder
}

/** A URL may contain a password, and each machine may reach the server under another name. */
function historyFor(history: string): string {
  return urlScheme(history) === undefined ? history : 'postgres'
}

/** Finds what is accepted but should be changed: secrets that others can read, and projects that no schedule audits. */
function* findWarnings(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { services, schedules, notify } = document.value
  for (const path of leavesOf(document.value)) {
    const written = document.written(path)
    if (written === undefined || !isLiteral(written)) continue
    const channel = path[0] === 'notify' ? notify[Number(path[1])] : undefined
    if (!isKeyPath(path) && !(channel && isSecretAddress(channel, path[2]))) continue
    yield document.problem(path, `the file contains a secret; use ${referenceForms}`)
  }
  for (const [index, service] of services.entries()) {
    const path = ['services', index]
    if (isSentInClear(service.url)) {
      yield document.problem([...path, 'url'], 'the key is sent unencrypted over http; use https')
    }
    for (const [at, { id, name = id }] of namedProjects(service)) {
      const isScheduled = schedules.some((schedule) =>
        matchesProject(`${service.name}/${name}`, schedule.projects ?? []),
      )
      if (isScheduled || schedules.length === 0) continue
      yield document.problem([...path, 'projects', at], 'no schedule audits this project')
    }
  }
  for (const [index, channel] of notify.entries()) {
    const address = httpAddress(channel)
    if (address === undefined || !isSentInClear(address.url)) continue
    yield document.problem(['notify', index, address.member], 'messages are sent unencrypted over http; use https')
  }
}

/** The paths of the single values in a value. */
function* leavesOf(value: unknown, path: NodePath = []): Generator<NodePath> {
  if (typeof value !== 'object' || value === null) yield path
  else {
    for (const [name, member] of Object.entries(value)) {
      yield* leavesOf(member, [...path, Array.isArray(value) ? Number(name) : name])
    }
  }
}

function isSentInClear(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}
