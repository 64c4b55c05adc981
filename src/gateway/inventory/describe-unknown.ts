import type { Gap } from '../../model/gap.ts'
import type { Kind } from '../../model/resource.ts'
import { count } from '../../model/text/count.ts'
import { minuteOf } from '../../model/time.ts'
import type { UnknownCause } from './compare-fields.ts'

interface UnknownField {
  readonly kind: Kind
  readonly field: string
  readonly cause: UnknownCause
  readonly resources: number
}

/** Of how many resources it cannot be said what a field is, and why: `2 endpoints that show no url`. */
export function describeResources({ kind, field, cause, resources }: UnknownField): string {
  const show = resources === 1 ? 'shows' : 'show'
  return `${count(resources, kind)} ${saysOfField[cause](field, show)}`
}

const saysOfField: Readonly<Record<UnknownCause, (field: string, show: string) => string>> = {
  unseen: (field, show) => `that ${show} no ${field}`,
  malformed: (field, show) => `that ${show} a malformed ${field}`,
  rows_unread: () => 'whose filter rows were not read',
  seal_key_changed: (field) => `whose ${field} another installation key, or an earlier version, sealed before`,
  masked: (field) => `whose ${field} the service masks`,
}

/** ` since run 7 (2026-11-20 03:04 UTC)`; nothing where that is not known. */
export function describeSince(since: Gap['since'] | null | undefined): string {
  return since ? ` since run ${since.run} (${minuteOf(since.at)})` : ''
}
