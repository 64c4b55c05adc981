import { readLocation, urlScheme } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import { placeholdersIn, uiPlaceholders } from '../model/resource-link.ts'
import { defaultDialect } from '../service/dialect.ts'
import { withoutCredentials } from '../service/foreign-text.ts'
import { suggestName } from '../text/nearest-name.ts'
import { describeName, describeReference, describeText } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { matchesProject } from './choose-projects.ts'
import type { ServeSettings } from './configuration.ts'
import {
  type DecodedConfiguration,
  type DecodedService,
  isDiscovered,
  matchedProjects,
  namedProjects,
  reportPlaceholders,
} from './configuration-schema.ts'
import { referenceIn } from './describe-key.ts'
import { isLiteral, referenceForms, withoutReferences } from './expand-references.ts'
import { isLoopback, type ListenAddress, listenAddress } from './listen-schema.ts'
import { type DecodedChannel, smtpServer, unsetHost } from './notify-schema.ts'
import type { DecodedServe } from './serve-schema.ts'

/** Finds faults across values: duplicate names and ids, projects without a key. */
export function* findContradictions(document: ConfigurationDocument): Generator<FileProblem> {
  const services = new Map<string, number>()
  const audited = new Map<string, NodePath>()
  for (const [index, service] of document.value.services.entries()) {
    const path = ['services', index]
    const first = services.get(service.name)
    if (first !== undefined) {
      yield document.problem([...path, 'name'], `a second service named ${service.name}, the first is in line ${first}`)
    }
    services.set(service.name, first ?? document.at(path).line)
    yield* wrongBase(service, path, document)
    yield* quotedKeys(service, path, document)
    yield* headersTwice(service, path, document)
    yield* contradictionsOf(service, path, document)
    yield* auditedTwice(service, path, { document, audited })
    yield* unreadableList(service, path, document)
  }
}

/** Finds settings that are accepted but should be changed: keys that others can read. */
export function* findWarnings(document: ConfigurationDocument): Generator<FileProblem> {
  for (const [index, service] of document.value.services.entries()) {
    const path = ['services', index]
    const { hostname, protocol } = new URL(service.url)
    if (protocol === 'http:' && !isLoopback(hostname)) {
      yield document.problem([...path, 'url'], 'the key is sent in clear over http; use https')
    }
    const owners = [path, ...namedProjects(service).map(([place]) => [...path, 'projects', place])]
    for (const owner of owners) {
      const written = document.written([...owner, 'key'])
      if (written === undefined || !isLiteral(written)) continue
      yield document.problem([...owner, 'key'], `the file contains the key; use ${referenceForms}`)
    }
  }
}

/** The base URL that was meant where a URL contains the prefix of the contract's paths; undefined where it does not. */
export function baseBefore(prefix: string, url: string): string | undefined {
  const { origin, pathname } = new URL(url)
  const at = prefix === '' ? -1 : `${pathname}/`.indexOf(`${prefix}/`)
  return at < 0 ? undefined : origin + pathname.slice(0, at)
}

type ConfigurationDocument = ReadDocument<DecodedConfiguration>

/** Finds channels with equal names, and channels that would never receive a message. */
export function* findChannelFaults(document: ConfigurationDocument): Generator<FileProblem> {
  const names = new Map<string, number>()
  const projects = document.value.services.flatMap((service) =>
    namedProjects(service).map(([, { id, name, labels }]) => ({ name: `${service.name}/${name ?? id}`, labels })),
  )
  const isOpen = document.value.services.some(isDiscovered)
  const found = document.value.services.flatMap((service) => matchedProjects(service).map(([, { labels }]) => labels))
  for (const [index, channel] of document.value.notify.entries()) {
    const path = ['notify', index]
    const first = names.get(channel.name)
    if (first !== undefined) {
      yield document.problem([...path, 'name'], `a second channel named ${channel.name}, the first is in line ${first}`)
    }
    names.set(channel.name, first ?? document.at(path).line)
    for (const [position, pattern] of (channel.projects ?? []).entries()) {
      if (isOpen || areNamesLost(document.leftOut) || projects.some(({ name }) => matchesProject(name, [pattern])))
        continue
      yield document.problem([...path, 'projects', position], `${describeReference(pattern)} matches no project`)
    }
    for (const [label, value] of Object.entries(channel.labels ?? {})) {
      if (document.leftOut.some((path) => path[0] === 'services')) continue
      const known = [...projects.map(({ labels }) => labels), ...found]
      if (known.some((labels) => Object.hasOwn(labels, label) && labels[label] === value)) continue
      yield document.problem(
        [...path, 'labels', label],
        `no project has the label ${describeReference(label)} with ${describeText(value)}`,
      )
    }
    yield* loginFaults(channel, path, document)
  }
}

