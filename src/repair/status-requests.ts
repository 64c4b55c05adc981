import type { JsonObject } from '../model/json.ts'
import type { RepairCase, RepairRequest } from './repair.ts'
import type { LeftToYou } from './write-body.ts'

/** The update of an endpoint does not take its status: requests of their own change it. */
export function statusRequests(
  { projectUid, uid, target }: Pick<RepairCase, 'projectUid' | 'uid' | 'target'>,
  now: JsonObject,
): { readonly requests: readonly RepairRequest[]; readonly left: readonly LeftToYou[] } {
  const [from, to] = [now.status, target.status]
  if (from === to || to === undefined || from === undefined) return { requests: [], left: [] }
  const path = `/projects/${encodeURIComponent(projectUid)}/endpoints/${encodeURIComponent(uid)}`
  const request = (method: 'PUT' | 'POST', what: 'pause' | 'activate', purpose: string): RepairRequest => ({
    ...{ method, path: `${path}/${what}`, body: null, placeholders: [], purpose, restores: ['/status'] },
  })
  const activate = request('POST', 'activate', 'activate the endpoint')
  // The service's `pause` is a switch: it would wake an endpoint that is paused by then.
  const pause = request('PUT', 'pause', 'pause the endpoint; sent twice, it activates it again')
  if (to === 'active') return { requests: [activate], left: [] }
  if (to === 'paused') return { requests: from === 'active' ? [pause] : [activate, pause], left: [] }
  return { requests: [], left: [] }
}
