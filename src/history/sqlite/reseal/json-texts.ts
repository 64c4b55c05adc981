import { isJsonObject, type Json } from '../../../model/json.ts'

/** All texts in a JSON text, including names of members; the whole text where it is not JSON. */
export function textsWithin(json: string): readonly string[] {
  if (json === '') return []
  try {
    return [...textsOf(JSON.parse(json))]
  } catch {
    return [json]
  }
}

function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item)
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield name
      yield* textsOf(member)
    }
  }
}

/** Changes every text in a value, except names of members. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]))
}
