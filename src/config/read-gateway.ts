import { z } from 'zod'
import { composeGateway, freeName, type Gateway, keyVariableOf } from '../repair/gateway.ts'
import { defaultDialect } from '../service/dialect.ts'
import { configurationSchema, isSecretPath } from './configuration-schema.ts'
import { dialectOf, dialectSchema } from './dialect-schema.ts'
import { expandReferences, type ReferenceSources } from './expand-references.ts'
import { readMembers } from './read-members.ts'

const { url: urlSchema } = configurationSchema.shape.services.element.shape
const anyText = z.string().catch('')

/** A selection of the configuration's members; nothing that it leaves out is read. */
const selection = z.looseObject({
  services: z
    .array(
      z.looseObject({
        name: anyText,
        url: anyText,
        key: anyText,
        dialect: dialectSchema.catch({}),
        projects: z.array(z.looseObject({ id: anyText, name: anyText, key: anyText })).catch([]),
      }),
    )
    .catch([]),
})

/** A gateway of which only the name is known. */
export function unknownGateway(service: string): Gateway {
  return composeGateway({ name: service, ...defaultDialect, plainHeaders: defaultDialect.headers })
}

/**
 * Reads where requests about a project go. Keys are not read: the configuration's reference to one becomes a variable of
 * the same name. A service that the configuration does not have, or whose URL it does not show, is not known.
 * @throws AuditError.usage when the file cannot be read, or is not YAML
 */
export function readGateway(
  file: string,
  sources: ReferenceSources,
  project: { readonly service: string; readonly name: string },
): Gateway {
  const fill = expandReferences(file, sources)
  const { value } = readMembers(file, sources, {
    schema: selection,
    expand(written, path) {
      const expanded = path[0] === 'services' && !isSecretPath(path) ? fill(written, path) : { text: written }
      if ('text' in expanded) return expanded
      // A reference in the place of a host would pass for one.
      return { text: path.at(-1) === 'url' ? '' : written }
    },
  })
  const service = value.services.find(({ name }) => name === project.service)
  if (service === undefined) return unknownGateway(project.service)
  const keys = keyVariables(value.services)
  const keyOwner = keys.has(project.name) ? project.name : service.name
  const url = urlSchema.safeParse(service.url)
  const { pathPrefix, keyHeader, keyScheme, headers } = dialectOf(service.dialect)
  return composeGateway({
    name: service.name,
    url: url.success ? url.data : undefined,
    keyVariable: keys.get(keyOwner) ?? keyVariableOf(service.name),
    keyOwner,
    otherKeys: [...keys].flatMap(([owner, name]) => (owner === keyOwner ? [] : [name])),
    pathPrefix,
    keyHeader,
    keyScheme,
    headers,
    plainHeaders: defaultDialect.headers,
  })
}

/**
 * The variable for the key of each service, and of each project with a key of its own. What a request carries is never
 * the key of another one: who names no variable gets one that no other has.
 */
function keyVariables(services: z.output<typeof selection>['services']): ReadonlyMap<string, string> {
  const keys = services.flatMap(({ name: service, key, projects }) => [
    { owner: service, key },
    ...projects.flatMap((project) =>
      project.key === '' ? [] : [{ owner: `${service}/${project.name || project.id}`, key: project.key }],
    ),
  ])
  const variables = new Map<string, string>()
  for (const { owner, key } of keys) {
    const name = variableIn(key)
    if (name !== undefined) variables.set(owner, name)
  }
  for (const { owner } of keys) {
    if (!variables.has(owner)) variables.set(owner, freeName(keyVariableOf(owner), [...variables.values()]))
  }
  return variables
}

/** The variable of a reference that is nothing else; a key in a file has none. */
function variableIn(written: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]{0,99})(?::-[^{}]{0,1000})?\}$/.exec(written)?.[1]
}
