/** What chooses, orders and counts violations, in columns: 36 bytes for each. */
export interface ViolationColumns {
  readonly size: number
  readonly rules: readonly string[]
  readonly projects: readonly string[]
  /** With owners: the first one is the empty text, of those without one. */
  readonly owners: readonly string[]
  /** When violations were first seen, ISO 8601. */
  readonly times: readonly string[]
  /** Indexes into `rules`, `projects`, `owners`, `times`, and into the words of the model. */
  readonly rule: Uint32Array
  readonly project: Uint32Array
  readonly owner: Uint32Array
  readonly time: Uint32Array
  readonly severity: Uint8Array
  readonly state: Uint8Array
  readonly kind: Uint8Array
  /** Whether a waiver covers it: then no due date does. */
  readonly waived: Uint8Array
  /** Equal for the violations of one resource. */
  readonly resource: Uint32Array
  /** By which a violation is found again: its id, and the run of `FoundViolation`. */
  readonly id: Float64Array
  readonly run: Uint32Array
}

type RowColumns = Pick<ViolationColumns, Name>

/** The columns with their rows in another order. */
export function reorderColumns(columns: RowColumns, order: Uint32Array): RowColumns {
  const { rule, project, owner, time, severity, state, kind, waived, resource, id, run } = columns
  const pick = <Column extends Uint8Array | Uint32Array | Float64Array>(column: Column): Column =>
    column.map((_, at) => column[order[at] ?? 0] ?? 0) as Column // map forgets which of them
  return {
    ...{ rule: pick(rule), project: pick(project), owner: pick(owner), time: pick(time), severity: pick(severity) },
    ...{ state: pick(state), kind: pick(kind), waived: pick(waived), resource: pick(resource) },
    ...{ id: pick(id), run: pick(run) },
  }
}

const widths = {
  ...{ id: Float64Array, run: Uint32Array, project: Uint32Array, resource: Uint32Array, rule: Uint32Array },
  ...{ owner: Uint32Array, time: Uint32Array, severity: Uint8Array, state: Uint8Array, kind: Uint8Array },
  waived: Uint8Array,
} as const
type Name = keyof typeof widths
export type Columns = { readonly [Column in Name]: InstanceType<(typeof widths)[Column]> }

const columnNames = Object.keys(widths) as Name[] // keys are what the type says

/** Columns that grow by half when they are full. */
export function startColumns() {
  let room = 1024
  let size = 0
  const make = (length: number): Columns =>
    // The entries are those of `widths`.
    Object.fromEntries(columnNames.map((name) => [name, new widths[name](length)])) as unknown as Columns
  let columns = make(room)
  const move = (length: number, count: number) => {
    const moved = make(length)
    for (const name of columnNames) moved[name].set(columns[name].subarray(0, count))
    return moved
  }
  return {
    add(row: Readonly<Record<Name, number>>): void {
      if (size === room) {
        room = Math.ceil(room * 1.5)
        columns = move(room, size)
      }
      for (const name of columnNames) columns[name][size] = row[name]
      size++
    },
    conclude: () => ({ ...move(size, size), size }),
  }
}
