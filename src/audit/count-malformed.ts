import { type DescribedField, describeField } from '../inventory/describe-field.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { type Kind, type Listing, listings, type Resource } from '../model/resource.ts'

/** Fields of a wrong type, counted while a project's pages pass. */
export interface MalformedCounts {
  add(listing: Listing, resources: Iterable<{ readonly resource: Resource }>): void
  /** One line for each field: what it is, how many resources show it so, and one of them. */
  notices(): ProjectNotice[]
}

export function countMalformed(): MalformedCounts {
  const counts = new Map<string, Counted>()
  return {
    add(listing, resources) {
      for (const { resource } of resources) {
        if (resource.malformed === undefined) continue
        const fields = resource.malformed.map((pointer) => describeField(resource.kind, pointer))
        for (const { path, expected } of new Map(fields.map((field) => [field.path, field])).values()) {
          const { kind, uid } = resource
          const key = `${listing} ${kind} ${path}`
          const known = counts.get(key)
          if (known !== undefined) known.resources++
          else counts.set(key, { listing, kind, path, expected, first: uid, resources: 1 })
        }
      }
    },
    notices() {
      const inOrder = [...counts.values()].sort((a, b) => listings.indexOf(a.listing) - listings.indexOf(b.listing))
      return inOrder.map((counted) => ({
        code: 'field_malformed',
        listing: counted.listing,
        text: textOf(counted),
      }))
    },
  }
}

interface Counted extends DescribedField {
  readonly listing: Listing
  readonly kind: Kind
  readonly first: string
  resources: number
}

function textOf({ kind, path, expected, first, resources }: Counted): string {
  const show = resources === 1 ? `1 ${kind} shows` : `${resources} ${kind}s show`
  const example = resources === 1 ? first : `first: ${first}`
  return `${show} ${path} as something other than ${expected} (${example}); rules that read it say nothing`
}
