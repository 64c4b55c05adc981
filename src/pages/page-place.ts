import type { CommittedRun } from '../history/sql/runs.ts'
import type { SiteLink } from './link.ts'

/** Where a page is, and who reads it. */
export interface PagePlace {
  /** Of the page, without its query. */
  readonly path: string
  /** The query of its address. */
  readonly search: URLSearchParams
  readonly run: CommittedRun
  readonly last: CommittedRun
  /** Whether no run was named. */
  readonly isLatest: boolean
  readonly link: SiteLink
  readonly version: string
  /** Paths of pages that its readers do not see. */
  readonly hidden: readonly string[]
  /** Whether the browser logged in. */
  readonly hasSession: boolean
}
