import type { Field, Members } from '../inventory/field.ts'
import { wireSchema } from '../inventory/wire-schema.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeName } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { PolicyTest } from './policy-test-schema.ts'

interface UnknownField {
  /** Its place among the resources of the test. */
  readonly resource: number
  readonly path: NodePath
  readonly text: string
}

/** By which a test names neighbours; the service shows them embedded. */
const neighbours = ['endpoint_uid', 'source_uid', 'device_uid']

/** Members of a test's resources that a service never shows: a test with such a slip would test something else. */
export function* findUnknownFields({ resources }: PolicyTest): Generator<UnknownField> {
  for (const [index, { kind, ...fields }] of resources.entries()) {
    const more = kind === 'subscription' ? neighbours : []
    for (const { path, known } of unknownIn(fields, wireSchema[kind], ['uid', ...more])) {
      const name = String(path.at(-1))
      const nearest = nearestName(name, known)
      const hint = nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean \`${nearest}\`?`
      const owner =
        path.length === 1
          ? kind
          : path
              .filter((step) => typeof step === 'string')
              .slice(0, -1)
              .join('.')
      yield { resource: index, path, text: `there is no field ${describeName(name)} of ${owner}, ${hint}` }
    }
  }
}

function* unknownIn(
  value: object,
  members: Members,
  more: readonly string[],
): Generator<{ readonly path: NodePath; readonly known: readonly string[] }> {
  for (const [name, member] of Object.entries(value)) {
    const field: Field | undefined = Object.hasOwn(members, name) ? members[name] : undefined
    if (field === undefined) {
      if (!more.includes(name)) yield { path: [name], known: [...new Set([...Object.keys(members), ...more])] }
      continue
    }
    if (field.type !== 'struct' && field.type !== 'keyed') continue
    const isList = Array.isArray(member)
    for (const [at, object] of (isList ? member : [member]).entries()) {
      if (typeof object !== 'object' || object === null) continue
      for (const { path, known } of unknownIn(object, field.members, field.type === 'keyed' ? ['uid'] : [])) {
        yield { path: [name, ...(isList ? [at] : []), ...path], known }
      }
    }
  }
}
