import { malformedFields } from '../gateway/inventory/malformed.ts'
import type { NamedVersion } from '../history/history.ts'
import { type Resource, unseenIn } from '../model/resource.ts'

/** A resource as a version has it, with what rules cannot rely on. Nothing that changes by itself is known of it. */
export function asResource(
  { kind, uid }: Pick<Resource, 'kind' | 'uid'>,
  { name, attributes, facts, doubts }: Pick<NamedVersion, 'name' | 'attributes' | 'facts' | 'doubts'>,
): Resource {
  const malformed = malformedFields(kind, attributes)
  const unseen = doubts === undefined ? [] : unseenIn({ attributes, doubts })
  return {
    kind,
    uid,
    name,
    attributes,
    facts,
    volatile: {},
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
    ...(doubts === undefined ? {} : { doubts }),
  }
}
