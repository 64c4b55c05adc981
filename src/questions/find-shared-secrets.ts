import { findSeals } from '../inventory/find-seals.ts'
import type { FieldChange } from '../model/change.ts'
import type { Kind } from '../model/resource.ts'
import { quote } from '../text/neutralise.ts'
import { type ComparedRow, toRow } from './compared-row.ts'
import type { ComparedSide, SidedResource } from './compared-side.ts'

/** Resources of A with a secret that B has too, in any resource: who learns it in one project has it in the other. */
export function findSharedSecrets(a: ComparedSide, b: ComparedSide, kinds: readonly Kind[]): ComparedRow[] {
  const inB = new Map<string, SidedResource[]>()
  for (const resource of among(b, kinds)) {
    for (const { seal } of findSeals(resource.kind, resource.attributes)) {
      const key = keyOf(resource, seal)
      const found = inB.get(key)
      if (found === undefined) inB.set(key, [resource])
      else found.push(resource)
    }
  }
  return among(a, kinds).flatMap((resource) => {
    const fields: FieldChange[] = []
    let other: SidedResource | undefined
    for (const { path, seal } of findSeals(resource.kind, resource.attributes)) {
      const found = inB.get(keyOf(resource, seal))
      if (found === undefined) continue
      other ??= found.find(({ key }) => key === resource.key) ?? found[0]
      fields.push({ path, before: seal, after: seal })
    }
    if (other === undefined) return []
    const reason = `${b.project.name} has it in ${other.kind} ${other.name === '' ? other.uid : quote(other.name)}`
    return [toRow(a, resource, { other_uid: other.uid, change: 'same_secret', reason, fields })]
  })
}

function among({ resources }: ComparedSide, kinds: readonly Kind[]): readonly SidedResource[] {
  return resources.filter(({ kind }) => kinds.includes(kind))
}

/** Seals of different installation keys say nothing about each other. */
function keyOf({ sealKeyId }: SidedResource, seal: string): string {
  return `${sealKeyId} ${seal}`
}
