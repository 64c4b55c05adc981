import { isJsonObject } from '../model/json.ts'
import type { RawPage } from '../model/raw-page.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import { faultOf } from './describe-failure.ts'
import { findCatalogueFault } from './find-item-fault.ts'
import { pageGroups } from './page-groups.ts'
import { projectPath } from './project-path.ts'
import type { SendRequest } from './send-request.ts'
import type { ProjectAccess } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'

/** As many as a page may have. */
const mostEventTypes = 20_000

/**
 * The catalogue of a project's event types (not in the contract): one answer without pages, whose `data` is the list. A
 * large one is yielded in parts.
 * @throws ServiceFault `not_offered` where there is no such operation; nothing of a faulty answer is yielded
 */
export async function* readEventTypes(ask: SendRequest, access: ProjectAccess): AsyncGenerator<RawPage, void, void> {
  const path = `${projectPath(access.projectUid)}/event-types`
  const question = { method: 'GET', path, query: new URLSearchParams(), body: null, success: [200] } as const
  const reply = await ask({ ...question, mostItems: mostEventTypes }, access)
  if (!reply.ok) throw faultOf(reply, 'event types')
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `event types: ${what}`, reply)
  const envelope = decodeEnvelope(reply.value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  // The service writes an empty list as null.
  const data: unknown = envelope.value ?? []
  if (!Array.isArray(data)) throw fault('malformed', 'data is not an array')
  if (!data.every(isJsonObject)) throw fault('malformed', 'data contains something that is not an object')
  const pieces = reply.items ?? data
  if (pieces.length > mostEventTypes) throw fault('malformed', `it has more than ${mostEventTypes} items`)
  const groups = () => pageGroups(pieces)
  const itemFault = findCatalogueFault(groups(), { ...access, seen: new Set() })
  if (itemFault !== undefined) throw fault(itemFault.kind, itemFault.what)
  const { requestId } = reply
  let from = 0
  for (const group of groups()) {
    // The same bytes were parsed above.
    if (!group.ok) throw fault('malformed', group.reason)
    yield { number: 1, from, items: group.items, requestId }
    from += group.items.length
  }
}
