import { isJsonObject } from '../model/json.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import type { DialectMatchers } from './dialect.ts'
import { describeFailure, faultOf } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import type { FunctionOutcome, FunctionTrial, ProjectAccess } from './service-client.ts'
import { isStop } from './service-fault.ts'
import { projectPath } from './wire-request.ts'

/** The service stops a function after 10 seconds; a longer wait means that it did not run. */
const limitMs = 15_000

/** The service answers 200; 201, usual for a POST, means the same. */
const success = [200, 201]

/**
 * Runs a function. The log of one run may contain lines of another that runs at the same time.
 * @throws ServiceFault only when stopped
 */
export async function testFunction(
  ask: SendRequest,
  { function: text, payload, type }: FunctionTrial,
  access: ProjectAccess,
  matchers: DialectMatchers,
): Promise<FunctionOutcome> {
  const path = `${projectPath(access.projectUid)}/sources/test_function`
  const body = JSON.stringify({ function: text, payload, type })
  const reply = await ask({ method: 'POST', path, query: new URLSearchParams(), body, success, limitMs }, access)
  if (reply.ok) return outcomeOf(reply.value, reply.requestId)
  if (isStop(reply.kind)) throw faultOf(reply, 'test of a function')
  const { serviceMessage } = reply
  // 400 is the function's own failure, unless the message means that it never ran.
  const isItsFailure =
    reply.status === 400 && reply.kind === 'http' && reply.again === 'never' && serviceMessage !== null
  if (isItsFailure && !matchers.isFunctionNotTried(serviceMessage))
    return { outcome: 'failed', message: serviceMessage }
  const { requestId } = reply
  return { outcome: 'unknown', message: describeFailure(reply), requestId }
}

function outcomeOf(value: unknown, requestId: string | null): FunctionOutcome {
  const envelope = decodeEnvelope(value)
  if (!envelope.ok) return { outcome: 'unknown', message: envelope.reason, requestId }
  const result = envelope.value
  // It ran, and the service dropped a result that JSON cannot express.
  if (result === undefined || result === null)
    return { outcome: 'failed', message: 'the result could not be serialised' }
  if (!isJsonObject(result)) return { outcome: 'unknown', message: 'data is not an object', requestId }
  const log = Array.isArray(result.log) ? result.log.filter((line) => typeof line === 'string') : []
  return { outcome: 'ok', payload: result.payload ?? null, log }
}
