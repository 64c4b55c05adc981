import type { ExitCode } from '../model/errors.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { Severity } from '../model/violation.ts'

/** What happened that somebody is told of. */
export const eventTypes = [
  'worker.failed',
  'coverage.lost',
  'violation.reopened',
  'violation.opened',
  'rule.unknown',
  'worker.recovered',
  'coverage.regained',
  'violation.resolved',
] as const
export type EventType = (typeof eventTypes)[number]

/** Of the outer contract: members may be added, not renamed. */
export interface Event {
  /** The same in every channel and at every attempt. */
  readonly id: string
  readonly type: EventType
  readonly severity: Severity
  /** `service/project`; null for the worker's own. */
  readonly project: string | null
  /** One sentence. */
  readonly text: string
  readonly rule?: string
  readonly kind?: Kind
  readonly uid?: string
  readonly name?: string
  readonly path?: string
  readonly fingerprint?: string
  readonly listing?: Listing
}

/** Why a message is a digest. */
export type Storm = 'first_run' | 'policy_changed' | 'mass'

/** What one channel is told of one run; `hookdrift.notification/1`, which members may be added to. */
export interface Message {
  readonly schema: 'hookdrift.notification/1'
  /** Stays the same however often it is sent. */
  readonly id: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** null: it is not about a run. */
  readonly run: { readonly number: number; readonly started_at: string; readonly finished_at: string } | null
  readonly verdict: { readonly exit_code: ExitCode; readonly text: string } | null
  /** One sentence. */
  readonly title: string
  readonly storm: Storm | null
  /** How many events there are, by type; types without one are absent. */
  readonly counts: Readonly<Partial<Record<EventType, number>>>
  /** Of a storm: the rules with the most events, so that few lines tell what many are about. */
  readonly rules: readonly { readonly rule: string; readonly severity: Severity; readonly events: number }[]
  /** Most important first. */
  readonly events: readonly Event[]
  /** Events that are not in the list. */
  readonly more: number
  /** Shows all of it. */
  readonly command: string
}

/** A message as this program wrote it. */
export function readMessage(body: string): Message {
  return JSON.parse(body)
}
