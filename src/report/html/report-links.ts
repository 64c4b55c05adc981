import type { Kind } from '../../model/resource.ts'

/** Where names lead on a page among others. A report that is one file has none: its rows lead to themselves. */
export interface ReportLinks {
  violation(fingerprint: string): string
  resource(identity: { readonly project: string; readonly kind: Kind; readonly uid: string }): string
  /** `service/project` */
  project(name: string): string
  owner(name: string): string
}

/** The anchor of a thing on a page: a prefix and its name, in which other characters than those of a link become `_`. */
export function anchorOf(prefix: string, name: string): string {
  return `${prefix}-${name.replace(/[^\w/.-]/g, '_')}`
}
