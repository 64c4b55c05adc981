import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { matchesProject } from './choose-projects.ts'
import { type DecodedConfiguration, namedProjects } from './configuration-schema.ts'
import { isLiteral, referenceForms } from './expand-references.ts'
import { type DecodedChannel, httpAddress, smtpServer } from './notify-schema.ts'
import { isLoopback, tokensOf } from './serve-schema.ts'

type ConfigurationDocument = ReadDocument<DecodedConfiguration>

/** Finds what is accepted but should be changed: keys that others can read, and projects that no schedule audits. */
export function* findWarnings(document: ConfigurationDocument): Generator<FileProblem> {
  const sealKey = document.written(['seal_key'])
  if (sealKey !== undefined && isLiteral(sealKey)) {
    yield document.problem(['seal_key'], `the file contains the installation key; use ${referenceForms}`)
  }
  const { services, schedules } = document.value
  for (const [index, service] of services.entries()) {
    const path = ['services', index]
    const { hostname, protocol } = new URL(service.url)
    if (protocol === 'http:' && !isLoopback(hostname)) {
      yield document.problem([...path, 'url'], 'the key is sent unencrypted over http; use https')
    }
    for (const [at, { id, name = id }] of namedProjects(service)) {
      const isScheduled = schedules.some((schedule) =>
        matchesProject(`${service.name}/${name}`, schedule.projects ?? []),
      )
      if (isScheduled || schedules.length === 0) continue
      yield document.problem([...path, 'projects', at], 'no schedule audits this project')
    }
    const owners = [path, ...namedProjects(service).map(([index]) => [...path, 'projects', index])]
    for (const owner of owners) {
      const written = document.written([...owner, 'key'])
      if (written === undefined || !isLiteral(written)) continue
      yield document.problem([...owner, 'key'], `the file contains the key; use ${referenceForms}`)
    }
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
    const address = httpAddress(channel)
    if (address === undefined) continue
    const { protocol, hostname } = new URL(address.url)
    if (protocol === 'http:' && !isLoopback(hostname)) {
      yield document.problem(['notify', index, address.member], 'messages are sent unencrypted over http; use https')
    }
  }
}

/** Finds tokens that the file itself contains. */
export function* findServeWarnings(
  document: ReadDocument<Pick<DecodedConfiguration, 'serve'>>,
): Generator<FileProblem> {
  for (const { owner } of tokensOf(document.value.serve ?? {})) {
    const path = ['serve', ...owner, 'token']
    const written = document.written(path)
    if (written === undefined || !isLiteral(written)) continue
    yield document.problem(path, `the file contains the token; use ${referenceForms}`)
  }
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
    case 'github_issue':
    case 'jira':
      return ['token']
    case 'email':
      return smtpServer(channel.smtp)?.password === undefined ? ['password'] : ['smtp', 'password']
    default:
      return []
  }
}
