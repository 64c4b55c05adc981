import { composeGateway, freeName, type Gateway, keyVariableOf } from '../gateway/repair/gateway.ts'
import { defaultDialect } from '../gateway/service/dialect.ts'
import type { ConfiguredService } from './configuration.ts'
import type { ReferenceSources } from './expand-references.ts'
import { unsetHost } from './notify-schema.ts'
import { readConfiguration } from './read-configuration.ts'

/** A gateway of which only the name is known. */
export function unknownGateway(service: string): Gateway {
  return composeGateway({ name: service, ...defaultDialect, plainHeaders: defaultDialect.headers })
}

/**
 * Reads where requests about a project go. No key is shown: the configuration's reference to one becomes a variable of the
 * same name. A service that the configuration does not have, or whose URL is wrong, is not known.
 * @throws AuditError.usage when the file cannot be read, or is not YAML
 */
export function readGateway(
  file: string,
  sources: ReferenceSources,
  project: { readonly service: string; readonly name: string },
): Gateway {
  const { services } = readConfiguration(file, sources, { needs: [], usesSecrets: false })
  const settings = services.find(({ settings: { name } }) => name === project.service)?.settings
  if (settings === undefined) return unknownGateway(project.service)
  const keys = keyVariables(services)
  const keyOwner = keys.has(project.name) ? project.name : settings.name
  const isSet = URL.parse(settings.url)?.hostname !== unsetHost
  return composeGateway({
    ...settings.dialect,
    name: settings.name,
    url: isSet ? settings.url : undefined,
    keyVariable: keys.get(keyOwner) ?? keyVariableOf(settings.name),
    keyOwner,
    otherKeys: [...keys].flatMap(([owner, name]) => (owner === keyOwner ? [] : [name])),
    plainHeaders: defaultDialect.headers,
  })
}

/**
 * The variable for the key of each service, and of each project with a key of its own. What a request carries is never
 * the key of another one: who names no variable gets one that no other has.
 */
function keyVariables(services: readonly ConfiguredService[]): ReadonlyMap<string, string> {
  const keys = services.flatMap(({ settings, keyPosition: { line, column, reference }, projects }) => [
    { owner: settings.name, reference },
    ...projects.flatMap(({ ref, keyPosition: own }) =>
      own.line === line && own.column === column ? [] : { owner: ref.name, reference: own.reference },
    ),
  ])
  const variables = new Map<string, string>()
  for (const { owner, reference } of keys) {
    const [, name] = /^\$\{(\w{1,101})\}$/.exec(reference) ?? []
    if (name !== undefined) variables.set(owner, name)
  }
  for (const { owner } of keys) {
    if (!variables.has(owner)) variables.set(owner, freeName(keyVariableOf(owner), [...variables.values()]))
  }
  return variables
}
