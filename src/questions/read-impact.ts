import { resolve } from 'node:path'
import { openServices } from '../app/open-projects.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { AuditedProject } from '../audit/audited-project.ts'
import { describeFault } from '../audit/describe-fault.ts'
import type { Configuration } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import type { GatewayDelivery, ProjectAccess, TimeWindow } from '../gateway/service/service-client.ts'
import { ServiceFault } from '../gateway/service/service-fault.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { WindowRows } from './count-impact.ts'

/** What is to be read of a project, for endpoints that have one window. */
export interface WindowQuestion {
  readonly window: TimeWindow
  /** Empty: all of the project. */
  readonly endpoints: readonly string[]
  /** Of events. */
  readonly sources: readonly string[]
  /** Whether an event may have got no delivery. */
  readonly mayLackDeliveries: boolean
  /** Whether failed deliveries are to be replayed, so that their events are needed. */
  readonly mayReplay: boolean
}

/** Of each question, in their order; a sentence: why nothing could be counted. */
export type ProjectRows = readonly (WindowRows | string)[]

/** Asks gateways about windows. */
export interface ImpactAsker {
  ask(project: ProjectRef, questions: readonly WindowQuestion[]): Promise<ProjectRows>
  close(): Promise<void>
}

interface AskerOptions {
  readonly config: string
  readonly terminal: ProcessContext
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Opens the gateways of a configuration. One that cannot be read is a reason, as a gateway is that does not answer. */
export function openImpactAsker({ config, terminal, signal, now }: AskerOptions): ImpactAsker {
  let configuration: Configuration
  try {
    const sources = { env: terminal.env, readFile: readTextFile }
    configuration = readConfiguration(resolve(terminal.cwd(), config), sources, { needs: ['services'] })
  } catch (error) {
    // Who asks over a port need not know the files of this machine.
    if (!(error instanceof AuditError) || terminal.reading !== undefined) throw error
    const reason = `Not asked: ${error.message.replaceAll('\n', '; ')}.`
    return { ask: async (_, questions) => questions.map(() => reason), close: async () => {} }
  }
  const { services, close } = openServices(configuration, [], { terminal, patience: 'short' })
  return {
    close,
    async ask(ref, questions) {
      const service = services.find(({ name }) => name === ref.service)
      const named = service?.named.find((project) => project.ref.uid === ref.uid)
      const isListed = named === undefined && service !== undefined && service.matches.length > 0
      const project = isListed ? service.open(ref, { labels: {}, configuredAt: null }) : named
      if (project === undefined) return questions.map(() => `Not asked: the configuration has no key for ${ref.name}.`)
      const most = configuration.services.find(({ settings }) => settings.name === ref.service)?.deliveriesPerQuestion
      return new ProjectReader(project, { signal, now, most: most ?? 1 }).read(questions)
    },
  }
}

/** Before the first event of any gateway. */
const beginning = Date.UTC(2000)
/** An event comes before its deliveries, which wait in a queue. */
const leadMs = 60_000

/** What cannot be read of one window: a sentence. */
class Unread extends Error {
  override readonly name = 'Unread'
}

/** Reads what a gateway has of one project, and proves whose that is. */
class ProjectReader {
  readonly #project: AuditedProject
  readonly #access: ProjectAccess
  readonly #now: number
  readonly #most: number
  /** Whether a row showed that the key reads this project. */
  #isProven = false

  constructor(
    project: AuditedProject,
    { signal, now, most }: { readonly signal: AbortSignal; readonly now: number; readonly most: number },
  ) {
    const { ref, key } = project
    this.#project = project
    this.#now = now
    this.#most = most
    this.#access = {
      projectUid: ref.uid,
      key,
      filters: {},
      signal,
      traffic: { requests: 0, retries: 0 },
      budget: { waitedMs: 0 },
      acceptance: { isAccepted: false },
    }
  }

  async read(questions: readonly WindowQuestion[]): Promise<ProjectRows> {
    try {
      const answers: (WindowRows | string)[] = []
      for (const question of questions) {
        const reasons: string[] = []
        const read = await this.#try(() => this.#readWindow(question), reasons)
        answers.push(read ?? reasons.join(' '))
      }
      await this.#prove()
      return answers
    } catch (error) {
      const reason = this.#reasonOf(error)
      if (reason === undefined) throw error
      return questions.map(() => reason)
    }
  }

