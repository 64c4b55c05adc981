import { displayText, type ExactNumber, escapeText, isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep, setProperty } from '../../model/json.ts'

/** What the history does not have, by the name of the variable that a person sets. */
export interface Placeholder {
  /** Letters, digits and `_`. */
  readonly name: string
}

/**
 * A text in pieces: what is known, and placeholders. The pieces are kept apart until they are written, because a text of
 * the service may spell anything, also a placeholder.
 */
export type Pieces = readonly (string | Placeholder)[]

/** A value of the body of a request. */
export type BodyValue =
  | { readonly type: 'text'; readonly pieces: Pieces }
  | { readonly type: 'scalar'; readonly value: number | boolean | null | ExactNumber }
  | { readonly type: 'list'; readonly items: readonly BodyValue[] }
  | BodyObject

export interface BodyObject {
  readonly type: 'object'
  readonly members: readonly BodyMember[]
}

interface BodyMember {
  readonly name: Pieces
  readonly value: BodyValue
}

/** A body with the pieces of each of its texts and names. `read` is asked once for each, in the order of the body. */
export function bodyOf(object: JsonObject, read: ReadPieces, path = ''): BodyObject {
  const members = Object.entries(object).map(([key, member]) => {
    const name = read(key, path, 'name')
    return { name, value: bodyValue(member, read, `${path}/${pointerStep(spell(name))}`) }
  })
  return { type: 'object', members }
}

/** Splits a text of a body. The path is that of the value, or of the object that has the name. */
export type ReadPieces = (text: string, path: string, is: 'value' | 'name') => Pieces

function bodyValue(value: Json, read: ReadPieces, path: string): BodyValue {
  if (typeof value === 'string') {
    if (isExactNumber(value)) return { type: 'scalar', value }
    return { type: 'text', pieces: read(displayText(value), path, 'value') }
  }
  if (isJsonObject(value)) return bodyOf(value, read, path)
  if (typeof value !== 'object' || value === null) return { type: 'scalar', value }
  return { type: 'list', items: value.map((item: Json, at: number) => bodyValue(item, read, `${path}/${at}`)) }
}

/** The same object with a member that is one placeholder: in place of that of the same name, else at the end. */
export function withPlaceholder({ members }: BodyObject, name: string, placeholder: Placeholder): BodyObject {
  const member: BodyMember = { name: [name], value: { type: 'text', pieces: [placeholder] } }
  const isSame = (one: BodyMember) => one.name.length === 1 && one.name[0] === name
  if (!members.some(isSame)) return { type: 'object', members: [...members, member] }
  return { type: 'object', members: members.map((one) => (isSame(one) ? member : one)) }
}

/** A placeholder in a body, where it is. */
export interface BodyPlaceholder extends Placeholder {
  /** JSON Pointer, as `spellBody` writes the body, to the value that is or contains it, or whose name does. */
  readonly path: string
  readonly is: 'value' | 'name'
}

/** The placeholders of a body in its order: each once for each value and each name that has it. */
export function placeholdersIn(value: BodyValue, path = ''): readonly BodyPlaceholder[] {
  switch (value.type) {
    case 'scalar':
      return []
    case 'text':
      return namesIn(value.pieces).map((name) => ({ name, path, is: 'value' }))
    case 'list':
      return value.items.flatMap((item, at) => placeholdersIn(item, `${path}/${at}`))
    case 'object':
      return value.members.flatMap((member) => {
        const here = `${path}/${pointerStep(spell(member.name))}`
        const inName = namesIn(member.name).map((name) => ({ name, path: here, is: 'name' }) as const)
        return [...inName, ...placeholdersIn(member.value, here)]
      })
  }
}

function namesIn(pieces: Pieces): readonly string[] {
  return [...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])))]
}

/** A text for readers, with `${NAME}` for each placeholder. What it says where is not to be read back from it. */
export function spell(pieces: Pieces): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : reference(piece))).join('')
}

/** A body as JSON for readers, in the form of the inventory: exact numbers are marked. */
export function spellBody({ members }: BodyObject): JsonObject {
  const object: Record<string, Json> = {}
  for (const { name, value } of members) setProperty(object, spell(name), spellValue(value))
  return object
}

function spellValue(value: BodyValue): Json {
  switch (value.type) {
    case 'scalar':
      return value.value
    case 'text':
      return escapeText(spell(value.pieces))
    case 'list':
      return value.items.map(spellValue)
    case 'object':
      return spellBody(value)
  }
}

/** How answers spell a placeholder. */
export function reference({ name }: Placeholder): string {
  return `\${${name}}`
}
