import type { Json, JsonObject } from '../model/json.ts'
import type { Activation } from './activation.ts'
import type { RepairCase, RepairRequest } from './repair.ts'
import type { LeftToYou } from './write-body.ts'

interface StatusRequests {
  readonly requests: readonly RepairRequest[]
  readonly left: readonly LeftToYou[]
}

/** The update of an endpoint does not take its status: requests of their own change it. `path`: of the endpoint. */
export function statusRequests(
  { target, activation }: Pick<RepairCase, 'target' | 'activation'>,
  now: JsonObject,
  path: string,
): StatusRequests {
  const [from, to] = [now.status, target.status]
  if (from === to || to === undefined || from === undefined) return { requests: [], left: [] }
  if (to === 'active') return activate(from, path, activation)
  if (to !== 'paused') return { requests: [], left: [] }
  const pause = requestTo(path, 'pause', 'pause the endpoint with the switch `pause` (a paused one is activated by it)')
  if (from === 'active') return { requests: [pause], left: [] }
  const { requests, left } = activate(from, path, activation)
  return requests.length === 0 ? { requests, left } : { requests: [...requests, pause], left }
}

function activate(from: Json, path: string, activation: Activation | undefined): StatusRequests {
  const request = requestTo(path, 'activate', 'activate the endpoint')
  if (activation === 'request') return { requests: [request], left: [] }
  if (from !== 'paused') {
    const left = [{ path: '/status', reason: dashboard }]
    return activation === 'switch' ? { requests: [], left } : { requests: [{ ...request, when: onNewer }], left }
  }
  const toggle = requestTo(
    path,
    'pause',
    'activate the endpoint with the switch `pause` (an active one is paused by it)',
  )
  if (activation === 'switch') return { requests: [toggle], left: [] }
  return {
    requests: [
      { ...request, when: onNewer },
      { ...toggle, when: onOlder },
    ],
    left: [],
  }
}

const onNewer = 'For v26.6.5 of the service and newer ones. Up to v26.6.2, the answer is 404, and nothing changes.'
const onOlder =
  'For v26.6.2 of the service and older ones: only if the request before was answered with 404. ' +
  'After one that succeeded, it would pause the endpoint again.'
const dashboard = 'Up to v26.6.2, no request activates an inactive endpoint: activate it in the dashboard.'

function requestTo(path: string, what: 'pause' | 'activate', purpose: string): RepairRequest {
  return {
    method: what === 'pause' ? 'PUT' : 'POST',
    path: [`${path}/${what}`],
    pathPlaceholders: [],
    body: null,
    placeholders: [],
    purpose,
    restores: ['/status'],
    when: null,
  }
}
