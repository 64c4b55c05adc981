import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { Clock } from '../../model/time.ts'
import { routes } from '../routes.ts'
import { askWithoutKey } from './ask-without-key.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import { compileDialect } from './dialect.ts'
import { foreignText } from './foreign-text.ts'
import { listProjects } from './list-projects.ts'
import type { PortCertificate } from './network-failure.ts'
import type { ProxyVariables } from './proxy-for.ts'
import { createRateGate } from './rate-gate.ts'
import { mostItemsOf, readPages } from './read-pages.ts'
import { findKeyOwner, readProject } from './read-project.ts'
import { faultOf, type HttpFailure } from './reply.ts'
import { createSender } from './send-request.ts'
import type { ListAccess, ListedProject, ProjectAccess } from './service-client.ts'
import type { ServiceSettings } from './settings.ts'
import { createTransport, type WireAnswer } from './transport.ts'
import { displayBase, projectPath } from './wire-request.ts'

/** Asks a service once about itself, in order to explain what is wrong. Sends GET requests only. */
export interface ServiceExaminer {
  /** Asks `/healthz`, without a key. */
  greet(): Promise<ServiceGreeting>
  /** The certificate that the port shows; undefined where it does not speak TLS, or is behind a proxy. */
  certificate(): Promise<PortCertificate | undefined>
  /** @throws ServiceFault as the client's `project` */
  project(access: ProjectAccess): Promise<JsonObject>
  /** @throws ServiceFault when the first page of a listing of one item a page cannot be read */
  firstItem(access: ProjectAccess): Promise<void>
  /** Whose the key is; undefined where the service does not show it. */
  keyOwner(access: Omit<ProjectAccess, 'projectUid'>): ReturnType<typeof findKeyOwner>
  /** @throws ServiceFault as the client's `projects` */
  projects(access: ListAccess): Promise<readonly ListedProject[]>
  /**
   * Asks for a page of endpoints of the configured size.
   * @throws ServiceFault when the page cannot be read
   */
  endpointPage(access: ProjectAccess): Promise<ExaminedPage>
  /** The requests that the service allows, as its answers so far say in `x-ratelimit-limit`. */
  rateLimit(): string | undefined
  close(): Promise<void>
}

export interface ExaminedPage {
  /** The size that the service names; undefined where it names none. */
  readonly granted: number | undefined
  /** The items as far as they are objects. */
  readonly items: readonly JsonObject[]
}

export interface ServiceGreeting {
  /** The address that was asked. */
  readonly url: string
  /** What the service calls itself, fit for a message; undefined where the answer does not say. */
  readonly release: string | undefined
  /** The version of the interface that it answers with. */
  readonly version: string | undefined
  /** How far its clock is ahead of ours, in milliseconds; undefined without a `Date` header. */
  readonly aheadMs: number | undefined
  /** Why there is no such answer. `status` null: there is no answer at all. */
  readonly failure: HttpFailure | undefined
  /** Whether a connection was made, with TLS where the URL asks for it. One to a proxy counts as made. */
  readonly isConnected: boolean
}

interface ExaminerDependencies {
  readonly clock: Clock
  readonly random: () => number
  /** Only the proxy variables are read. */
  readonly env: ProxyVariables
}

/** @throws AuditError.usage when the environment names an impossible proxy */
export function createServiceExaminer(
  given: ServiceSettings,
  { clock, random, env }: ExaminerDependencies,
): ServiceExaminer {
  const settings: ServiceSettings = { ...given, limits: { ...given.limits, retries: 0, retryBudgetMs: 0 } }
  const seen: { latest?: WireAnswer | undefined; rateLimit?: string | undefined; isConnected?: boolean } = {}
  const opened = createTransport(settings, env, () => {
    seen.isConnected = true
  })
  const transport = {
    ...opened,
    async send(...request: Parameters<typeof opened.send>) {
      const answer = await opened.send(...request)
      seen.latest = answer
      seen.rateLimit = answer.header('x-ratelimit-limit') ?? seen.rateLimit
      return answer
    },
  }
  const lastHeader = (name: string) => seen.latest?.header(name)
  const matchers = compileDialect(settings.dialect)
  const timeoutAfter = AbortSignal.timeout
  const ask = createSender({
    settings,
    matchers,
    transport,
    clock,
    random,
    cut: undefined,
    timeoutAfter,
    gate: createRateGate(clock),
    patience: 'short',
    reach: undefined,
    onRequest: () => {},
  })
  return {
    async greet() {
      const signal = new AbortController().signal
      const before = clock.now()
      seen.latest = undefined
      const { path } = routes.health
      const outcome = await askWithoutKey(path, { transport, settings, matchers, timeoutAfter, signal })
      const url = `${displayBase(settings.url)}${path}`
      const date = Date.parse(lastHeader('date') ?? '')
      return {
        url,
        release: outcome.ok ? releaseIn(outcome.value) : undefined,
        version: shortText(lastHeader('x-convoy-version')),
        aheadMs: Number.isNaN(date) ? undefined : date - (before + clock.now()) / 2,
        failure: outcome.ok ? undefined : outcome,
        isConnected: seen.isConnected === true || opened.proxyVariable !== undefined,
      }
    },
    certificate: opened.inspect,
    project: (access) => readProject(ask, access),
    async firstItem(access) {
      const pages = readPages(ask, 'endpoints', access, { ...settings, pageSize: 1 })
      await pages.next()
      await pages.return(undefined)
    },
    keyOwner: (access) => findKeyOwner(ask, access),
    projects: (access) => listProjects(ask, access, settings),
    async endpointPage(access) {
      const { pageSize, dialect } = settings
      const query = new URLSearchParams({ [dialect.parameters.pageSize]: String(pageSize) })
      const path = `${projectPath(access.projectUid)}/endpoints`
      const page = { method: 'GET', path, query, body: null, success: [200], mostItems: mostItemsOf(settings) } as const
      const reply = await ask(page, access)
      if (!reply.ok) throw faultOf(reply, 'page 1')
      const envelope = decodeEnvelope(reply.value)
      const { content, pagination } = Object(envelope.ok ? envelope.value : undefined)
      const { per_page: granted } = Object(pagination)
      return {
        granted: typeof granted === 'number' ? granted : undefined,
        items: Array.isArray(content) ? content.filter(isJsonObject) : [],
      }
    },
    rateLimit: () => (limitForm.test(seen.rateLimit ?? '') ? seen.rateLimit : undefined),
    close: opened.close,
  }
}

/** A number, perhaps with its windows: any other text may echo the key of the request. */
const limitForm = /^\d{1,9}(?:, ?\d{1,9};w(?:indow)?=\d{1,9}){0,5}$/

function releaseIn(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.message === 'string' ? shortText(value.message) : undefined
}

function shortText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : foreignText(text, '').slice(0, 80) || undefined
}
