import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { pathStep } from '../../model/path-step.ts'
import { badId, decodeEnvelope } from './decode-envelope.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import { faultOf } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import type { ProjectAccess } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'
import { projectPath } from './wire-request.ts'

/** Each is compared, evaluated and stored with its subscription. */
const mostRows = 1000
/** It becomes a part of JSON Pointers. */
const longestType = 1000

/**
 * The filter rows of a subscription, which decide what it is delivered (not in the contract). The answer is all of them,
 * without pages. undefined where the service answers that the project has no such subscription.
 * @throws ServiceFault when the answer is not a whole list of this subscription's rows: `not_offered` where there is no
 * such operation, `foreign` when it has a row of another subscription
 */
export async function readFilters(
  ask: SendRequest,
  subscription: string,
  access: ProjectAccess,
): Promise<readonly JsonObject[] | undefined> {
  const subject = filtersOf(subscription, access.key)
  const step = pathStep(subscription)
  if (step === undefined) throw new ServiceFault('malformed', `${subject}: no path can name such a uid`)
  const path = `${projectPath(access.projectUid)}/subscriptions/${step}/filters`
  const reply = await ask({ method: 'GET', path, query: new URLSearchParams(), body: null, success: [200] }, access)
  if (!reply.ok) {
    // A router that does not know the path answers without an envelope.
    if (reply.kind === 'not_offered' && reply.status === 404 && reply.serviceMessage !== null) return undefined
    // It is of no subscription where there is no such operation.
    throw faultOf(reply, reply.kind === 'not_offered' ? 'filters' : subject)
  }
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `${subject}: ${what}`, reply)
  const envelope = decodeEnvelope(reply.value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  const rows = envelope.value
  if (!Array.isArray(rows) || !rows.every(isJsonObject)) throw fault('malformed', 'data is not an array of objects')
  if (rows.length > mostRows) throw fault('malformed', `it has more than ${mostRows} rows`)
  const types = new Set<string>()
  for (const { subscription_id: owner, event_type: type } of rows) {
    if (!isText(owner)) throw fault('malformed', `a row has ${badId('subscription_id', owner)}`)
    if (owner !== subscription) throw fault('foreign', 'it has a row of another subscription')
    if (!isText(type) || !type.isWellFormed()) throw fault('malformed', 'a row has no usable event_type')
    if (type.length > longestType)
      throw fault('malformed', `a row has an event_type of more than ${longestType} characters`)
    if (types.has(type)) throw fault('malformed', 'two rows have one event_type')
    types.add(type)
  }
  return rows
}

/** Whose rows a message is about. `key`: must never appear in it. */
export function filtersOf(subscription: string, key: string): string {
  return `filters of ${withoutCredentials(foreignText(subscription, key))}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !isExactNumber(value)
}
