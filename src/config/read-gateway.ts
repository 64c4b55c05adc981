import { z } from 'zod'
import { composeGateway, type Gateway } from '../repair/gateway.ts'
import { defaultDialect } from '../service/dialect.ts'
import { configurationSchema } from './configuration-schema.ts'
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
  const { value } = readMembers(file, sources, { schema: selection })
  const service = value.services.find(({ name }) => name === project.service)
  if (service === undefined) return unknownGateway(project.service)
  const namedProject = service.projects.find(({ id, name }) => `${service.name}/${name || id}` === project.name)
  const expanded = expandReferences(file, sources)(service.url, ['services', service.name, 'url'])
  const url = 'text' in expanded ? urlSchema.safeParse(expanded.text) : undefined
  const { pathPrefix, keyHeader, keyScheme, headers } = dialectOf(service.dialect)
  return composeGateway({
    name: service.name,
    url: url?.success === true ? url.data : undefined,
    keyVariable: variableIn(namedProject?.key || service.key),
    pathPrefix,
    keyHeader,
    keyScheme,
    headers,
    plainHeaders: defaultDialect.headers,
  })
}

/** The variable of a reference that is nothing else; a key in a file has none. */
function variableIn(written: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]{0,99})(?::-[^{}]{0,1000})?\}$/.exec(written)?.[1]
}
