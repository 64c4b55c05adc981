import { z } from 'zod'
import { type Dialect, defaultDialect } from '../gateway/service/dialect.ts'
import type { ValueFault } from '../model/yaml/value-fault.ts'

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { error: 'the name of an HTTP header, at most 100 characters' })
const headerValue = z
  .string({ error: 'text without line breaks, or nothing to leave a header out' })
  .regex(/^[\x20-\x7e]{1,8192}$/, { error: 'visible ASCII characters and spaces, no line breaks, at most 8192' })
const parameterName = z.string().regex(/^[A-Za-z0-9_.[\]-]{1,100}$/, {
  error: 'the name of a query parameter: letters, digits, `_`, `-`, `.`, `[`, `]`, at most 100',
})
const pattern = z
  .string()
  .min(1)
  .max(1000)
  .refine(isPattern, { error: 'a regular expression' })
  .describe('A regular expression, compared without regard to case')

/** Headers that the connection itself needs; another value would break every request. */
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

export const dialectSchema = z
  .strictObject({
    path_prefix: z
      .string()
      .regex(/^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$/, {
        error: 'a path such as /api/v1, without a slash at its end, or ""',
      })
      .exactOptional()
      .describe('Precedes every path of the contract. Default /api/v1'),
    key_header: headerName.exactOptional().describe('The header that carries the key. Default Authorization'),
    key_scheme: z
      .string()
      .regex(/^[\x21-\x7e]{0,100}$/, { error: 'one word of at most 100 characters, or "" for the bare key' })
      .exactOptional()
      .describe('Precedes the key, with one space; "" for the bare key. Default Bearer'),
    headers: z
      .record(
        headerName.refine((name) => !reservedHeaders.has(name.toLowerCase()), { error: 'a header that may be set' }),
        headerValue.nullable(),
      )
      .exactOptional()
      .describe(
        'Sent with every request, over the defaults (accept, x-convoy-version); an empty value leaves a header out',
      ),
    parameters: z
      .strictObject({
        page_size: parameterName.exactOptional().describe('Default perPage'),
        next_cursor: parameterName.exactOptional().describe('Default next_page_cursor'),
        previous_cursor: parameterName.exactOptional().describe('Default prev_page_cursor'),
        sort: parameterName.exactOptional().describe('Default sort'),
        direction: parameterName.exactOptional().describe('Default direction'),
        endpoint_owner: parameterName.exactOptional().describe('Default ownerId'),
        endpoint_name: parameterName.exactOptional().describe('Default q'),
        subscription_name: parameterName.exactOptional().describe('Default name'),
        subscription_endpoint: parameterName.exactOptional().describe('Default endpointId'),
        organisation: parameterName.exactOptional().describe('Default orgID'),
      })
      .exactOptional()
      .describe('The names of the query parameters'),
    sort: z.enum(['ASC', 'DESC']).exactOptional().describe('Default: not sent. ASC shows some services as empty'),
    direction: z.enum(['next', 'prev']).exactOptional().describe('Default: not sent'),
    transient: z
      .array(z.strictObject({ status: z.int().min(400).max(599), message: pattern }))
      .max(100)
      .exactOptional()
      .describe('Faults that pass although their status says that they do not. Default: 400 with "failed to load …"'),
    refused_key_retries: z
      .int()
      .min(0)
      .max(20)
      .exactOptional()
      .describe('How often a 401 is tried again; some services send it during an outage. Default 3'),
    retry_after_is_time_above: z
      .int()
      .min(1)
      .exactOptional()
      .describe('A Retry-After above this is a time in seconds since 1970. Default 1000000000'),
    project_not_found: pattern
      .exactOptional()
      .describe('Messages of a 400 or 404 that mean that a project does not exist'),
    function_not_tried: pattern
      .exactOptional()
      .describe('Messages of a 400 that mean that a function did not run, so that it is not to blame'),
    request_id_header: headerName.exactOptional().describe("The service's id of an exchange. Default x-request-id"),
  })
  .describe('Assumptions about the service that its contract does not state')

export type DecodedDialect = z.output<typeof dialectSchema>

/** Header names ignore case, and the client sends the key's header. */
export function* findHeadersTwice(dialect: DecodedDialect): Generator<ValueFault> {
  const { headers = {}, key_header: keyHeader = defaultDialect.keyHeader } = dialect
  const seen = new Set([keyHeader.toLowerCase()])
  for (const name of Object.keys(headers)) {
    const text = `the header ${name} is sent twice; names ignore case, and ${keyHeader} carries the key`
    if (seen.has(name.toLowerCase())) yield { path: ['headers', name], where: 'key', say: () => text }
    seen.add(name.toLowerCase())
  }
}

/** The dialect of a service: the defaults, with the configured values in their place. */
export function dialectOf({ headers = {}, parameters = {}, ...others }: DecodedDialect): Dialect {
  return {
    ...defaultDialect,
    ...camelCased(others),
    headers: headersOf(headers),
    parameters: { ...defaultDialect.parameters, ...camelCased(parameters) },
  }
}

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name

/** The members that the file has, by their names here. */
function camelCased<Members extends object>(members: Members) {
  const entries = Object.entries(members).map(([name, value]) => {
    return [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value] as const
  })
  // as: the compiler does not follow names through `replace`.
  return Object.fromEntries(entries) as { [Name in keyof Members as CamelCase<Name & string>]: Members[Name] }
}

/** Header names ignore case, so they are compared and kept in lower case. */
function headersOf(decoded: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
  const headers = new Map<string, string | null>(Object.entries(defaultDialect.headers))
  for (const [name, value] of Object.entries(decoded)) headers.set(name.toLowerCase(), value)
  return Object.fromEntries([...headers].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])))
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'i')
    return true
  } catch {
    return false
  }
}
