import { hash } from 'node:crypto'
import { canonicalJson } from '../model/canonical-json.ts'
import { isWithinPointer, type Json, type JsonObject, pointersOverlap, valueAt } from '../model/json.ts'
import { builtInRule } from './rules.ts'

// What a person accepts with a violation: the value at its pointer, and what its rule compares with it.

/**
 * What a finding is accepted with, as JSON Pointers into the attributes of its resource; the empty one is all of them,
 * which a rule of a policy file reads that names no field. None: the finding is accepted as it is.
 */
export function acceptedPaths({ rule, path }: { readonly rule: string; readonly path: string }): readonly string[] {
  const besides = builtInRule(rule)?.acceptedWith ?? []
  if (besides === 'nothing') return []
  // What is found in the declared filter stays the same finding when rows are read for the first time.
  return [path, ...besides.filter((other) => other !== '/filters' || isWithinPointer(path, '/filters'))]
}

/**
 * The digest of what a finding is accepted with; null where that is nothing. `attributes`: in the normal form, with
 * secrets sealed under a key, so a plain digest gives no guess at a secret away.
 */
export function acceptedDigest(
  attributes: JsonObject,
  finding: { readonly rule: string; readonly path: string },
): string | null {
  const paths = acceptedPaths(finding)
  if (paths.length === 0) return null
  const values = paths.flatMap((path): [string, Json][] => {
    const value = valueAt(attributes, path)
    return value === undefined ? [] : [[path, value]]
  })
  return hash('sha256', canonicalJson(['hookdrift.accepted/1', ...values]))
}

/** Whether a change of a field, with all below it, may be one of a value at some pointers. */
export function touches(paths: readonly string[], field: string): boolean {
  return paths.some((path) => pointersOverlap(field, path))
}
