import type { Context } from 'hono'
import type { PoolState } from '../app/pool/workers.ts'
import type { ExpectedProjects } from '../config/choose-projects.ts'
import type { Channel, PlannedRuns } from '../config/configuration.ts'
import { unknownGateway } from '../config/read-gateway.ts'
import type { ReaderRight } from '../config/serve-schema.ts'
import type { Gateway } from '../gateway/repair/gateway.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { ImpactRow } from '../questions/impact-row.ts'
import type { QuestionReply } from '../questions/question.ts'
import type { Markup } from '../report/html/markup.ts'
import type { SiteLink } from './link.ts'
import type { SameAnswer } from './same-answer.ts'

/** A page: where it is, and how it is made of the history. It changes nothing. */
export interface SitePage {
  /** With the names of its parameters: `/violations/:fingerprint`. */
  readonly path: string
  /** Query parameters that it reads, besides `run`. Any other is refused. */
  readonly parameters: readonly string[]
  /**
   * Whether its answer depends on the run alone, so that a browser may keep it until the next run. What people and
   * deliveries change between runs does not. `past`: as of the last run for a minute only, because ages count from the
   * time of asking.
   */
  readonly isOfRun: boolean | 'past'
  /** Whether it says things that are not of one project, so that only readers of all projects see it. */
  readonly isOfAllProjects?: true
  /** @throws NotFound when there is no such thing; AuditError.usage when a parameter is wrong */
  show(request: SiteRequest): Promise<SiteContent>
}

/** What a page is made of. */
export interface SiteRequest {
  /** Shows only what the reader of the page may see. */
  readonly history: SiteHistory
  /** The run that all answers are as of. */
  readonly run: CommittedRun
  /** Whether that is the last one, and no run was named. */
  readonly isLatest: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly plan: SitePlan
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Of the query: the parameters that the page reads. */
  readonly query: SiteQuery
  /** A link within the pages: it stays at the run of this page. */
  readonly link: SiteLink
  /** Asks a gateway what a drift cost; absent where the reader may not, or the process has no key. */
  readonly askImpact?: (asked: AskedImpact) => Promise<QuestionReply<ImpactRow>>
}

/** What is planned, besides what the history records. */
export interface SitePlan {
  /** undefined where the configuration is not read: the history was named alone. */
  configured(): Promise<SiteConfiguration | undefined>
  /** What workers that share the history do; undefined where the history is a file. */
  pool(): Promise<PoolState | undefined>
  /** Where requests about a project go, as far as the configuration shows it. */
  gatewayOf(project: ProjectRef): Gateway
  /** Asks a gateway what a drift cost; absent where the process has no key. `now`: milliseconds since the epoch. */
  readonly askImpact?: (history: SiteHistory, asked: AskedImpact, now: number) => Promise<QuestionReply<ImpactRow>>
}

export const noPlan: SitePlan = {
  configured: async () => undefined,
  pool: async () => undefined,
  gatewayOf: ({ service }) => unknownGateway(service),
}

export interface SiteConfiguration {
  readonly expected: ExpectedProjects
  readonly schedules: readonly PlannedRuns[]
  /** Who is sent messages, without where and by which secret. */
  readonly channels: readonly Pick<Channel, 'name' | 'type'>[]
}

/** The projects that the readers of a site may know of. */
export interface SiteScope {
  /** Patterns of `service/project`. */
  readonly projects: readonly string[]
}

/** What a person asks about; `from` and `to` as on the command line. */
export interface AskedImpact {
  readonly target: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/** What pages read. */
export type SiteHistory = HistoryReader

export interface SiteQuery {
  /** The first value; undefined when absent or empty. */
  one(name: string): string | undefined
  all(name: string): readonly string[]
}

export interface SiteContent {
  /** Of the window and the heading. */
  readonly title: string
  /** At the head of every printed page; default: the title and the run that the page is as of. */
  readonly paper?: string
  /** In place of the title, as the heading. */
  readonly heading?: Markup
  /** The pages above it, from the overview on, which is not among them. */
  readonly crumbs: readonly Crumb[]
  /** Before everything else: what could not be scanned. */
  readonly alarm?: Markup
  readonly body: Markup
  /** Next to the body where there is room, else below it. */
  readonly aside?: Markup
  /** The command that gives the same answer, on the command line and as JSON. */
  readonly same: SameAnswer
  /** Where "to the last run" leads; absent: to the same address. The last run may not have what this one has. */
  readonly atLast?: string | undefined
  /** Whether the present comes first, then the run of the address. */
  readonly isPresentFirst?: true
  /** The next page of a list. */
  readonly next?: string | undefined
}

export interface Crumb {
  readonly title: string
  readonly href: string
}

/** There is no such page, or nothing of that name. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}

/** It is not for this reader; by itself: it is about all projects, and the reader may know of some. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed'

  constructor(message = 'This is only for readers of all projects') {
    super(message)
  }
}

/** Who reads the pages. */
export interface Viewer {
  /** For the log; undefined where nothing says it. */
  readonly name: string | undefined
  /** Patterns `service/project`; undefined: all projects. */
  readonly projects: readonly string[] | undefined
  /** What a token that came with the request allows besides reading; absent for a login. */
  readonly may?: readonly ReaderRight[] | undefined
}

/** Everybody on this machine, where no reader is named. */
export const everyone: Viewer = { name: undefined, projects: undefined }

/** For whom the site answers; what opens the pages hands it over with each request. */
export interface SiteReader {
  readonly viewer: Viewer
  /** Whether the browser logged in, so that it can log out. */
  readonly hasSession: boolean
}

const unknownReader: SiteReader = { viewer: everyone, hasSession: false }

/** The reader of a request; everyone, where the site is asked directly. */
export function readerOf({ env }: Pick<Context, 'env'>): SiteReader {
  return { ...unknownReader, ...env }
}

/** What a reader of the API gets to know of an error. */
export interface ReaderFault {
  readonly status: 400 | 403 | 404 | 500 | 503
  readonly message: string
  readonly advice?: string | undefined
}

/** Hides what may name files and hosts that readers need not know; `onFault` gets it, for the log. */
export function faultForReaders(error: unknown, onFault: (error: unknown) => void): ReaderFault {
  if (error instanceof NotFound) return { status: 404, message: error.message }
  if (error instanceof NotAllowed) return { status: 403, message: error.message }
  if (error instanceof AuditError && error.kind === 'usage') {
    return { status: 400, message: error.message, advice: error.advice }
  }
  onFault(error)
  if (error instanceof AuditError) {
    const message = 'the history, the configuration or the policy cannot be used'
    return { status: 503, message, advice: 'the log of hookdrift says why' }
  }
  return { status: 500, message: 'a bug in hookdrift', advice: 'the log of hookdrift has the details' }
}
