import { isJsonObject, type Json, pointerStep, stepsOf } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { objectOf } from './objects.ts'
import { reseal } from './reseal.ts'
import { resealText } from './reseal-text.ts'
import type { Sealer } from './sealer.ts'

/** A value within a resource, and its JSON Pointer. */
export interface Part {
  readonly path: string
  readonly value: Json
}

/** Brings one value to today's form, as `reseal` does. A sealed name of a member changes the pointer. */
export function resealPart(kind: Kind, { path, value }: Part, sealer: Sealer): Part {
  const steps = stepsOf(path)
  const around = steps.reduceRight<Json>((inner, step) => objectOf([[step, inner]]), value)
  // The policy is not a resource of a service, and a change of a whole resource has no value.
  if (kind === 'policy' || steps.length === 0 || !isJsonObject(around)) return { path, value }
  let here: Json = reseal(kind, around, sealer)
  let at = ''
  for (const _ of steps) {
    const [member]: readonly [string, Json][] = isJsonObject(here) ? Object.entries(here) : []
    // The object is sealed whole, with all its contents.
    if (member === undefined) break
    at += `/${pointerStep(member[0])}`
    here = member[1]
  }
  return { path: at, value: here }
}

/** Brings the name of a resource to today's form, as it is among its attributes. */
export function resealName(kind: Kind, name: string, sealer: Sealer): string {
  if (kind === 'policy') return resealText(name, sealer)
  const path = kind === 'device' ? '/host_name' : kind === 'probe' ? '/probe' : '/name'
  const { value } = resealPart(kind, { path, value: name }, sealer)
  return typeof value === 'string' ? value : name
}