  async #readWindow({ window, endpoints, sources, mayLackDeliveries, mayReplay }: WindowQuestion): Promise<WindowRows> {
    const { client } = this.#project
    const most = this.#most
    const reasons: string[] = []
    const deliveries = await this.#collect(client.deliveries({ window, endpoints, most }, this.#access), 'deliveries')
    const hasFailed = deliveries.some(({ status }) => status === 'Failure' || status === 'Discarded')
    const isOver = window.to < this.#now
    const after = { window: { from: window.to, to: this.#now }, endpoints, most }
    const later =
      isOver && (hasFailed || mayLackDeliveries)
        ? await this.#try(() => this.#collect(client.deliveries(after, this.#access), 'deliveries'), reasons)
        : []
    const isAboutEvents =
      mayLackDeliveries || (hasFailed && (mayReplay || isRepeated([...deliveries, ...(later ?? [])])))
    const all = mayLackDeliveries ? await this.#try(() => this.#readEvents({ window }), []) : undefined
    const some =
      all === undefined && isAboutEvents
        ? await this.#try(() => this.#readEventsOf(window, endpoints, mayLackDeliveries ? sources : []), reasons)
        : undefined
    return {
      window,
      deliveries,
      later,
      events: all ?? some,
      areAllEvents: all !== undefined,
      isKept: await this.#isKept(window),
      reasons,
    }
  }

  #readEvents({
    window,
    ...choice
  }: {
    readonly window: TimeWindow
    readonly endpoints?: readonly string[]
    readonly sources?: readonly string[]
  }) {
    const asked = { window: { from: window.from - leadMs, to: window.to }, ...choice, most: this.#most }
    return this.#collect(this.#project.client.events(asked, this.#access), 'events')
  }

  /** Those that name an endpoint, and those of its sources. */
  async #readEventsOf(window: TimeWindow, endpoints: readonly string[], sources: readonly string[]) {
    const named = await this.#readEvents({ window, endpoints })
    const ofSources = sources.length === 0 ? [] : await this.#readEvents({ window, sources })
    return [...new Map([...named, ...ofSources].map((event) => [event.uid, event])).values()]
  }

  /** Retention deletes the oldest first, and no answer says so. */
  async #isKept({ from }: TimeWindow): Promise<boolean> {
    const asked = { window: { from: beginning, to: from }, most: 1 }
    const first = await this.#try(async () => {
      for await (const rows of this.#project.client.events(asked, this.#access)) {
        if (rows.length > 0) return true
      }
      return false
    }, [])
    this.#isProven ||= first === true
    return first === true
  }

  /** @throws Unread when there are more than may be read */
  async #collect<Row>(pages: AsyncIterable<readonly Row[]>, what: string): Promise<readonly Row[]> {
    const read: Row[] = []
    for await (const rows of pages) {
      read.push(...rows)
      this.#isProven ||= rows.length > 0
      if (read.length > this.#most)
        throw new Unread(
          `More than ${this.#most} ${what} in the window: give a narrower one with --from and --to, or raise limits.deliveries_per_question.`,
        )
    }
    return read
  }

  /** What is not needed for the counts may fail. A foreign answer spoils all. */
  async #try<Result>(work: () => Promise<Result>, reasons: string[]): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ServiceFault && error.kind === 'foreign') throw error
      const reason = this.#reasonOf(error)
      if (reason === undefined) throw error
      reasons.push(reason)
      return undefined
    }
  }

  /**
   * An empty list does not say whose it is: then the key must be shown to read this project.
   * @throws Unread when it is not
   */
  async #prove(): Promise<void> {
    if (this.#isProven) return
    try {
      await this.#project.client.project(this.#access)
    } catch (error) {
      if (!(error instanceof ServiceFault) || error.kind === 'foreign') throw error
      throw new Unread(
        `Nothing was listed, and whether the key reads this project is not known. ${this.#reasonOf(error)}`,
      )
    }
  }

  /** undefined for a bug. */
  #reasonOf(error: unknown): string | undefined {
    if (error instanceof Unread) return error.message
    return error instanceof ServiceFault ? `Not counted: ${describeFault(error, this.#project)}.` : undefined
  }
}

/** Whether an endpoint has several deliveries of one event. */
function isRepeated(deliveries: readonly GatewayDelivery[]): boolean {
  return new Set(deliveries.map(({ eventId, endpointId }) => `${eventId} ${endpointId}`)).size < deliveries.length
}
