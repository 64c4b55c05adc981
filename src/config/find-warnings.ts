import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { matchesProject } from './choose-projects.ts'
import { type DecodedConfiguration, isKeyPath, namedProjects } from './configuration-schema.ts'
import { isLiteral, referenceForms } from './expand-references.ts'
import { httpAddress, isSecretAddress } from './notify-schema.ts'
import { isLoopback } from './serve-schema.ts'

/** Finds what is accepted but should be changed: secrets that others can read, and projects that no schedule audits. */
export function* findWarnings(document: ReadDocument<DecodedConfiguration>): Generator<FileProblem> {
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
