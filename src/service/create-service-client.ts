import pLimit from 'p-limit'
import type { Clock } from '../model/time.ts'
import { compileDialect } from './dialect.ts'
import { listProjects } from './list-projects.ts'
import type { ProxyVariables } from './proxy-for.ts'
import { createRateGate, type RateGate } from './rate-gate.ts'
import { readFilters } from './read-filters.ts'
import { readEventTypes, readPages } from './read-pages.ts'
import { readProject } from './read-project.ts'
import type { RequestSent } from './reply.ts'
import { createSender } from './send-request.ts'
import type { ServiceClient } from './service-client.ts'
import { type Patience, type ServiceSettings, usualFiltersAtOnce } from './settings.ts'
import { testFunction } from './test-function.ts'
import { createTransport } from './transport.ts'
import { watchReach } from './watch-reach.ts'

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
    testFunction: (trial, access) => testFunction(ask, trial, access, matchers),
    close: () => transport.close(),
  }
}
