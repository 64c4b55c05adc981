import type { EndpointRow, EventTypeRow, ProjectConfigRow, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'

/** What is configured in one project, as changes of a sound one. Rows are those that the gateway's tables hold. */
export interface Configuration {
  /** Default: `outgoing`. */
  readonly type?: 'outgoing' | 'incoming'
  readonly config?: Partial<ProjectConfigRow>
  /** The first one is endpoint `0`, and so on; left out: one sound endpoint. */
  readonly endpoints?: readonly Partial<EndpointRow>[]
  /**
   * `endpoint` and `source`: places in the lists around; default: those at the place of the subscription, else the first
   * ones, and no source in an outgoing project. Left out: one for each endpoint and, in an incoming project, source.
   */
  readonly subscriptions?: readonly (Partial<SubscriptionRow> & {
    readonly endpoint?: number
    readonly source?: number
  })[]
  /** Left out: one sound source in an incoming project, none in an outgoing one. */
  readonly sources?: readonly Partial<SourceRow>[]
  readonly eventTypes?: readonly Partial<EventTypeRow>[]
}

/** `tried v26.3.6`: on a running gateway of that release; `read v26.7.3 worker/task/x.go`: in a file of its code. */
export type Known = `tried v${string}` | `read v${string} ${string}`

/** What the gateway does with a configuration, and what hookdrift says of it. */
export interface Claim {
  /** What is configured, in words: `a verifier with SHA384`. */
  readonly given: string
  /** What the gateway does then: `refuses every event with 400`. */
  readonly does: string
  readonly known: readonly [Known, ...Known[]]
  /** The configuration; of a rule about changes, the one after the change. */
  readonly has: Configuration
  /** Of a rule about changes, what it was before. */
  readonly had?: Configuration
  /** Rules that are asked. Of these, hookdrift says what is in `says`, and nothing else. */
  readonly asks: readonly string[]
  /**
   * `critical source/verifier-broken 0/verifier/hmac/hash`: severity, rule, place in its list, path. `-`: the project.
   * A rule about several kinds has the kind as well: `high drift/secret-changed source:0/verifier/hmac/secret`. Where a
   * rule cannot evaluate what it reads: `cannot say source/verifier-broken`.
   */
  readonly says: readonly string[]
  /** The name of what tries it on a running gateway; none where it takes a licence or another release. */
  readonly trial?: string
}
