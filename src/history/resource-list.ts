import type { Kind, ProjectRef } from '../model/resource.ts'

/** Which resources as of a run are listed: project by project as they are given, then by kind and uid, code points. */
export interface ResourceListChoice {
  readonly run: number
  /** With their names as of the run. */
  readonly projects: readonly ProjectRef[]
  /** undefined: all. */
  readonly kind: Kind | undefined
  /** Whether resources that were removed by the run are listed too. */
  readonly withRemoved: boolean
  /** The resource in the first of the projects after which the list goes on; undefined: at its beginning. */
  readonly after: { readonly kind: Kind; readonly uid: string } | undefined
  readonly most: number
}

export interface ListedResource {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  /** As of the run, or when it was removed. */
  readonly name: string
  /** Start of the run that first saw it as it is. ISO 8601. */
  readonly since: string
  /** The run that no longer found it; null while it is there. */
  readonly removedBy: number | null
}

export interface ResourceCount {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly resources: number
}
