import { findSeals } from '../inventory/diff-counterparts.ts'
import type { FieldChange } from '../model/change.ts'
import type { Kind } from '../model/resource.ts'
import { quote } from '../text/neutralise.ts'
import { type ComparedRow, toRow } from './compared-row.ts'
import type { ComparedSide, SidedResource } from './compared-side.ts'

const mostNamed = 20

/** Resources of A with a secret that B has too, in any resource: who learns it in one project has it in the other. */
export function findSharedSecrets(a: ComparedSide, b: ComparedSide, kinds: readonly Kind[]): ComparedRow[] {
  const inB = new Map<string, SidedResource[]>()
  for (const resource of among(b, kinds)) {
    for (const { seal } of findSeals(resource.kind, resource.attributes)) {
      const key = keyOf(resource, seal)
      const withSeal = inB.get(key)
      if (withSeal === undefined) inB.set(key, [resource])
      else withSeal.push(resource)
    }
  }
  return among(a, kinds).flatMap((resource) => {
    const fields: FieldChange[] = []
    const sharers = new Set<SidedResource>()
    for (const { path, seal } of findSeals(resource.kind, resource.attributes)) {
      const withSeal = inB.get(keyOf(resource, seal))
      const sharer = withSeal?.find(({ key }) => key === resource.key) ?? withSeal?.[0]
      if (sharer === undefined) continue
      sharers.add(sharer)
      fields.push({ path, before: seal, after: seal })
    }
    const [first] = sharers
    if (first === undefined) return []
    const named = [...sharers]
      .slice(0, mostNamed)
      .map(({ kind, uid, name }) => `${kind} ${name === '' ? uid : quote(name)}`)
    const omitted = sharers.size - named.length
    const where = `${named.join(', ')}${omitted === 0 ? '' : ` and ${omitted} more`}`
    const reason = `${b.project.name} has ${sharers.size === 1 ? 'it' : 'them'} in ${where}`
    return [toRow(a, resource, { other_uid: first.uid, change: 'same_secret', reason, fields })]
  })
}

function among({ resources }: ComparedSide, kinds: readonly Kind[]): readonly SidedResource[] {
  return resources.filter(({ kind }) => kinds.includes(kind))
}

/** Seals of different installation keys say nothing about each other. */
function keyOf({ sealKeyId }: SidedResource, seal: string): string {
  return `${sealKeyId} ${seal}`
}
