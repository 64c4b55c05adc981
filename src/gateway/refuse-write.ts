import { isJsonObject, type Json, type JsonObject, memberOf } from '../model/json.ts'
import { type Field, isAttribute, type Members } from './fields.ts'
import { knowsProvider } from './signatures.ts'
import { isNothing } from './take-members.ts'

export const writableKinds = ['endpoint', 'subscription', 'source', 'project'] as const
export type WritableKind = (typeof writableKinds)[number]

/** A request that creates or updates a resource, and what the service checks before it takes one. */
export interface WriteCase {
  readonly kind: WritableKind
  readonly isNew: boolean
  /** As it is sent. */
  readonly body: JsonObject
  readonly fields: Members
  /** undefined: not known. */
  readonly hasLicence: boolean | undefined
  /** Whether an update of a project keeps the settings that it leaves out. */
  readonly keepsSettings: boolean
  readonly isIncoming: boolean
  readonly config: JsonObject
  /** Whether the source that is updated verifies nothing. */
  readonly isOpen: boolean
  /** Whether the project has such an endpoint or source; undefined: not known. */
  has(kind: 'endpoint' | 'source', uid: Json): boolean | undefined
  /** Whether another subscription has the endpoint. */
  isTaken(endpoint: Json): boolean
}

/** What the service answers to a request that it does not take. It changes nothing then. */
export interface WriteRefusal {
  readonly status: 400 | 404 | 500
  readonly reason: string
}

/**
 * Why the service refuses a write; undefined where nothing shows that it does. Tried on v26.3.6. Whether it reaches the URL
 * of an endpoint, which it asks for first, no request shows.
 */
export function refusalOf(write: WriteCase): WriteRefusal | undefined {
  const wrong = wrongType(write.fields, write.body)
  if (wrong !== undefined) return refused(`body contains incorrect JSON type for field "${wrong}"`)
  const missing = missingTexts(write)
  if (missing !== undefined) return refused(missing)
  return checks[write.kind](write)
}

const refused = (reason: string) => ({ status: 400, reason }) as const
/** The service answers so where it fails while it writes. */
const failed = { status: 500, reason: 'the service answers 500, and changes nothing' } as const

const checks: Readonly<Record<WritableKind, (write: WriteCase) => WriteRefusal | undefined>> = {
  endpoint({ body, hasLicence, config }) {
    const { url, content_type: contentType, authentication, mtls_client_cert: certificate } = body
    const [, scheme = ''] = /^([a-z][a-z0-9+.-]{0,20}):/i.exec(String(url)) ?? []
    if (/^http$/i.test(scheme) && objectIn(config.ssl).enforce_secure_endpoints === true)
      return refused('only https endpoints allowed')
    if (!/^https?$/i.test(scheme)) return refused('invalid endpoint scheme')
    if (!isNothing(contentType ?? null) && !contentTypes.includes(String(contentType)))
      return refused('an error occurred while updating endpoints')
    const { type = '' } = objectIn(authentication)
    const details = memberOf(detailsOfAuthentication, String(type))
    if (details !== undefined && isNothing(objectIn(authentication)[String(type)] ?? null)) return refused(details)
    if (hasLicence === false && (type === 'basic_auth' || type === 'oauth2'))
      return refused(`${type === 'oauth2' ? 'OAuth2' : 'Basic Auth'} feature unavailable, please upgrade your license`)
    if (hasLicence === false && !isNothing(certificate ?? null))
      return refused('mutual TLS feature unavailable, please upgrade your license')
    return undefined
  },
  subscription({ body, isNew, isIncoming, config, has, isTaken }) {
    const { endpoint_id: endpoint, source_id: source, delivery_mode: mode, retry_config: retry } = body
    const isSent = (value: Json | undefined): value is Json => !isNothing(value ?? null)
    const { duration, type } = objectIn(retry)
    if (isSent(duration) && !/^(?:[\d.]{1,20}(?:h|ms|m|s|us|µs|ns)){1,8}$/.test(String(duration)))
      return refused('duration:please provide a valid time duration')
    if (isSent(type) && type !== 'linear' && type !== 'exponential')
      return refused('type:please provide a valid retry strategy type')
    if (isSent(mode) && mode !== 'at_least_once' && mode !== 'at_most_once')
      return refused("invalid delivery mode value, must be either 'at_least_once' or 'at_most_once'")
    if (isIncoming && isSent(endpoint) && !isSent(source)) return refused('source_id is required for incoming projects')
    if (isSent(endpoint) && has('endpoint', endpoint) === false)
      return isNew ? refused('failed to find endpoint by id') : failed
    if (isIncoming && isSent(source) && has('source', source) === false)
      return isNew ? refused('failed to find source by id') : failed
    const isSingle = !isIncoming && config.multiple_endpoint_subscriptions === false
    return isSent(endpoint) && isSingle && isTaken(endpoint)
      ? refused('a subscription for this endpoint already exists')
      : undefined
  },
  source({ body, isNew, isOpen }) {
    const { type, provider, verifier, pub_sub: queue, idempotency_keys: keys } = body
    if (!sourceTypes.includes(String(type))) return refused('type:unsupported source type')
    const { type: verifies = '', ...details } = objectIn(verifier)
    if (isNew && knowsProvider(String(provider)) && isNothing(objectIn(details.hmac).secret ?? ''))
      return refused(`hmac secret is required for ${provider} source`)
    const isVerifier = ['hmac', 'basic_auth', 'api_key'].includes(String(verifies))
    const given = objectIn(details[String(verifies)])
    if (isVerifier && isNothing(given))
      return refused(`invalid verifier config for ${String(verifies).replace('_', ' ')}`)
    const lacks =
      verifies === 'hmac' ? ['encoding', 'hash', 'secret'].filter((name) => isNothing(given[name] ?? null)) : []
    if (lacks.length > 0) return refused(lacks.map((name) => `${name}:non zero value required`).join(', '))
    const form = /^req(?:uest)?\.(?:[Hh]eader|[Bb]ody|query|QueryParam)\./
    const wrong = Array.isArray(keys) ? keys.find((key) => !form.test(String(key))) : undefined
    if (wrong) return refused(`unsupported input format for idempotency key location with value: ${wrong}`)
    if (type === 'pub_sub' && isNothing(queue ?? null)) return failed
    // A source that was created without a verifier has no row for one: the update finds nothing to change.
    return isOpen && !isNew && isVerifier ? failed : undefined
  },
  project({ body, keepsSettings }) {
    const { config } = body
    if (!isJsonObject(config)) return undefined
    if (former in config && keepsSettings) return refused(`${former} has been renamed to verify_dynamic_events`)
    if (keepsSettings) return undefined
    if (isNothing(config.signature ?? null)) return failed
    if (!isJsonObject(config.strategy)) return refused('null value in column "strategy_type"')
    return objectIn(config.meta_event).is_enabled === true && !isJsonObject(config.ssl) ? failed : undefined
  },
}

