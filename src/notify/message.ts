import type { EndedBy } from '../model/ending.ts'
import type { ExitCode } from '../model/errors.ts'
import type { Kind, WalkedListing } from '../model/resource.ts'
import type { Resolution, Severity } from '../model/violation.ts'

/** The types of events that channels are notified of. */
export const eventTypes = [
  'worker.failed',
  'coverage.lost',
  'violation.reopened',
  'violation.opened',
  'violation.raised',
  'rule.unknown',
  'violation.closed',
  // Only channels of tickets are sent these two.
  'violation.changed',
  'violation.waived',
  'worker.recovered',
  'coverage.regained',
  'violation.resolved',
] as const
export type EventType = (typeof eventTypes)[number]

/** What says that a violation needs a person. */
export const openTypes: ReadonlySet<EventType> = new Set(['violation.opened', 'violation.reopened', 'violation.raised'])

/** Of the outer contract: members may be added, not renamed. JSON leaves out what is undefined. */
export interface Event {
  /** The same in every channel and at every attempt. */
  readonly id: string
  readonly type: EventType
  readonly severity: Severity
  /** `service/project`; null for the worker's own. */
  readonly project: string | null
  /** One sentence. */
  readonly text: string
  readonly rule?: string | undefined
  readonly kind?: Kind | undefined
  readonly uid?: string | undefined
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly fingerprint?: string | undefined
  /** Why a violation ended. */
  readonly resolution?: Resolution | undefined
  /** Who or what ended it, where it is not mended. */
  readonly ended_by?: EndedBy | undefined
  readonly listing?: WalkedListing | undefined
  /** The `owner_id` of the endpoint, or of a subscription's endpoint. */
  readonly owner?: string | undefined
  /** What the rule finds, in general. */
  readonly title?: string | undefined
  /** The first step of the fix; in backticks, code. */
  readonly remediation?: string | undefined
  /** The command that leads on from here. */
  readonly command?: string | undefined
  /** Where the gateway shows the resource, and where the report shows the violation, if such addresses are configured. */
  readonly ui_url?: string | undefined
  readonly report_url?: string | undefined
}

/** The reason why a message is a digest. */
export type Storm = 'first_run' | 'policy_changed' | 'mass'

/** What changed alike in many resources, or in one update, as far as its violations are events of the message. */
export interface MessageCause {
  /** As in reports: for `restore --cause` and `accept --cause`. */
  readonly id: string
  /** The worst of its violations. */
  readonly severity: Severity
  /** What happened to what, without a full stop. */
  readonly text: string
  /** How many of each rule follow. */
  readonly rules: readonly { readonly rule: string; readonly severity: Severity; readonly violations: number }[]
  readonly resources: number
  /** Some of these resources, the worst first. */
  readonly named: readonly ChangedResource[]
  /** Of all resources, sorted. */
  readonly owners: readonly string[]
  readonly command: string
}

/** A resource that a cause changed. */
export interface ChangedResource {
  readonly name: string
  readonly owner?: string | undefined
  /** What its new violations say: those of severity high and above, or else the worst. */
  readonly texts: readonly string[]
  readonly ui_url?: string | undefined
  readonly report_url?: string | undefined
}

/** Why listings were lost, as far as their events are of the message: each cause once. */
export interface MessageFailure {
  /** The service, and what it answered, without a full stop. */
  readonly text: string
  readonly listings: number
  /** What was requested, where it is configured, what was not read, and what to do next; as reports say it. */
  readonly facts: readonly { readonly label: string; readonly text: string }[]
}

/** The message to one channel about one run; `hookdrift.notification/1`, which may gain members. */
export interface Message {
  readonly schema: 'hookdrift.notification/1'
  /** The same at every attempt. */
  readonly id: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** null: not about a run. */
  readonly run: { readonly number: number; readonly started_at: string; readonly finished_at: string } | null
  readonly verdict: { readonly exit_code: ExitCode; readonly text: string } | null
  /** How bad, where, what, between which times and which run says so: `HIGH acme/payments: 4 high opened (run 9)`. */
  readonly title: string
  /** The worst of what is not over; null where all of it is. */
  readonly severity: Severity | null
  /** Where all of it is; null for several projects and for the worker. */
  readonly project: string | null
  /** Between which runs it came about, and what people did then: sentences. Absent where nothing that it is about changed. */
  readonly when?: string | undefined
  readonly in_between?: string | undefined
  readonly storm: Storm | null
  /** The number of events by type; types without events are absent. */
  readonly counts: Readonly<Partial<Record<EventType, number>>>
  /** Of a storm: the rules with the most events, to summarise many in a few lines. */
  readonly rules: readonly { readonly rule: string; readonly severity: Severity; readonly events: number }[]
  /** Violations that were open before, by severity: in the first message of a channel, and after some were given up. */
  readonly already_open?: Readonly<Partial<Record<Severity, number>>> | undefined
  /** What is behind many of the events, the worst first; absent without any. People read it in their place. */
  readonly causes?: readonly MessageCause[] | undefined
  /** Why listings were lost; absent where none was. People read it in place of each listing. */
  readonly failures?: readonly MessageFailure[] | undefined
  /** Most important first. */
  readonly events: readonly Event[]
  /** The number of events that are not in the list. */
  readonly more: number
  /** The command that shows all of it. */
  readonly command: string
  /** The command that counts what the worst of it cost in deliveries; absent where none may have stopped. */
  readonly impact?: string | undefined
  /** Where the report of the run is published, if such an address is configured. */
  readonly report_url?: string | undefined
  /** What the message does to an incident at its receiver. */
  readonly incident?:
    | {
        readonly action: IncidentAction
        readonly key: string
        /** How many of what it is about are not over, of how many, where some ended in this run and others are left. */
        readonly left?: readonly [number, number] | undefined
      }
    | undefined
}

/** It opens, or opens again; something about it changed; it has ended. */
export type IncidentAction = 'trigger' | 'update' | 'resolve'

/** A message as this program wrote it. */
export function readMessage(body: string): Message {
  return JSON.parse(body)
}

/** The outcome of one attempt. Errors are in our own words: the receiver's answer and address may be secrets. */
export type Outcome =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly error: string
      /** The receiver wants no further messages. */
      readonly isGone?: true | undefined
      /** The receiver takes others: this message is too long for it, or not of the form that it expects. */
      readonly isAboutMessage?: true | undefined
      /** How long the receiver asked to wait: then no message is given up because of its age. */
      readonly waitMs?: number
    }

/** Sends a message. Rejects only because of bugs. */
export type SendMessage = (message: Message, signal: AbortSignal) => Promise<Outcome>

export const accepted: Outcome = { ok: true }

export function refused(error: string): Outcome {
  return { ok: false, error }
}
