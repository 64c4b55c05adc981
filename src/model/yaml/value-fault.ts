import { type core, superRefine } from 'zod'
import type { NodePath } from './node-values.ts'

/** What a check of a schema finds wrong, in a sentence of its own. Paths begin at the value that is checked. */
export interface ValueFault {
  readonly path: NodePath
  readonly where?: 'key' | 'value'
  /** UTF-16 units into the decoded text at the path, for a fault within it. */
  readonly offset?: number
  /** The sentence; undefined where the way it is written in the file makes the value right. */
  readonly say: (file: CheckedText) => string | undefined
  /** Whether the fault may be due to a part of the file, by its path there, that was left out as faulty itself. */
  readonly mayBeDueTo?: (omittedPath: NodePath) => boolean
}

/** The file around a value that is checked, for sentences that name other lines of it. */
export interface CheckedText {
  /** Where a value begins, or its nearest parent in the file. */
  at(path: NodePath): { readonly file: string; readonly line: number; readonly column: number }
  /** A text as written, with references unexpanded; undefined if it is not a text or not in the file. */
  written(path: NodePath): string | undefined
}

/**
 * A check of a schema for what its members cannot say: faults across values, in sentences of their own. It runs when all
 * values have the right shape, and its faults do not keep other checks from running.
 */
export function checkFaults<Value>(find: (value: Value) => Iterable<ValueFault>): core.$ZodCheck<Value> {
  return superRefine<Value>(
    (value, context) => {
      for (const fault of find(value)) {
        // Without a message, one would be worked out.
        context.addIssue({ code: 'custom', message: 'a fault', path: [...fault.path], params: { fault } })
      }
    },
    { when: ({ issues }) => issues.every((issue) => faultOf(issue) !== undefined) },
  )
}

/** The fault that an issue was made of, if it was. */
export function faultOf({ code, params }: Pick<core.$ZodRawIssue, 'code' | 'params'>): ValueFault | undefined {
  // as: only `checkFaults` gives issues this parameter.
  return code === 'custom' ? (params as { readonly fault?: ValueFault } | undefined)?.fault : undefined
}

/** Something with a name that nothing else may have. */
interface NamedPart {
  readonly name: string
  /** Of the name. */
  readonly path: NodePath
  /** Of what has the name. */
  readonly owner: NodePath
}

/** Finds names that are there a second time. `say`: with the line of the first owner. */
export function* findRepeats(
  parts: Iterable<NamedPart>,
  say: (name: string, line: number) => string,
): Generator<ValueFault> {
  const owners = new Map<string, NodePath>()
  for (const { name, path, owner } of parts) {
    const first = owners.get(name)
    if (first === undefined) owners.set(name, owner)
    else yield { path, say: ({ at }) => say(name, at(first).line) }
  }
}
