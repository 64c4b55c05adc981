import { describe, expect, it } from 'vitest'
import { type Field, type Members, wireSchema } from '../../src/inventory/wire-schema.ts'
import type { RequestField, RequestFields } from '../../src/repair/request-field.ts'
import { requestFields } from '../../src/repair/request-fields.ts'

/** What differs between the normal form and the table of its requests, as sentences. */
function faults(members: Members, fields: RequestFields, path = ''): string[] {
  const stored = Object.entries(members).filter(
    ([, { presence }]) => presence !== 'reference' && presence !== 'volatile',
  )
  const names = new Set(stored.map(([name]) => name))
  return [
    ...Object.keys(fields).flatMap((name) => (names.has(name) ? [] : [`${path}/${name} is in the table only`])),
    ...stored.flatMap(([name, member]) => faultsOf(member, fields[name], `${path}/${name}`)),
  ]
}

const ways = { struct: ['object', 'collapsed'], keyed: ['list'] } as const

function faultsOf(member: Field, field: RequestField | undefined, path: string): string[] {
  if (field === undefined) return [`${path} is not in the table`]
  if (field.as === 'nothing') return field.because === '' ? [`${path} gives no reason`] : []
  const expected: readonly string[] =
    member.type === 'struct' || member.type === 'keyed' ? ways[member.type] : ['value', 'duration']
  if (!expected.includes(field.as)) return [`${path} is written as ${field.as}`]
  if (member.type === 'struct') {
    if ((member.collapse === true) !== (field.as === 'collapsed')) return [`${path} collapses, or does not`]
    return faults(member.members, field.members ?? {}, path)
  }
  return member.type === 'keyed' ? faults(member.members, field.members ?? {}, `${path}/*`) : []
}

describe('the table of requests', () => {
  it.each(Object.keys(requestFields) as (keyof typeof requestFields)[])('knows every field of a %s', (kind) => {
    expect(faults(wireSchema[kind], requestFields[kind])).toEqual([])
  })

  const text: RequestField = { as: 'value', empty: '' }

  it('is held to the normal form: a field that is missing, or new, is a fault', () => {
    const { name: _, ...others } = requestFields.source
    expect(faults(wireSchema.source, others)).toEqual(['/name is not in the table'])
    expect(faults(wireSchema.source, { ...requestFields.source, colour: text })).toEqual([
      '/colour is in the table only',
    ])
    expect(faults(wireSchema.source, { ...requestFields.source, verifier: text })).toEqual([
      '/verifier is written as value',
    ])
  })
})
