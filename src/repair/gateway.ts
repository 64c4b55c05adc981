import { nameOf, reference } from './placeholders.ts'

/** Where requests go and what each carries, as far as it is known without a key. */
export interface Gateway {
  /** With the path prefix, without a slash at the end. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** The names of placeholders in both, with what to fill in. */
  readonly placeholders: readonly { readonly name: string; readonly hint: string }[]
}

/** What a configuration says about a service; undefined members are not known. */
export interface KnownService {
  readonly name: string
  readonly url?: string | undefined
  /** The variable that holds the key. */
  readonly keyVariable?: string | undefined
  readonly pathPrefix: string
  readonly keyHeader: string
  readonly keyScheme: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers whose values may be printed; the others may be secret. */
  readonly plainHeaders: Readonly<Record<string, string>>
}

/** The forms of a request body depend on the version of the interface: what hookdrift prints is written for its own. */
const versionHeader = 'x-convoy-version'

export function composeGateway(service: KnownService): Gateway {
  const placeholders: { name: string; hint: string }[] = []
  const placeholder = (name: string, hint: string) => {
    placeholders.push({ name, hint })
    return reference(name)
  }
  const base = service.url ?? placeholder(nameOf(service.name, 'URL'), `the base URL of ${service.name}`)
  const keyName = service.keyVariable ?? nameOf(service.name, 'KEY')
  const key = placeholder(keyName, `a key of ${service.name} that may write`)
  const { [versionHeader]: version, ...others } = service.headers
  const headers: Record<string, string> = {
    [service.keyHeader]: service.keyScheme === '' ? key : `${service.keyScheme} ${key}`,
    'content-type': 'application/json',
  }
  for (const [name, value] of Object.entries(others)) {
    const isPlain = service.plainHeaders[name] === value
    headers[name] = isPlain ? value : placeholder(nameOf(service.name, name), `the header ${name}, as configured`)
  }
  const own = service.plainHeaders[versionHeader]
  if (version !== undefined && own !== undefined) headers[versionHeader] = own
  return { baseUrl: `${base}${service.pathPrefix}`, headers, placeholders }
}
