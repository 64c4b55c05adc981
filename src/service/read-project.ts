import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import { faultOf } from './describe-failure.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import type { SendRequest } from './send-request.ts'
import type { ProjectAccess } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'

/**
 * The project itself (not in the contract; service-behaviour.md, "More of the service"). Throws a `ServiceFault`:
 * `not_offered` where there is no such operation, `foreign` when the key answers for another project.
 */
export async function readProject(ask: SendRequest, access: ProjectAccess): Promise<JsonObject> {
  const path = `/projects/${encodeURIComponent(access.projectUid)}`
  const reply = await ask({ method: 'GET', path, query: new URLSearchParams(), body: null, success: [200] }, access)
  if (!reply.ok) throw faultOf(reply, 'project')
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `project: ${what}`, reply)
  const envelope = decodeEnvelope(reply.value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  const project = envelope.value
  if (!isJsonObject(project)) throw fault('malformed', 'data is not an object')
  if (typeof project.uid !== 'string' || project.uid === '' || isExactNumber(project.uid))
    throw fault('malformed', 'data has no uid')
  if (project.uid !== access.projectUid)
    throw fault('foreign', `the answer is another project: the key belongs to ${nameProject(project, access.key)}`)
  return project
}

function nameProject({ uid, name }: JsonObject, key: string): string {
  const shown = (text: unknown) => withoutCredentials(foreignText(String(text), key)).replace(/[()"]/g, '')
  return typeof name === 'string' && name !== '' ? `"${shown(name)}", ${shown(uid)}` : `project ${shown(uid)}`
}
