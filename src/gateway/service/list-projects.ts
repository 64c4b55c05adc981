import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import { badId, decodeEnvelope } from './decode-envelope.ts'
import { faultOf, type Reply } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import { type ListAccess, type ListedProject, listedProject } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'
import type { ServiceSettings } from './settings.ts'
import { pageGroups } from './split-page.ts'

/** As many as a configuration may name. */
const mostProjects = 50_000

/** A uid becomes a part of paths and of references: the same characters as in the configuration. */
const uidForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/

/**
 * The projects of an organisation: `GET /projects?orgID=`, which the service documents since v26.6.4 and older releases
 * answer too. The answer is the whole list, without pages. Deleted projects are left out.
 * @throws ServiceFault when the answer is not a whole list of projects of this organisation
 */
export async function listProjects(
  ask: SendRequest,
  access: ListAccess,
  { dialect }: ServiceSettings,
): Promise<readonly ListedProject[]> {
  const query = new URLSearchParams({ [dialect.parameters.organisation]: access.organisation })
  const question = {
    method: 'GET',
    path: '/projects',
    query,
    body: null,
    success: [200],
    mostItems: mostProjects,
  } as const
  const reply = await ask(question, { ...access, projectUid: '', filters: {} })
  if (!reply.ok) throw faultOf(reply, 'list of projects')
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `list of projects: ${what}`, reply)
  const projects: ListedProject[] = []
  const seen = new Set<string>()
  for (const item of itemsOf(reply, fault)) {
    const { uid, name, organisation_id: organisation, deleted_at: deletedAt } = item
    if (typeof uid !== 'string' || isExactNumber(uid) || !uidForm.test(uid))
      throw fault('malformed', `an item has ${badId('uid', uid)}`)
    if (seen.has(uid)) throw fault('malformed', 'it has one project twice')
    seen.add(uid)
    if (isFilled(organisation) && typeof organisation !== 'string')
      throw fault('malformed', `an item has ${badId('organisation_id', organisation)}`)
    if (isFilled(organisation) && organisation !== access.organisation)
      throw fault('foreign', 'it has a project of another organisation')
    if (!isFilled(deletedAt)) projects.push(listedProject(uid, name, access.showName))
  }
  return projects
}

/** The items, a few of a large list at a time. */
function* itemsOf(
  { value, items }: Reply & { readonly ok: true },
  fault: (kind: FaultKind, what: string) => ServiceFault,
): Generator<JsonObject> {
  const envelope = decodeEnvelope(value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  const data = envelope.value
  if (!Array.isArray(data)) throw fault('malformed', 'data is not an array')
  if (data.length > mostProjects) throw fault('malformed', `it has more than ${mostProjects} items`)
  const groups = items === undefined ? [{ ok: true as const, items: data as readonly Json[] }] : pageGroups(items)
  for (const group of groups) {
    if (!group.ok) throw fault('malformed', group.reason)
    for (const item of group.items) {
      if (!isJsonObject(item)) throw fault('malformed', 'data contains something that is not an object')
      yield item
    }
  }
}

/** A time that is not filled does not count, as everywhere in this service. */
function isFilled(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'string' || !value.startsWith('0001-01-01T')
}
