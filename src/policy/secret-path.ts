import type { Field, Members } from '../inventory/field.ts'
import { wireSchema } from '../inventory/wire-schema.ts'

/** Whether a path leads to a secret in a resource of any kind: its value is a seal, never the secret. */
export function isSecretPath(pointer: string): boolean {
  const steps = pointer.split('/').slice(1)
  return Object.values(wireSchema).some((members) => fieldAt(members, steps)?.type === 'secret')
}

function fieldAt(members: Members, [step = '', ...rest]: readonly string[]): Field | undefined {
  const field = Object.hasOwn(members, step) ? members[step] : undefined
  if (field === undefined || rest.length === 0) return field
  if (field.type === 'struct') return fieldAt(field.members, rest)
  // Keyed by the uid of each thing.
  return field.type === 'keyed' && rest.length > 1 ? fieldAt(field.members, rest.slice(1)) : undefined
}
