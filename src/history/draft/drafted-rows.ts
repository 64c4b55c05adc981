import type { Change } from '../../model/change.ts'
import type { BodyColumns } from '../body-columns.ts'
import type { NewVersion, NewViolation } from '../staged.ts'

/** Rows by their table, in the order in which they refer to each other. */
export interface DraftedRows {
  readonly project: readonly NewProject[]
  readonly version: readonly DraftedVersion[]
  readonly change: readonly DraftedChange[]
  readonly violation: readonly DraftedViolation[]
}

export interface NewProject {
  readonly id: number
  readonly service: string
  readonly uid: string
}

export interface DraftedVersion extends BodyColumns, Omit<NewVersion, 'columns' | 'normaliser' | 'replaces'> {
  readonly id: number
  readonly project_id: number
  readonly from_run: number
  readonly replaces: number | null
  readonly normal_form_version: number
}

/** Changes and violations get their ids when they are inserted. */
export interface DraftedChange extends Omit<Change, 'fields'> {
  id: number
  readonly run: number
  readonly project_id: number
  readonly fields: string
  readonly referrers: string | null
  readonly after_at: string | null
  readonly before_at: string | null
}

export interface DraftedViolation
  extends Omit<NewViolation, 'waiver' | 'firstRun' | 'lastRun' | 'originRun' | 'replaces'> {
  id: number
  readonly project_id: number
  readonly from_run: number
  readonly first_run: number
  readonly last_run: number | null
  readonly origin_run: number | null
  readonly replaces: number | null
  readonly waiver: string | null
}

/** The columns of each table. */
export const draftedColumns = {
  project: ['id', 'service', 'uid'],
  version: [
    ...(['id', 'project_id', 'kind', 'uid', 'from_run', 'replaces', 'normal_form_version', 'name', 'digest'] as const),
    ...(['body', 'facts', 'endpoint_uid', 'source_uid', 'device_uid', 'owner_id'] as const),
  ],
  change: ['id', 'run', 'project_id', 'kind', 'uid', 'name', 'change', 'fields', 'referrers', 'after_at', 'before_at'],
  violation: [
    ...(['id', 'fingerprint', 'project_id', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name'] as const),
    ...(['message', 'from_run', 'first_run', 'last_run', 'origin_run', 'replaces', 'waiver'] as const),
  ],
} as const satisfies { readonly [Table in keyof DraftedRows]: readonly (keyof DraftedRows[Table][number])[] }

/** The column that names the run, of each table that a run writes while it is drafted. Projects outlive their run. */
export const runColumns = {
  version: 'from_run',
  violation: 'from_run',
  change: 'run',
} as const satisfies Record<Exclude<keyof DraftedRows, 'project'>, string>
