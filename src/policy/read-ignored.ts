import type { Field, Members } from '../inventory/field.ts'
import { wireSchema } from '../inventory/wire-schema.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { IgnoredPath } from './ignored-paths.ts'

/** The ignored paths of a policy file with their places, and those that no kind has. */
export function readIgnored(
  { value, problem }: ReadDocument<{ readonly ignore: readonly string[] }>,
  placeOf: (path: NodePath) => string,
): { readonly ignored: readonly IgnoredPath[]; readonly problems: readonly FileProblem[] } {
  const ignored = value.ignore.map((path, index) => ({ path, at: placeOf(['ignore', index]) }))
  const problems = value.ignore.flatMap((path, index) => {
    const refusal = refuseIgnoredPath(path)
    return refusal === undefined ? [] : [problem(['ignore', index], refusal)]
  })
  return { ignored, problems }
}

/** What is wrong with a path: no field that is compared has it. undefined: nothing. */
export function refuseIgnoredPath(path: string): string | undefined {
  const steps = path.split('/').slice(1)
  let nodes: readonly (Field | undefined)[] = Object.entries(wireSchema)
    .filter(([kind]) => kind !== 'probe' && kind !== 'policy')
    .map(([, members]) => ({ type: 'struct', members }) satisfies Field)
  for (const [at, step] of steps.entries()) {
    const next = nodes.flatMap((node) => below(node, step))
    if (next.length === 0) {
      const known = [...new Set(nodes.flatMap((node) => (node?.type === 'struct' ? Object.keys(node.members) : [])))]
      const nearest = nearestName(step, known)
      const meant = ['', ...steps.slice(0, at), nearest, ...steps.slice(at + 1)].join('/')
      const hint = nearest === undefined ? hintOf(known, steps.slice(0, at)) : `did you mean \`${meant}\`?`
      return `no kind has the field ${describeReference(path)}, ${hint}`
    }
    nodes = next
  }
  const isCompared = nodes.some((node) => node?.presence !== 'volatile' && node?.presence !== 'reference')
  return isCompared ? undefined : `${describeReference(path)} changes by itself and is never compared: leave it out`
}

/** Fields below a field; `undefined` in the list: anything may be there. */
function below(node: Field | undefined, step: string): readonly (Field | undefined)[] {
  if (node === undefined || node.type === 'free') return [undefined]
  // Each thing by its uid.
  if (node.type === 'keyed') return [{ type: 'struct', members: node.members }]
  if (node.type !== 'struct') return []
  return step === '*' ? Object.values(node.members) : memberOf(node.members, step)
}

function memberOf(members: Members, name: string): readonly Field[] {
  const field = Object.hasOwn(members, name) ? members[name] : undefined
  return field === undefined ? [] : [field]
}

function hintOf(known: readonly string[], above: readonly string[]): string {
  if (known.length === 0) return `\`/${above.join('/')}\` has no fields of its own`
  return above.length === 0 ? '`hookdrift docs policy-fields` lists them' : `expected one of ${known.join(', ')}`
}
