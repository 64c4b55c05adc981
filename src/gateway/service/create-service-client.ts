import pLimit from 'p-limit'
import { isJsonObject } from '../../model/json.ts'
import type { Clock } from '../../model/time.ts'
import { missingFeatures } from '../licence.ts'
import { routes } from '../routes.ts'
import { askWithoutKey } from './ask-without-key.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import { compileDialect, type DialectMatchers } from './dialect.ts'
import { listProjects } from './list-projects.ts'
import type { ProxyVariables } from './proxy-for.ts'
import { createRateGate, type RateGate } from './rate-gate.ts'
import { readDeliveries, readEvents } from './read-deliveries.ts'
import { readFilters } from './read-filters.ts'
import { readEventTypes, readPages } from './read-pages.ts'
import { readProject } from './read-project.ts'
import { describeFailure, faultOf, type RequestSent } from './reply.ts'
import { createSender, type SendRequest } from './send-request.ts'
import type { FunctionOutcome, FunctionTrial, ProjectAccess, ServiceClient } from './service-client.ts'
import { isStop } from './service-fault.ts'
import { type Patience, type ServiceSettings, usualFiltersAtOnce } from './settings.ts'
import { createTransport } from './transport.ts'
import { watchReach } from './watch-reach.ts'
import { displayBase, projectPath } from './wire-request.ts'

interface ServiceDependencies {
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  /** Only the proxy variables are read. */
  readonly env: ProxyVariables
  /** Ends requests in progress. Without it, the stop signal ends them. */
  readonly cut?: AbortSignal | undefined
  /** Default: long. */
  readonly patience?: Patience | undefined
  /** Closed while the service limits requests. Default: one of this client's own. */
  readonly gate?: RateGate | undefined
  /** Called after each request. */
  readonly onRequest?: ((request: RequestSent) => void) | undefined
  /** Returns a signal that aborts after so many milliseconds. Default: the system's. */
  readonly timeoutAfter?: (ms: number) => AbortSignal
}

/**
 * Creates a client of one service for all of its projects, which share its connections and its rate limit. Connects to
 * nothing until a request is sent.
 * @throws AuditError.usage when the environment names an impossible proxy
 */
export function createServiceClient(
  settings: ServiceSettings,
  { env, patience = 'long', onRequest = () => {}, timeoutAfter = AbortSignal.timeout, ...given }: ServiceDependencies,
): ServiceClient {
  const { clock, random, cut, gate = createRateGate(clock) } = given
  const reach = watchReach(clock, settings.limits.connectTimeoutMs, patience, timeoutAfter)
  const { connections, filtersAtOnce = usualFiltersAtOnce } = settings
  const limit = pLimit(filtersAtOnce)
  // Rows are asked for while a page waits: none of these requests waits in a queue while its time runs.
  const transport = createTransport({ ...settings, connections: connections + filtersAtOnce }, env, reach.reached)
  const matchers = compileDialect(settings.dialect)
  const ask = createSender({
    settings,
    matchers,
    transport,
    clock,
    random,
    cut,
    gate,
    timeoutAfter,
    patience,
    reach,
    onRequest,
  })
  return {
    pages: (listing, access) => readPages(ask, listing, access, settings),
    eventTypes: (access) => readEventTypes(ask, access),
    project: (access) => readProject(ask, access),
    filters: (subscription, access) => limit(() => readFilters(ask, subscription, access)),
    projects: (access) => listProjects(ask, access, settings),
    deliveries: (choice, access) => readDeliveries(ask, choice, access, settings),
    events: (choice, access) => readEvents(ask, choice, access, settings),
    testFunction: (trial, access) => testFunction(ask, trial, access, matchers),
    async missingFeatures(signal) {
      const startedAt = clock.now()
      const answer = await askWithoutKey(routes.licence.path, {
        transport,
        settings,
        matchers,
        timeoutAfter,
        signal,
        cut,
      })
      onRequest({
        method: 'GET',
        url: `${displayBase(settings.url)}${routes.licence.path}`,
        status: answer.status,
        fault: answer.ok ? null : answer.what,
        durationMs: clock.now() - startedAt,
        nextTryMs: null,
      })
      const envelope = answer.ok ? decodeEnvelope(answer.value) : answer
      return missingFeatures(envelope.ok ? envelope.value : undefined)
    },
    close: () => transport.close(),
  }
}

/** The service stops a function after 10 seconds; a longer wait means that it did not run. */
const limitMs = 15_000

/** The service answers 200; 201, usual for a POST, means the same. */
const success = [200, 201]

/**
 * Runs a function. The log of one run may contain lines of another that runs at the same time.
 * @throws ServiceFault only when stopped
 */
async function testFunction(
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