/** Finds settings that are accepted but should be changed. */
export function* findChannelWarnings(document: ConfigurationDocument): Generator<FileProblem> {
  for (const [index, channel] of document.value.notify.entries()) {
    for (const member of secretMembers(channel)) {
      const path = ['notify', index, member]
      const written = document.written(path)
      if (written !== undefined && isLiteral(written)) {
        yield document.problem(path, `the file contains a secret; use ${referenceForms}`)
      }
    }
    if (!('url' in channel)) continue
    const { protocol, hostname } = new URL(channel.url)
    if (protocol === 'http:' && !isLoopback(hostname)) {
      yield document.problem(['notify', index, 'url'], 'messages are sent in clear over http; use https')
    }
  }
}

/** Finds what is wrong with the URL of a history on a server. The problems quote no part of it that may be secret. */
export function* findHistoryFaults(
  document: Pick<ReadDocument<{ readonly history: string }>, 'value' | 'problem' | 'written'>,
): Generator<FileProblem> {
  const { history } = document.value
  if (urlScheme(history) === undefined) return
  // What the file itself says, without the values of references.
  const literal = withoutReferences(document.written(['history']) ?? '')
  if (/:[^@/?#]{1,4096}@/.test(literal)) {
    const text = `the file contains the password of the history: use ${referenceForms} in its place, PGPASSWORD or a password file`
    yield document.problem(['history'], text)
    return
  }
  try {
    readLocation(history, '.')
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    yield document.problem(['history'], [error.message, error.advice].filter(Boolean).join(': '))
  }
}

/** Finds placeholders that are not known. */
export function* findLinkFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { report_url, ui_url, services } = document.value
  yield* unknownIn(report_url, ['report_url'], reportPlaceholders, document)
  yield* unknownIn(ui_url, ['ui_url'], uiPlaceholders, document)
  for (const [index, service] of services.entries()) {
    yield* unknownIn(service.ui_url, ['services', index, 'ui_url'], uiPlaceholders, document)
  }
}

/** The fault of a pattern, a zone or a jitter; undefined if they make a timetable. */
export type FindTimetableFault = (schedule: {
  readonly cron: string
  readonly timezone: string
  readonly jitterMs: number
}) => { readonly member: 'cron' | 'timezone' | 'jitter'; readonly text: string } | undefined

/** Finds schedules that cannot run. Without the worker's check, patterns and zones pass. */
export function* findScheduleFaults(
  document: ReadDocument<DecodedConfiguration>,
  findTimetableFault: FindTimetableFault = () => undefined,
): Generator<FileProblem> {
  const names = new Map<string, number>()
  const projects = document.value.services.flatMap((service) =>
    namedProjects(service).map(([, project]) => `${service.name}/${project.name ?? project.id}`),
  )
  // A pattern may be meant for a project that the list of a service does not have yet.
  const areNamesOpen = areNamesLost(document.leftOut) || document.value.services.some(isDiscovered)
  for (const [index, schedule] of document.value.schedules.entries()) {
    const path = ['schedules', index]
    const { name, cron, timezone, jitter: jitterMs } = schedule
    const first = names.get(name)
    if (first !== undefined) {
      yield document.problem([...path, 'name'], `a second schedule named ${name}, the first is in line ${first}`)
    }
    names.set(name, first ?? document.at(path).line)
    const fault = findTimetableFault({ cron, timezone, jitterMs })
    if (fault !== undefined) yield document.problem([...path, fault.member], fault.text)
    for (const [position, pattern] of (schedule.projects ?? []).entries()) {
      if (areNamesOpen || projects.some((project) => matchesProject(project, [pattern]))) continue
      yield document.problem(
        [...path, 'projects', position],
        `${describeReference(pattern)} matches none of ${someOf(projects)}`,
      )
    }
  }
}