/** A setting of projects in v26.7.0; later releases refuse a body with it. */
const former = 'sync_dynamic_event_ack'
const contentTypes = ['application/json', 'application/x-www-form-urlencoded']
const sourceTypes = ['http', 'rest_api', 'pub_sub', 'db_change_stream']
const detailsOfAuthentication = {
  api_key: 'api key field is required',
  basic_auth: 'basic auth field is required',
  oauth2: 'oauth2 field is required',
}

/** Texts that must be there, with the words of the service, in the order in which it has them. */
const needed: Readonly<Record<WritableKind, Readonly<Record<string, string>>>> = {
  endpoint: { url: 'please provide a url for your endpoint', name: 'please provide your endpointName' },
  subscription: { name: 'please provide a valid subscription name', endpoint_id: 'please provide a valid endpoint id' },
  source: { type: 'please provide a type', name: 'please provide a source name' },
  project: { name: '' },
}

function missingTexts({ kind, isNew, body }: WriteCase): string | undefined {
  if (kind === 'subscription' && !isNew) return undefined
  const missing = Object.entries(needed[kind]).filter(([name]) => isNothing(body[name] ?? null))
  if (missing.length === 0) return undefined
  if (kind === 'project' || (kind === 'endpoint' && isNew)) return 'Invalid input provided'
  return missing.map(([name, words]) => `${name}:${words}`).join(', ')
}

/** The first member of a body that the service cannot decode: its path, in the service's spelling. */
function wrongType(members: Members, body: JsonObject, path = ''): string | undefined {
  for (const [name, field] of Object.entries(members)) {
    const [top = name] = field.to ?? []
    const sent = body[field.to === undefined ? name : top] ?? null
    if (sent === null || !isAttribute(field) || field.unwritten !== undefined || (field.to?.length ?? 0) > 1) continue
    const here = path === '' ? top : `${path}.${top}`
    if (!isOfType(field, sent)) return here
    const within = field.type === 'struct' && isJsonObject(sent) ? wrongType(field.members, sent, here) : undefined
    if (within !== undefined) return within
  }
  return undefined
}

function isOfType({ type, isDuration }: Field, sent: Json): boolean {
  switch (type) {
    case 'integer':
      return typeof sent === 'number'
    case 'seconds':
      return isDuration ? typeof sent === 'string' : typeof sent === 'number'
    case 'flag':
      return typeof sent === 'boolean'
    case 'struct':
    case 'free':
      return isJsonObject(sent)
    case 'set':
    case 'addresses':
    case 'keyed':
      return Array.isArray(sent)
    default:
      return typeof sent === 'string'
  }
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
