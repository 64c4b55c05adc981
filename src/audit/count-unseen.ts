import { requiredFields } from '../inventory/wire-schema.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { type FieldDoubt, type Kind, type Listing, listings, type Resource } from '../model/resource.ts'
import { count } from '../text/count.ts'
import { kindOf } from './project-scan.ts'

/** Fields that every release shows and that items did not, counted while a project's pages pass. */
export interface UnseenCounts {
  add(listing: Listing, kind: Kind, resources: Iterable<{ readonly resource: Resource }>): void
  /** Fields that no item of a listing shows. */
  fieldsMissing(listing: Listing): readonly string[]
  /** How many items a listing has shown. */
  itemsOf(listing: Listing): number
  /** One line for each field: how many resources do not show it, and since when. */
  notices(): ProjectNotice[]
}

export function countUnseen(): UnseenCounts {
  const counts = new Map<string, Counted>()
  const countedOf = (listing: Listing, kind: Kind) => {
    const key = `${listing} ${kind}`
    const counted: Counted = counts.get(key) ?? { listing, kind, resources: 0, fields: new Map() }
    counts.set(key, counted)
    return counted
  }
  return {
    add(listing, kind, resources) {
      const counted = countedOf(listing, kind)
      for (const { resource } of resources) {
        counted.resources += 1
        for (const pointer of resource.unseen ?? []) addField(counted.fields, pointer.slice(1), resource)
      }
    },
    fieldsMissing(listing) {
      const { fields, resources } = countedOf(listing, kindOf[listing])
      return [...fields]
        .filter(([field, { missing }]) => missing === resources && requiredFields[kindOf[listing]].includes(field))
        .map(([field]) => field)
    },
    itemsOf: (listing) => countedOf(listing, kindOf[listing]).resources,
    notices() {
      const inOrder = [...counts.values()].sort((a, b) => listings.indexOf(a.listing) - listings.indexOf(b.listing))
      return inOrder.flatMap((counted) =>
        [...counted.fields].map(([field, unseen]) => ({
          code: 'fields_unseen',
          listing: counted.listing,
          text: textOf(counted, field, unseen),
        })),
      )
    },
  }
}

interface Counted {
  readonly listing: Listing
  readonly kind: Kind
  resources: number
  readonly fields: Map<string, UnseenField>
}

interface UnseenField {
  missing: number
  /** Of how many an earlier scan showed it. */
  carried: number
  readonly first: string
  since: FieldDoubt | undefined
}

function addField(fields: Map<string, UnseenField>, field: string, { uid, attributes, doubts }: Resource): void {
  const unseen = fields.get(field) ?? { missing: 0, carried: 0, first: uid, since: undefined }
  fields.set(field, unseen)
  unseen.missing += 1
  if (Object.hasOwn(attributes, field)) unseen.carried += 1
  const since = doubts?.[field]
  if (since !== undefined && (unseen.since === undefined || since.run < unseen.since.run)) unseen.since = since
}

function textOf({ kind, resources }: Counted, field: string, { missing, carried, first, since }: UnseenField): string {
  const isAll = missing === resources
  const who = isAll
    ? `none of ${count(resources, kind)} shows ${field}`
    : `${missing} of ${count(resources, kind)} ${missing === 1 ? 'shows' : 'show'} no ${field}`
  const when = since === undefined ? '' : ` since run ${since.run} (${formatMinute(since.at)})`
  const about = isAll ? '' : missing === 1 ? ' about it' : ' about them'
  const known =
    carried === 0
      ? 'no value of it is known'
      : `${carried === missing ? 'what is' : `${carried} values are`} known of it is older`
  const example = isAll || missing > 1 ? `first: ${first}` : first
  return `${who}${when}: rules that read it say nothing${about}; ${known} (${example})`
}

/** `2026-11-21 03:01 UTC`. */
export function formatMinute(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}
