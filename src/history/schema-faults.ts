/** A part of a schema, as a backend reads it. */
export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger' | 'constraint' | 'rule' | 'sequence'
  /** Unique among the parts of a schema. */
  readonly name: string
  /** The table or view that it belongs to. */
  readonly table: string
  /** The statement that made it, or what the server says it is. */
  readonly sql: string
}

export interface SchemaFault {
  readonly type: SchemaObject['type']
  readonly fault: 'missing' | 'altered' | 'unknown'
  readonly text: string
}

/** Users may add views, tables and indexes with this prefix. Hookdrift never reads them. */
const ownPrefix = 'my_'

/**
 * How a schema differs from the one that hookdrift makes. Objects with the users' prefix are allowed, but no triggers.
 */
export function schemaFaults(expected: readonly SchemaObject[], actual: readonly SchemaObject[]): SchemaFault[] {
  // Hookdrift makes no trigger, and one may have the name of a view or a table.
  const isTrigger = ({ type }: SchemaObject) => type === 'trigger'
  const there = new Map(actual.filter((object) => !isTrigger(object)).map((object) => [object.name, object]))
  const expectedNames = new Set(expected.map(({ name }) => name))
  const faults = expected.flatMap((object): SchemaFault[] => {
    const actualObject = there.get(object.name)
    const { type, name } = object
    if (actualObject === undefined) return [{ type, fault: 'missing', text: `the ${type} ${name} is missing` }]
    if (isSame(object, actualObject)) return []
    return [{ type, fault: 'altered', text: `the ${type} ${name} is not as hookdrift made it` }]
  })
  const added = actual.filter(
    (object) => isTrigger(object) || !(expectedNames.has(object.name) || object.name.startsWith(ownPrefix)),
  )
  return [
    // A missing table takes its indexes and constraints along.
    ...faults.filter(({ type }) => type === 'table'),
    ...faults.filter(({ type }) => type !== 'table'),
    ...added.map(({ type, name, table }): SchemaFault => {
      const on = type === 'trigger' || type === 'index' ? ` on ${table}` : ''
      return { type, fault: 'unknown', text: `hookdrift did not make the ${type} ${name}${on}` }
    }),
  ]
}

function isSame(a: SchemaObject, b: SchemaObject): boolean {
  return a.type === b.type && a.table === b.table && a.sql === b.sql
}
