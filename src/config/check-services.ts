import { defaultDialect } from '../service/dialect.ts'
import { withoutCredentials } from '../service/foreign-text.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { DecodedConfiguration, DecodedService } from './configuration-schema.ts'
import { referenceIn } from './describe-key.ts'
import { isLiteral, referenceForms } from './expand-references.ts'
import { isLoopback } from './listen-schema.ts'
import { matchedProjects, namedProjects } from './project-entries.ts'

type ConfigurationDocument = ReadDocument<DecodedConfiguration>

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

/** The base URL that was meant where a URL contains the prefix of the contract's paths; undefined where it does not. */
export function baseBefore(prefix: string, url: string): string | undefined {
  const { origin, pathname } = new URL(url)
  const at = prefix === '' ? -1 : `${pathname}/`.indexOf(`${prefix}/`)
  return at < 0 ? undefined : origin + pathname.slice(0, at)
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
