import { AuditError } from '../../model/errors.ts'
import type { WriteRequest } from './read-request.ts'
import { flatten } from './request-text.ts'

/** What a write is about, as its path says it. */
export interface WriteTarget {
  readonly kind: 'project' | 'endpoint' | 'subscription' | 'source' | 'filter'
  /** null where the request creates a project. */
  readonly projectUid: string | null
  /** null where the request creates the resource. */
  readonly uid: string | null
  /** Of a row of filters: whose it is. Else null. */
  readonly subscriptionUid: string | null
  /** null for an update, a creation or a deletion. */
  readonly action: 'pause' | 'activate' | 'expire_secret' | 'toggle_status' | null
  /** Whether the path is one of the dashboard, `/ui/organisations/…`, of which some are offered where the API's are not. */
  readonly isDashboard: boolean
}

type Route = readonly [methods: string, path: string, kind: WriteTarget['kind'], action?: WriteTarget['action']]

const routes: readonly Route[] = [
  ['POST', 'projects', 'project'],
  ['PUT DELETE', 'projects/{project}', 'project'],
  ['POST', 'projects/{project}/endpoints', 'endpoint'],
  ['PUT DELETE', 'projects/{project}/endpoints/{uid}', 'endpoint'],
  ['PUT', 'projects/{project}/endpoints/{uid}/pause', 'endpoint', 'pause'],
  ['POST', 'projects/{project}/endpoints/{uid}/activate', 'endpoint', 'activate'],
  ['PUT', 'projects/{project}/endpoints/{uid}/expire_secret', 'endpoint', 'expire_secret'],
  ['POST', 'projects/{project}/subscriptions', 'subscription'],
  ['PUT DELETE', 'projects/{project}/subscriptions/{uid}', 'subscription'],
  ['PUT', 'projects/{project}/subscriptions/{uid}/toggle_status', 'subscription', 'toggle_status'],
  ['POST', 'projects/{project}/subscriptions/{subscription}/filters', 'filter'],
  ['PUT DELETE', 'projects/{project}/subscriptions/{subscription}/filters/{uid}', 'filter'],
  ['POST', 'projects/{project}/sources', 'source'],
  ['PUT DELETE', 'projects/{project}/sources/{uid}', 'source'],
]

/** Writes of events and deliveries: they send again, and change no configuration. */
const ofEvents: readonly string[] = ['events', 'eventdeliveries', 'meta-events']

/**
 * Which write a request is. Any prefix may precede the path of the API or of the dashboard.
 * @throws AuditError.usage when it is none that can be previewed, or a variable is in place of a uid
 */
export function readTarget({ method, path, position }: WriteRequest): WriteTarget {
  const fault = (text: string, advice: string) => AuditError.usage(`${position}: ${text}`, { advice })
  const segments = flatten(path).split('/').slice(1)
  const starts = segments.flatMap((segment, at) => (segment === 'projects' ? [at] : []))
  const found = starts.flatMap((at) => {
    const rest = segments.slice(at)
    const route = routes.find(([methods, pattern]) => methods.split(' ').includes(method) && matches(pattern, rest))
    return route === undefined ? [] : [{ at, rest, route }]
  })[0]
  if (found === undefined) {
    if (starts.length > 0 && segments.at(-1) === '')
      throw fault('a slash ends the address, and the gateway takes few of these', 'leave it out')
    if (starts.some((at) => ofEvents.includes(segments[at + 2] ?? ''))) {
      throw fault(
        'not a request that hookdrift can preview: it sends events again and changes no configuration',
        '`hookdrift impact` says which deliveries a drift cost, and prints the requests that send them',
      )
    }
    throw fault('not a request that hookdrift can preview', previewed)
  }
  const { at, rest, route } = found
  const [, pattern, kind, action = null] = route
  const uidOf = (name: string): string | null => {
    const segment = rest[pattern.split('/').indexOf(`{${name}}`)]
    if (segment === undefined) return null
    const uid = decode(segment)
    if (segment.includes('\0'))
      throw fault(`a variable is in place of the uid of the ${nounOf(name, kind)}`, 'write its uid')
    if (uid === undefined)
      throw fault(`the uid of the ${nounOf(name, kind)} cannot be one`, 'write it as lists show it')
    return uid
  }
  const projectUid = uidOf('project')
  return {
    kind,
    projectUid,
    uid: kind === 'project' ? projectUid : uidOf('uid'),
    subscriptionUid: uidOf('subscription'),
    action,
    isDashboard: segments[at - 2] === 'organisations' && segments[at - 3] === 'ui',
  }
}

const previewed =
  'it previews what creates, updates or deletes a project, an endpoint, a subscription, a source or a row of filters, such as PUT /api/v1/projects/PROJECT/endpoints/UID'

function matches(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern.split('/')
  if (parts.length !== segments.length) return false
  return parts.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
}

function nounOf(name: string, kind: WriteTarget['kind']): string {
  if (name !== 'uid') return name
  return kind === 'filter' ? 'row of filters' : kind
}

/** A segment without percent-encoding; undefined where it is none, or one that leads elsewhere. */
function decode(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return text === '.' || text === '..' || /[\p{Cc}/\\]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
