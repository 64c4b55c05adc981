import { describeReference } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { areNamesLost, someOf } from './check-schedules.ts'
import { matchesProject } from './choose-projects.ts'
import type { ServeSettings } from './configuration.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'
import { isLiteral, referenceForms } from './expand-references.ts'
import { isLoopback, type ListenAddress, listenAddress } from './listen-schema.ts'
import { isDiscovered, namedProjects } from './project-entries.ts'
import type { DecodedServe } from './serve-schema.ts'

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
export function* findUnguarded(
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

function* tokensOf(serve: DecodedServe | undefined) {
  if (serve?.token !== undefined) yield { path: ['serve'], name: undefined, token: serve.token }
  for (const [index, { name, token }] of (serve?.tokens ?? []).entries()) {
    yield { path: ['serve', 'tokens', index], name, token }
  }
}
