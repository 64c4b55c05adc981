import { describeReference, describeText } from '../yaml/describe-value.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { areNamesLost } from './check-schedules.ts'
import { matchesProject } from './choose-projects.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'
import { isLiteral, referenceForms } from './expand-references.ts'
import { isLoopback } from './listen-schema.ts'
import { type DecodedChannel, smtpServer, unsetHost } from './notify-schema.ts'
import { isDiscovered, matchedProjects, namedProjects } from './project-entries.ts'

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