/** The first ten names. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ')
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown
}

type ServeDocument = ReadDocument<Pick<DecodedConfiguration, 'serve'>>

/** What to do about an address that everybody reaches. */
export const guardAdvice = 'add serve.token, serve.tokens or serve.trusted_proxy, or listen at 127.0.0.1'

/** Whether readers are asked who they are. */
export function isGuarded({ token, tokens, trusted_proxy: proxy }: DecodedServe = {}): boolean {
  return token !== undefined || tokens !== undefined || proxy !== undefined
}

/** Whether everyone who reaches an address could read the pages there. */
export function isOpenToAll({ host }: ListenAddress, { tokens, trustedProxy }: ServeSettings): boolean {
  return !isLoopback(host) && tokens.length === 0 && trustedProxy === undefined
}

/** Finds tokens and names that are there twice, and pages that everybody who reaches the address could read. */
export function* findServeFaults(document: ServeDocument): Generator<FileProblem> {
  const { serve } = document.value
  yield* findUnguarded(document, ['serve', 'listen'], serve?.listen)
  const names = new Map<string, number>()
  const values = new Map<string, number>()
  for (const { path, token, name } of tokensOf(serve)) {
    const { line } = document.at(path)
    const [sameName, sameToken] = [name === undefined ? undefined : names.get(name), values.get(token)]
    if (sameName !== undefined) {
      yield document.problem([...path, 'name'], `a second token named ${name}, the first is in line ${sameName}`)
    }
    if (sameToken !== undefined) {
      const text = `the same token as in line ${sameToken}: it would not say who reads`
      yield document.problem([...path, 'token'], text)
    }
    if (name !== undefined) names.set(name, sameName ?? line)
    values.set(token, sameToken ?? line)
  }
}

/** Finds patterns of tokens that match no project: their readers would see nothing. */
export function* findReaderFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { services, serve } = document.value
  if (areNamesLost(document.leftOut) || services.some(isDiscovered)) return
  const projects = services.flatMap((service) =>
    namedProjects(service).map(([, { id, name = id }]) => `${service.name}/${name}`),
  )
  for (const [index, { projects: patterns = [] }] of (serve?.tokens ?? []).entries()) {
    for (const [position, pattern] of patterns.entries()) {
      if (projects.some((project) => matchesProject(project, [pattern]))) continue
      const text = `${describeReference(pattern)} matches none of ${someOf(projects)}`
      yield document.problem(['serve', 'tokens', index, 'projects', position], text)
    }
  }
}

/** Finds an address of pages that other machines reach, where nothing says who may read them. */
function* findUnguarded(
  document: ServeDocument,
  path: NodePath,
  listen: string | number | undefined,
): Generator<FileProblem> {
  const address = listen === undefined ? undefined : listenAddress(listen)
  // A faulty token was left out: its own fault says so.
  const isLost = document.leftOut.some(([first]) => first === 'serve')
  if (address === undefined || isLoopback(address.host) || isGuarded(document.value.serve) || isLost) return
  yield document.problem(path, `the pages would be open to everyone who reaches ${address.host}: ${guardAdvice}`)
}

/** Finds tokens that the file itself contains. */
export function* findServeWarnings(document: ServeDocument): Generator<FileProblem> {
  for (const { path } of tokensOf(document.value.serve)) {
    const written = document.written([...path, 'token'])
    if (written === undefined || !isLiteral(written)) continue
    yield document.problem([...path, 'token'], `the file contains the token; use ${referenceForms}`)
  }
}

/**
 * Finds members of `worker` that only a shared worker has, services that it names and that are not configured, and
 * pages that have no address or no readers.
 */
