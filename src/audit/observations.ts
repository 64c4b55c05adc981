import { requiredFields } from '../gateway/fields.ts'
import { describeSince } from '../gateway/inventory/describe-unknown.ts'
import { type DescribedField, describeField } from '../gateway/inventory/malformed.ts'
import type { StagedChange } from '../history/records.ts'
import { valueAt } from '../model/json.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { type FieldDoubt, type Kind, type Listing, listings, type Resource } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { listed } from '../rules/shared/listed.ts'
import type { ComparedResources } from './compare-resources.ts'
import { kindOf } from './project-scan.ts'

/** What the listings of a project have shown, besides the resources themselves. */
export class Observations {
  readonly malformed = countMalformed()
  readonly unseen = countUnseen()
  readonly changes: StagedChange[] = []
  /** How many changes are left out of drift, by the path in the policy. */
  readonly ignored = new Map<string, number>()
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain = new Map<Kind, number>()
  /** Whether a secret was known under another installation key. */
  isRebased = false
  /** Whether something was known in another normal form. */
  isReformed = false
  /** The project itself, as far as it was seen. */
  self: Resource

  constructor(projectUid: string) {
    this.self = { kind: 'project', uid: projectUid, name: '', attributes: {}, volatile: {}, facts: {} }
  }

  note(listing: Listing, kind: Kind, { resources, isRebased, isReformed }: ComparedResources): void {
    for (const { change, ignoredCounts } of resources) {
      if (change !== undefined) this.changes.push(change)
      for (const [path, count] of ignoredCounts) this.ignored.set(path, (this.ignored.get(path) ?? 0) + count)
    }
    this.isRebased ||= isRebased
    this.isReformed ||= isReformed
    this.malformed.add(listing, resources)
    this.unseen.add(listing, kind, resources)
    const remembered = resources.filter(({ isInHistory }) => isInHistory)
    this.seenAgain.set(kind, (this.seenAgain.get(kind) ?? 0) + remembered.length)
    if (kind === 'project') this.self = resources[0]?.resource ?? this.self
  }
}

/** Fields of a wrong type, counted while a project's pages pass. */
interface MalformedCounts {
  add(listing: Listing, resources: Iterable<{ readonly resource: Resource }>): void
  /** One line for each field: what it is, how many resources show it so, and one of them. */
  notices(): ProjectNotice[]
}

interface MalformedField extends DescribedField {
  readonly listing: Listing
  readonly kind: Kind
  readonly first: string
  resources: number
}

function countMalformed(): MalformedCounts {
  const counts = new Map<string, MalformedField>()
  return {
    add(listing, resources) {
      for (const { resource } of resources) {
        if (resource.malformed === undefined) continue
        const fields = resource.malformed.map((pointer) => describeField(resource.kind, pointer))
        for (const { path, expected } of new Map(fields.map((field) => [field.path, field])).values()) {
          const { kind, uid } = resource
          const key = `${listing} ${kind} ${path}`
          const entry = counts.get(key)
          if (entry !== undefined) entry.resources++
          else counts.set(key, { listing, kind, path, expected, first: uid, resources: 1 })
        }
      }
    },
    notices() {
      const inOrder = [...counts.values()].sort((a, b) => listings.indexOf(a.listing) - listings.indexOf(b.listing))
      return inOrder.map((counted) => ({
        code: 'field_malformed',
        listing: counted.listing,
        text: textOfMalformed(counted),
      }))
    },
  }
}

function textOfMalformed({ kind, path, expected, first, resources }: MalformedField): string {
  const show = resources === 1 ? `1 ${kind} shows` : `${resources} ${kind}s show`
  const example = resources === 1 ? first : `first: ${first}`
  return `${show} ${path} as something other than ${expected} (${example}); rules that read it say nothing`
}

/** Fields that every release shows and that items did not, counted while a project's pages pass. */
interface UnseenCounts {
  add(listing: Listing, kind: Kind, resources: Iterable<{ readonly resource: Resource }>): void
  /** Fields that no item of a listing shows. */
  fieldsMissing(listing: Listing): readonly string[]
  /** How many items a listing has shown. */
  itemsOf(listing: Listing): number
  /** One line for each field: how many resources do not show it, and since when. */
  notices(): ProjectNotice[]
}

interface UnseenField {
  missing: number
  /** Of how many an earlier scan showed it. */
  carried: number
  readonly first: string
  since: FieldDoubt | undefined
}

interface ItemCounts {
  readonly listing: Listing
  readonly kind: Kind
  resources: number
  readonly fields: Map<string, UnseenField>
}

function countUnseen(): UnseenCounts {
  const counts = new Map<string, ItemCounts>()
  const countedOf = (listing: Listing, kind: Kind) => {
    const key = `${listing} ${kind}`
    const counted: ItemCounts = counts.get(key) ?? { listing, kind, resources: 0, fields: new Map() }
    counts.set(key, counted)
    return counted
  }
  return {
    add(listing, kind, resources) {
      const counted = countedOf(listing, kind)
      for (const { resource } of resources) {
        counted.resources += 1
        const pointers = new Map(resource.unseen?.map((pointer) => [describeField(kind, pointer).path, pointer]))
        for (const [field, pointer] of pointers) addField(counted.fields, field, resource, pointer)
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
      return inOrder.flatMap((counted) => {
        // What is missing of the same resources since the same run is one thing to say.
        const alike = Map.groupBy(counted.fields, ([, { missing, carried, first, since }]) =>
          JSON.stringify([missing, carried, first, since?.run]),
        )
        return [...alike.values()].flatMap((fields) => {
          const [, unseen] = fields[0] ?? []
          if (unseen === undefined) return []
          const text = textOfUnseen(
            counted,
            fields.map(([field]) => field),
            unseen,
          )
          return { code: 'fields_unseen', listing: counted.listing, text }
        })
      })
    },
  }
}

function addField(
  fields: Map<string, UnseenField>,
  field: string,
  { uid, attributes, doubts }: Resource,
  pointer: string,
): void {
  const unseen = fields.get(field) ?? { missing: 0, carried: 0, first: uid, since: undefined }
  fields.set(field, unseen)
  unseen.missing += 1
  if (valueAt(attributes, pointer) !== undefined) unseen.carried += 1
  const since = doubts?.[field]
  if (since !== undefined && (unseen.since === undefined || since.run < unseen.since.run)) unseen.since = since
}

function textOfUnseen(
  { kind, resources }: ItemCounts,
  fields: readonly string[],
  { missing, carried, first, since }: UnseenField,
): string {
  const isAll = missing === resources
  const [field, them] = [listed(fields), fields.length === 1 ? 'it' : 'them']
  const who = isAll
    ? `none of ${count(resources, kind)} shows ${field}`
    : `${missing} of ${count(resources, kind)} ${missing === 1 ? 'shows' : 'show'} no ${field}`
  const when = describeSince(since)
  const about = isAll ? '' : missing === 1 ? ' about it' : ' about them'
  const carriedText =
    carried === 0
      ? `no value of ${them} is known`
      : `what is known of ${them}${carried === missing ? '' : ` in ${carried} of them`} is older`
  const example = isAll || missing > 1 ? `first: ${first}` : first
  return `${who}${when}: rules that read ${them} say nothing${about}; ${carriedText} (${example})`
}
