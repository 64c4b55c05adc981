import { z } from 'zod'
import { listing, project } from './schema.ts'

/** What a reader must know to read a report rightly, besides coverage, drift and violations; and what each is about. */
export const noticeScopes = {
  clock_went_back: 'run',
  probe_unmatched: 'run',
  changes_ignored: 'run',
  not_licensed: 'run',
  project_unknown: 'run',
  project_found: 'project',
  project_renamed: 'project',
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

/** A notice as a run recorded it. */
export const notice = z.object({
  code: z.enum(noticeCodes),
  project: project.nullable().describe('null: it is about the run.'),
  listing: listing.nullable().describe('null: it is about no listing.'),
  text: z.string(),
})
export type Notice = z.infer<typeof notice>

/** A notice of a project that is being audited. */
export type ProjectNotice = Omit<Notice, 'project'>
