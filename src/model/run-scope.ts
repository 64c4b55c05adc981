/** What a run was to cover, as configured then. It decides what a report of the run can claim. */
export interface RunScope {
  /** Whose webhooks these are; null where the configuration does not say. */
  readonly company: string | null
  /** Sorted by service. */
  readonly gateways: readonly RunGateway[]
  /** The projects that were known, and that the run was not to scan: `service/project`, sorted. */
  readonly unscanned: readonly string[]
  /** All schedules of the configuration. */
  readonly schedules: readonly RunSchedule[]
  /** The name of the schedule that started the run; null: a person or another program did. */
  readonly schedule: string | null
}

export interface RunGateway {
  readonly service: string
  /** Its base URL; what may be a secret in it is sealed. */
  readonly url: string
  /** Whether the service's list decides which projects are scanned: all of it, what patterns match, or no list. */
  readonly projects: 'all' | 'matched' | 'named'
  /** Whether one key reads several projects, each project has a key of its own, or there is one project with one key. */
  readonly key: 'shared' | 'own' | 'single'
}

export interface RunSchedule {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  /** The longest time between two of its ticks, jitter included; null where its pattern is not a timetable. */
  readonly intervalMs: number | null
}

export const unknownScope: RunScope = { company: null, gateways: [], unscanned: [], schedules: [], schedule: null }
