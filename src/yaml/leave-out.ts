import type { NodePath } from './node-values.ts'

/** A value without its faulty parts. */
export interface Reduced {
  readonly value: unknown
  /** The path in the file of a path in the value: entries that were left out make the others move up. */
  original(path: NodePath): NodePath
}

/**
 * Leaves parts out of a value. A part that is not there is missing: then its parent goes. Paths are those of the file.
 * Returns undefined where nothing would be left.
 */
export function leaveOut(value: unknown, paths: readonly NodePath[]): Reduced | undefined {
  const root = treeOf(paths.map((path) => nearestThere(value, path)))
  if (root.isOut) return undefined
  const moved = new Map<string, readonly number[]>()
  const reduced = reduce(value, root, [], moved)
  return {
    value: reduced,
    original(path) {
      const found: (string | number)[] = []
      for (const [at, step] of path.entries()) {
        const kept = typeof step === 'number' ? moved.get(JSON.stringify(path.slice(0, at))) : undefined
        found.push(typeof step === 'number' ? (kept?.[step] ?? step) : step)
      }
      return found
    },
  }
}

interface Tree {
  isOut: boolean
  readonly below: Map<string | number, Tree>
}

function treeOf(paths: readonly NodePath[]): Tree {
  const root: Tree = { isOut: false, below: new Map() }
  for (const path of paths) {
    let tree = root
    for (const step of path) {
      const next = tree.below.get(step) ?? { isOut: false, below: new Map() }
      tree.below.set(step, next)
      tree = next
    }
    tree.isOut = true
  }
  return root
}

/** The path itself, or that of the object in which its end is missing. */
function nearestThere(value: unknown, path: NodePath): NodePath {
  let here = value
  for (const [at, step] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return path.slice(0, at)
    here = Object.getOwnPropertyDescriptor(here, step)?.value
  }
  return path
}

function reduce(value: unknown, tree: Tree, path: NodePath, moved: Map<string, readonly number[]>): unknown {
  if (tree.below.size === 0 || typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => childOf(tree, name, value)?.isOut !== true)
  if (Array.isArray(value))
    moved.set(
      JSON.stringify(path),
      kept.map(([index]) => Number(index)),
    )
  const members = kept.map(([name, member], place) => {
    const child = childOf(tree, name, value)
    const step = Array.isArray(value) ? place : name
    return [name, child === undefined ? member : reduce(member, child, [...path, step], moved)] as const
  })
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

function childOf({ below }: Tree, name: string, owner: object): Tree | undefined {
  return below.get(Array.isArray(owner) ? Number(name) : name)
}
