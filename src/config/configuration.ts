import type { HistoryLocation } from '../history/location.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Filters, Offers, ServiceSettings } from '../service/settings.ts'
import type { Retention } from './configuration-schema.ts'
import type { ValuePosition } from './expand-references.ts'
import type { DecodedChannel } from './notify-schema.ts'
import type { ListenAddress, ServeSettings } from './serve-schema.ts'

/** `hookdrift.yaml`, decoded, with every default filled in and every path absolute. */
export interface Configuration {
  /** Undefined: the environment is the configuration. */
  readonly file: string | undefined
  readonly history: HistoryLocation
  readonly policy: string | undefined
  /** Whose webhooks these are, as reports by control name it. */
  readonly company: string | undefined
  /** Which runs to keep; undefined: all. */
  readonly retention: Retention | undefined
  /** Projects read at once. */
  readonly concurrency: number
  /** For one whole run, unless its schedule specifies its own. */
  readonly runTimeoutMs: number
  /** The address of the worker's endpoints; undefined: none. */
  readonly listen: ListenAddress | undefined
  /** Host names that it answers to; undefined: all that fit the address. */
  readonly hosts: readonly string[] | undefined
  /** Whether the worker serves the pages there. */
  readonly pages: boolean
  /** Who may read the pages. It contains secrets; undefined where one is missing that is not used. */
  readonly serve: ServeSettings | undefined
  /** What the worker shares with others; undefined: it runs alone. */
  readonly shared: SharedWork | undefined
  readonly schedules: readonly Schedule[]
  /** The channels. They contain secrets, for delivery only. */
  readonly notify: readonly Channel[]
  /** The template of addresses of published reports. */
  readonly reportUrl: string | undefined
  readonly services: readonly ConfiguredService[]
  /** Whether no project, schedule or channel was left out as faulty. */
  readonly isWhole: boolean
  /** Its keys, tokens and passwords: texts that are stored must not repeat them. */
  readonly secrets: readonly string[]
  /** sha256 in hex of the configuration, without keys and other secrets. */
  readonly digest: string
  /** `file:line:column: text`, in the order of the file. */
  readonly warnings: readonly string[]
}

export interface ConfiguredService {
  readonly settings: ServiceSettings
  readonly urlPosition: ValuePosition
  /** Those that are named. */
  readonly projects: readonly ConfiguredProject[]
  /** Which projects of the service's list are audited too. */
  readonly matches: readonly ProjectMatch[]
  /** The service's identifier of the organisation whose projects are listed; undefined: that of a named project. */
  readonly organisation: string | undefined
  /** For projects of the list. A secret. */
  readonly key: string | undefined
  readonly keyPosition: ValuePosition
  readonly listings: Offers & { readonly licence: 'auto' | 'off' }
  readonly filtersPerRun: number
  /** Projects that all shared workers together scan at once. */
  readonly mostWalks: number
  /** The template of addresses in the gateway's own UI. */
  readonly uiUrl: string | undefined
}

/** How a worker takes part in runs of several workers. */
export interface SharedWork {
  /** Projects that it scans at once. */
  readonly slots: number
  /** Services whose projects it scans; all when undefined. */
  readonly services: readonly string[] | undefined
}

/** As decoded; the path of a directory is absolute. */
export type Channel = DecodedChannel

/** When the worker audits which projects. */
export interface Schedule {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly jitterMs: number
  /** Patterns of projects; all when empty. */
  readonly projects: readonly string[]
  readonly probes: boolean
  readonly runOnStart: boolean
  readonly runTimeoutMs: number
}

/** An entry for projects of a service's list: the first that fits counts. */
export interface ProjectMatch {
  /** Of names and ids; `*` is any text. */
  readonly pattern: string
  readonly labels: Readonly<Record<string, string>>
  /** The line of the entry in the file. */
  readonly line: number
}

export interface ConfiguredProject {
  readonly ref: ProjectRef
  /** A secret: for the service only, never for a log or a report. */
  readonly key: string
  readonly labels: Readonly<Record<string, string>>
  readonly filters: Filters
  readonly keyPosition: ValuePosition
  /** The line of the project in the file. */
  readonly line: number
}
