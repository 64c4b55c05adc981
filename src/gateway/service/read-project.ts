import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { badId, decodeEnvelope } from './decode-envelope.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import { faultOf } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import type { ProjectAccess } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'
import { projectPath } from './wire-request.ts'

/** A project that answered, which a project's key makes its own. */
type AnsweringProject = JsonObject & { readonly uid: string }

/**
 * The project itself, an operation that not every release has. Throws a `ServiceFault`:
 * `not_offered` where there is no such operation, `foreign` when the key answers for another project.
 */
export async function readProject(ask: SendRequest, access: ProjectAccess): Promise<JsonObject> {
  const { project, fault } = await askForProject(ask, access)
  if (project.uid !== access.projectUid)
    throw fault('foreign', `the answer is another project: the key belongs to ${nameProject(project, access.key)}`)
  return project
}

/** A project's key: the project in words, and as the service shows it. */
type KeyOwner = 'a person' | { readonly project: string; readonly answer: AnsweringProject }

/**
 * Whose a key is. It asks for a project that does not exist: a personal key is refused, a project's key is shown its own
 * project. undefined where the answer is another.
 */
export async function findKeyOwner(
  ask: SendRequest,
  access: Omit<ProjectAccess, 'projectUid'>,
): Promise<KeyOwner | undefined> {
  try {
    const { project } = await askForProject(ask, { ...access, projectUid: noProject })
    return { project: nameProject(project, access.key), answer: project }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    return error.kind === 'not_found' ? 'a person' : undefined
  }
}

/** An id of the first millisecond of 1970. */
const noProject = '00000000000000000000000000'

async function askForProject(ask: SendRequest, access: ProjectAccess) {
  const path = projectPath(access.projectUid)
  const reply = await ask({ method: 'GET', path, query: new URLSearchParams(), body: null, success: [200] }, access)
  if (!reply.ok) throw faultOf(reply, 'project')
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `project: ${what}`, reply)
  const envelope = decodeEnvelope(reply.value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  const project = envelope.value
  if (!isJsonObject(project)) throw fault('malformed', 'data is not an object')
  const { uid } = project
  if (typeof uid !== 'string' || uid === '' || isExactNumber(uid))
    throw fault('malformed', `data has ${badId('uid', uid)}`)
  const answering: AnsweringProject = { ...project, uid }
  return { project: answering, fault }
}

function nameProject({ uid, name }: JsonObject, key: string): string {
  const quote = (text: unknown) => withoutCredentials(foreignText(String(text), key)).replace(/[()"]/g, '')
  return typeof name === 'string' && name !== '' ? `"${quote(name)}", ${quote(uid)}` : `project ${quote(uid)}`
}