export function* findWorkerFaults(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
  const { worker, services } = document.value
  if (worker === undefined) return
  for (const member of ['slots', 'services'] as const) {
    if (worker[member] === undefined || worker.shared === true) continue
    yield document.problem(['worker', member], 'only for a worker with `shared: true`')
  }
  if (worker.pages === true) {
    if (worker.listen === undefined)
      yield document.problem(['worker', 'pages'], 'only with `listen`: they need an address')
    yield* findUnguarded(document, ['worker', 'listen'], worker.listen)
  }
  const names = services.map(({ name }) => name)
  if (areNamesLost(document.leftOut)) return
  for (const [index, name] of (worker.services ?? []).entries()) {
    if (names.includes(name)) continue
    yield document.problem(['worker', 'services', index], `${describeReference(name)} is none of ${someOf(names)}`)
  }
}

/** The paths of the contract are appended: people copy the URL of the API, which has them already. */
function* wrongBase(
  { url, dialect: { path_prefix: prefix = defaultDialect.pathPrefix } }: DecodedService,
  path: NodePath,
  document: ConfigurationDocument,
): Generator<FileProblem> {
  const base = baseBefore(prefix, url)
  if (base === undefined) return
  yield document.problem(
    [...path, 'url'],
    `leave ${prefix} out of the URL, it is appended: ${withoutCredentials(base)}`,
  )
}

