import { hash } from 'node:crypto'
import { urlScheme } from '../history/location.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import type { Json } from '../model/json.ts'
import type { DecodedConfiguration, DecodedService } from './configuration-schema.ts'
import { withoutSecrets as channelWithoutSecrets } from './notify-schema.ts'

const keyPlaceholder = 'key'

/** Values for the digest that the decoded configuration does not contain, by service. */
export interface DigestParts {
  readonly ca: string | undefined
  /** Header values as written: one from the environment may be a secret. */
  readonly headers: Readonly<Record<string, string | null>>
}

/**
 * sha256 of the configuration's meaning: comments, the order of members and explicit defaults make no difference. Nor
 * do keys, a history's server and the readers of the pages, so that a rotated key does not change it. Paths count as written.
 */
export function configurationDigest(configuration: DecodedConfiguration, parts: readonly DigestParts[]): string {
  const services = configuration.services.map((service, index) => withoutSecrets(service, parts[index]))
  const channels = configuration.notify.map(channelWithoutSecrets)
  // A configuration without channels keeps its digest from before channels existed.
  const notify = channels.length === 0 ? undefined : channels
  // Drops members that are undefined.
  const plain: Json = JSON.parse(
    JSON.stringify({
      ...{ ...configuration, seal_key: placeholderFor(configuration.seal_key), services, notify },
      serve: undefined,
      history: historyFor(configuration.history),
      worker: workerFor(configuration.worker),
    }),
  )
  return hash('sha256', canonicalJson(plain))
}

function withoutSecrets(service: DecodedService, parts: DigestParts | undefined) {
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

/** A URL may contain a password, and each machine may reach the server under another name. */
function historyFor(history: string): string {
  return urlScheme(history) === undefined ? history : 'postgres'
}

/** How much of a shared run a worker takes, and what it serves, is its own affair: all workers of a run have one digest. */
function workerFor(worker: DecodedConfiguration['worker']) {
  return worker === undefined
    ? undefined
    : { ...worker, ...{ shared: undefined, slots: undefined, services: undefined, pages: undefined } }
}

function placeholderFor(key: string | undefined): string | undefined {
  return key === undefined ? undefined : keyPlaceholder
}
