import { hash } from 'node:crypto'
import { canonicalJson } from '../model/canonical-json.ts'
import type { Json } from '../model/json.ts'
import type { DecodedConfiguration, DecodedService } from './configuration-schema.ts'
import { withoutSecrets as channelWithoutSecrets } from './notify-schema.ts'

const keyStandIn = 'key'

/** What the digest needs and the decoded configuration does not hold, by service. */
export interface DigestParts {
  readonly ca: string | undefined
  /** Header values as they were written: one that is drawn from the environment may be a secret. */
  readonly headers: Readonly<Record<string, string | null>>
}

/**
 * sha256 over what the configuration says, not over how: comments, the order of members and defaults written out make no
 * difference, nor do keys, so that a rotated key is the same configuration. Paths count as they were written.
 */
export function configurationDigest(configuration: DecodedConfiguration, parts: readonly DigestParts[]): string {
  const services = configuration.services.map((service, index) => withoutSecrets(service, parts[index]))
  const channels = configuration.notify.map(channelWithoutSecrets)
  // A configuration without channels has the digest that it had before there were any.
  const notify = channels.length === 0 ? undefined : channels
  // drops members that are undefined
  const plain: Json = JSON.parse(JSON.stringify({ ...configuration, services, notify }))
  return hash('sha256', canonicalJson(plain))
}

function withoutSecrets(service: DecodedService, parts: DigestParts | undefined) {
  return {
    ...service,
    key: standIn(service.key),
    ca: parts?.ca,
    dialect: { ...service.dialect, headers: parts?.headers },
    projects: service.projects.map((project) => ({ ...project, key: standIn(project.key) })),
  }
}

function standIn(key: string | undefined): string | undefined {
  return key === undefined ? undefined : keyStandIn
}