/** Quotes that a shell or a CI system did not take away are sent as a part of the key. */
function* quotedKeys(service: DecodedService, path: NodePath, document: ConfigurationDocument): Generator<FileProblem> {
  const owners = [
    { key: service.key, at: path },
    ...namedProjects(service).map(([place, { key }]) => ({ key, at: [...path, 'projects', place] })),
  ]
  for (const { key, at } of owners) {
    if (key === undefined || !/^["'`]/.test(key) || !/["'`]$/.test(key)) continue
    const reference = referenceIn(document.written([...at, 'key']) ?? '')
    const where = reference === '' ? '' : ` in ${reference}`
    yield document.problem([...at, 'key'], `the key has quotes around it${where}: they would be sent, remove them`)
  }
}

/** Header names ignore case, and the client sends the key's header. */
function* headersTwice(
  service: DecodedService,
  path: NodePath,
  document: ConfigurationDocument,
): Generator<FileProblem> {
  const { headers = {}, key_header: keyHeader = defaultDialect.keyHeader } = service.dialect
  const seen = new Set([keyHeader.toLowerCase()])
  for (const name of Object.keys(headers)) {
    const problem = `the header ${name} is sent twice; names ignore case, and ${keyHeader} carries the key`
    if (seen.has(name.toLowerCase())) yield document.problem([...path, 'dialect', 'headers', name], problem, 'key')
    seen.add(name.toLowerCase())
  }
}

function* contradictionsOf(
  service: DecodedService,
  servicePath: NodePath,
  document: ConfigurationDocument,
): Generator<FileProblem> {
  const names = new Map<string, number>()
  const ids = new Map<string, number>()
  for (const [index, project] of namedProjects(service)) {
    const path = [...servicePath, 'projects', index]
    const name = project.name ?? project.id
    const { line } = document.at(path)
    const sameId = ids.get(project.id)
    const sameName = names.get(name)
    if (sameId !== undefined) {
      yield document.problem(
        [...path, 'id'],
        `a second project with the id ${project.id}, the first is in line ${sameId}`,
      )
    } else if (sameName !== undefined) {
      const member = project.name === undefined ? 'id' : 'name'
      yield document.problem([...path, member], `a second project named ${name}, the first is in line ${sameName}`)
    }
    if (project.key === undefined && service.key === undefined && !isKeyLost(document)) {
      yield document.problem(path, `no key: neither the project nor its service has one; use ${referenceForms}`)
    }
    ids.set(project.id, sameId ?? line)
    names.set(name, sameName ?? line)
  }
}

function isKeyLost({ leftOut }: ConfigurationDocument): boolean {
  return leftOut.some((path) => path.at(-1) === 'key')
}

/** Finds projects under two services: all their violations would be counted and sent twice. */
function* auditedTwice(
  service: DecodedService,
  servicePath: NodePath,
  { document, audited }: { readonly document: ConfigurationDocument; readonly audited: Map<string, NodePath> },
): Generator<FileProblem> {
  const base = baseOf(service)
  for (const [index, { id }] of namedProjects(service)) {
    const path = [...servicePath, 'projects', index]
    const identity = JSON.stringify([base, id])
    const first = audited.get(identity)
    // Duplicates within one service are reported above.
    if (first !== undefined && first[1] !== servicePath[1]) {
      const { file, line, column } = document.problem([...first, 'id'], '')
      const text = `the project ${id} of this URL is configured already, in ${file}:${line}:${column}: audit it under one name`
      yield document.problem([...path, 'id'], text)
    }
    audited.set(identity, first ?? path)
  }
}

/** Where a service's paths begin, however its URL is written. */
function baseOf({ url, dialect: { path_prefix: prefix = defaultDialect.pathPrefix } }: DecodedService): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const path = `${pathname}${prefix}`.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${path}`
}

/** Finds entries for projects of a list that cannot be read: which organisation, with which key. */
function* unreadableList(
  service: DecodedService,
  path: NodePath,
  document: ConfigurationDocument,
): Generator<FileProblem> {
  const matched = matchedProjects(service)
  if (matched.length === 0) return
  const projects = [...path, 'projects']
  if (service.key === undefined && !isKeyLost(document)) {
    yield document.problem(projects, `the service has no key to list its projects with; use ${referenceForms}`)
  }
  const isLost = document.leftOut.some((left) => left[0] === 'services')
  if (service.organisation === undefined && !isLost) {
    const text =
      namedProjects(service).length === 0
        ? 'organisation is missing, the id of the organisation whose projects are listed; or name one of them'
        : 'organisation is missing: the projects are not read, so none shows it'
    if (namedProjects(service).length === 0 || service.listings.project === 'off') yield document.problem(path, text)
  }
  const patterns = new Map<string, number>()
  for (const [place, { match }] of matched) {
    const at = [...projects, ...(place === undefined ? [] : [place])]
    const first = patterns.get(match)
    if (first !== undefined) {
      yield document.problem([...at, 'match'], `a second entry for ${match}, the first is in line ${first}`)
    }
    patterns.set(match, first ?? document.at(at).line)
  }
}

/** Whether projects or their names were left out as faulty: then a pattern may be meant for one of them. */
function areNamesLost(leftOut: readonly NodePath[]): boolean {
  return leftOut.some((path) => {
    const last = path.at(-1) ?? 'services'
    return path[0] === 'services' && (typeof last === 'number' || ['services', 'projects', 'id', 'name'].includes(last))
  })
}

function* loginFaults(
  channel: DecodedChannel,
  path: readonly (string | number)[],
  document: ConfigurationDocument,
): Generator<FileProblem> {
  if (channel.type !== 'email') return
  const server = smtpServer(channel.smtp)
  const user = channel.user ?? server?.user
  const password = channel.password ?? server?.password
  if ((user === undefined) === (password === undefined) || server?.host === unsetHost) return
  yield document.problem(
    [...path, 'smtp'],
    `a ${user === undefined ? 'password without a user' : 'user without a password'}`,
  )
}

function secretMembers(channel: DecodedChannel): readonly string[] {
  switch (channel.type) {
    case 'webhook':
      return ['url', 'secret']
    case 'slack':
    case 'teams':
      return ['url']
    case 'pagerduty':
      return ['routing_key']
    case 'email':
      return smtpServer(channel.smtp)?.password === undefined ? ['password'] : ['smtp', 'password']
    default:
      return []
  }
}

function* unknownIn(
  template: string | undefined,
  path: readonly (string | number)[],
  known: readonly string[],
  document: ReadDocument<DecodedConfiguration>,
): Generator<FileProblem> {
  for (const { name, offset } of placeholdersIn(template ?? '')) {
    if (known.includes(name)) continue
    const hint = suggestName(name, known) || `, expected one of ${known.join(', ')}`
    yield document.problemWithin(path, offset, `there is no placeholder ${describeName(name)} here${hint}`)
  }
}

function* tokensOf(serve: DecodedServe | undefined) {
  if (serve?.token !== undefined) yield { path: ['serve'], name: undefined, token: serve.token }
  for (const [index, { name, token }] of (serve?.tokens ?? []).entries()) {
    yield { path: ['serve', 'tokens', index], name, token }
  }
}
