import { isJsonObject, type JsonObject, objectOf, stepsOf } from '../model/json.ts'

/** The steps of a JSON Pointer; `*` is any member. */
export type FieldPattern = readonly string[]

/** Reads a JSON Pointer such as `/description` or `/secrets/*`; undefined when it is none, or the empty one. */
export function readFieldPattern(text: string): FieldPattern | undefined {
  return text.startsWith('/') ? stepsOf(text) : undefined
}

/** The object without the members that a pattern names, and without all that is in them. */
export function withoutFields(object: JsonObject, patterns: readonly FieldPattern[]): JsonObject {
  if (patterns.length === 0) return object
  return objectOf(
    Object.entries(object).flatMap(([key, value]) => {
      const here = patterns.filter(([step]) => step === '*' || step === key)
      if (here.some((steps) => steps.length === 1)) return []
      const within = here.map((steps) => steps.slice(1))
      return [[key, isJsonObject(value) ? withoutFields(value, within) : value] as const]
    }),
  )
}
