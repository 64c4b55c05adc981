import type { Listing } from './resource.ts'

/** What a reader must know to read a report rightly, besides coverage, drift and violations; and what each is about. */
export const noticeScopes = {
  clock_went_back: 'run',
  probe_unmatched: 'run',
  changes_ignored: 'run',
  project_found: 'project',
  project_not_listed: 'project',
  fields_changed: 'project',
  normal_form_changed: 'project',
  seal_key_changed: 'project',
  approval_not_compared: 'project',
  probe_not_run: 'project',
  probes_disabled: 'project',
  rule_failed: 'project',
  custom_rule_failed: 'project',
  settings_cached: 'listing',
  settings_stale: 'listing',
  field_malformed: 'listing',
  fields_unseen: 'listing',
  resource_unreferenced: 'listing',
} as const satisfies Record<string, 'run' | 'project' | 'listing'>

export type NoticeCode = keyof typeof noticeScopes

// The keys are what the type says.
export const noticeCodes = Object.keys(noticeScopes) as readonly NoticeCode[]

/** A notice of a project that is being audited. */
export interface ProjectNotice {
  readonly code: NoticeCode
  /** null: it is about the project as a whole. */
  readonly listing: Listing | null
  readonly text: string
}

/** A notice as a run recorded it. */
export interface Notice extends ProjectNotice {
  /** `service/project`; null: it is about the run. */
  readonly project: string | null
}
