import type { Pieces, Placeholder } from './pieces.ts'
import { nameOf } from './placeholders.ts'

/** Where requests go and what each carries, as far as it is known without a key. */
export interface Gateway {
  /** With the path prefix, without a slash at the end. */
  readonly baseUrl: Pieces
  readonly headers: Readonly<Record<string, Pieces>>
  /** Those of both, with what to fill in. None of them means anything in a body. */
  readonly placeholders: readonly GatewayPlaceholder[]
}

interface GatewayPlaceholder extends Placeholder {
  readonly in: 'url' | 'header'
  readonly hint: string
}

/** What a configuration says about a service; undefined members are not known. */
export interface ConfiguredGateway {
  readonly name: string
  readonly url?: string | undefined
  /** The variable that holds the key. Default: one named after the service. */
  readonly keyVariable?: string
  /** What the key is of. Default: the service. */
  readonly keyOwner?: string
  /** Variables that hold the keys of others. */
  readonly otherKeys?: readonly string[]
  readonly pathPrefix: string
  readonly keyHeader: string
  readonly keyScheme: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers whose values may be printed; the others may be secret. */
  readonly plainHeaders: Readonly<Record<string, string>>
}

/** The forms of a request body depend on the version of the interface: what hookdrift prints is written for its own. */
export const versionHeader = 'x-convoy-version'

export function composeGateway(service: ConfiguredGateway): Gateway {
  const { keyVariable: keyName = keyVariableOf(service.name), keyOwner = service.name, otherKeys = [] } = service
  const placeholders: GatewayPlaceholder[] = []
  /** No other header and no address has the variable of a key. */
  const placeholder = (wanted: string, where: 'url' | 'header', hint: string): Placeholder => {
    const name = freeName(wanted, [keyName, ...otherKeys, ...placeholders.map((each) => each.name)])
    placeholders.push({ name, in: where, hint })
    return { name }
  }
  const base = service.url ?? placeholder(nameOf(service.name, 'URL'), 'url', `the base URL of ${service.name}`)
  placeholders.push({ name: keyName, in: 'header', hint: `a key of ${keyOwner} that may write` })
  const key: Placeholder = { name: keyName }
  const { [versionHeader]: version, ...others } = service.headers
  const headers: Record<string, Pieces> = {
    [service.keyHeader]: service.keyScheme === '' ? [key] : [`${service.keyScheme} `, key],
    'content-type': ['application/json'],
  }
  for (const [name, value] of Object.entries(others)) {
    const isPlain = service.plainHeaders[name] === value
    headers[name] = [
      isPlain ? value : placeholder(nameOf(service.name, name), 'header', `the header ${name}, as configured`),
    ]
  }
  const plainVersion = service.plainHeaders[versionHeader]
  if (version !== undefined && plainVersion !== undefined) headers[versionHeader] = [plainVersion]
  return { baseUrl: [base, service.pathPrefix], headers, placeholders }
}

/** The variable for the key of a service or a project, where the configuration names none. */
export function keyVariableOf(owner: string): string {
  return nameOf(owner, 'KEY')
}

/** The name, or with a number behind it if it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted
  for (let count = 2; taken.includes(name); count++) name = `${wanted}_${count}`
  return name
}
