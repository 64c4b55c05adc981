import { isExactNumber, nearestDouble } from '../model/exact-number.ts'
import { isEmpty, isJsonObject, type Json, type JsonObject, pointerStep } from '../model/json.ts'
import { isKnownId } from '../secrets/known-forms.ts'
import type { Normalising } from './normalising.ts'
import { isNormalTime } from './scalars.ts'
import { keepsName, normaliseExtra } from './seal-json.ts'
import { sealCredentials, sealProse, sealUrl } from './seal-text.ts'
import type { Sealer } from './sealer.ts'
import type { Field, Members } from './wire-schema.ts'

/** Normalises objects that all show the same members in the same order. */
export type NormaliseAlike = (raw: JsonObject, path: string, job: Normalising) => JsonObject

/** The generic way: normalises a field with any value, and says where it breaks the contract. */
export type NormaliseField = (
  field: Field,
  raw: Json,
  path: string,
  key: string,
  pointer: string,
  job: Normalising,
) => Json

/** What objects with one set of members show. More different ones are rare, and hostile. */
const mostKept = 32
const mostNames = 128
/** Characters. */
const longestName = 64
const seenBefore = new WeakMap<Members, Seen[]>()

interface Seen {
  /** The members that an object shows. */
  readonly names: readonly string[]
  normalise?: NormaliseAlike
}

/**
 * The function for objects like this one, made once, because a service fills the same members of every item. It answers
 * for the usual value of a leaf by what is quick to see, and leaves any other to `normaliseField`. Not for stubs, whose
 * empty members mean nothing. undefined for an object that has to be normalised member by member: an odd one, and the
 * first of its kind, so that a service cannot have a function made for every object.
 */
export function normaliserFor(
  members: Members,
  raw: JsonObject,
  isGuarded: boolean,
  normaliseField: NormaliseField,
): NormaliseAlike | undefined {
  let kept = seenBefore.get(members)
  if (kept === undefined) {
    kept = []
    seenBefore.set(members, kept)
  }
  for (const seen of kept) {
    if (!shows(raw, seen.names)) continue
    if (seen.normalise !== undefined) return seen.normalise
    const steps = stepsFor(members, seen.names, isGuarded)
    if (steps !== undefined) seen.normalise = make(steps, isGuarded, normaliseField)
    return seen.normalise
  }
  const names = Object.keys(raw)
  if (names.length > mostNames || names.some(({ length }) => length > longestName)) return undefined
  if (kept.length === mostKept) kept.length = 0
  kept.push({ names })
  return undefined
}

function shows(raw: JsonObject, names: readonly string[]): boolean {
  let at = 0
  for (const name in raw) {
    if (name !== names[at]) return false
    at++
  }
  return at === names.length
}

/** A member of the normal form, or a volatile one. */
interface Step {
  readonly name: string
  /** Whether the object shows it: an optional member that is not shown is null. */
  readonly isShown: boolean
  /** undefined for a member that the contract does not have. */
  readonly field: Field | undefined
}

/** In canonical order. */
function stepsFor(members: Members, names: readonly string[], isGuarded: boolean): readonly Step[] | undefined {
  const unknown = names.filter((name) => !Object.hasOwn(members, name))
  if (!unknown.every((name) => isOrdinaryName(name, isGuarded))) return undefined
  const fields = [...Object.entries(members), ...unknown.map((name) => [name, undefined] as const)]
  const steps: Step[] = []
  for (const [name, field] of fields.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isShown = names.includes(name)
    if (field?.presence === 'reference' || (!isShown && field?.presence !== 'optional')) continue
    steps.push({ name, isShown, field })
  }
  return steps
}

/** Whether an unknown member has a name that stays, and that an object keeps at its place. Not so `__proto__`. */
function isOrdinaryName(name: string, isGuarded: boolean): boolean {
  return /^[A-Za-z]/.test(name) && keepsName(name, isGuarded)
}

/**
 * Writes the function as program text, because only an object literal gives the engine all members at once: a loop that
 * adds one after the other gains nothing over the generic way. The text is safe: all that a service has in it are names
 * of members, each as a JSON text, which is a literal; no value is ever in it.
 */
function make(steps: readonly Step[], isGuarded: boolean, normaliseField: NormaliseField): NormaliseAlike {
  const statements: string[] = []
  const members: string[] = []
  for (const [at, { name, isShown, field }] of steps.entries()) {
    const key = JSON.stringify(name)
    if (isShown) statements.push(`const value${at} = member${at}(raw[${key}], path, job)`)
    if (field?.presence === 'volatile') statements.push(`noteVolatile(${key}, value${at}, path, job)`)
    else members.push(`${key}: ${isShown ? `value${at}` : 'null'}`)
  }
  const text = `return (raw, path, job) => {\n${statements.join('\n')}\nreturn { ${members.join(', ')} }\n}`
  const parameters = steps.map((_, at) => `member${at}`)
  const functions = steps.map((step) => memberNormaliser(step, isGuarded, normaliseField))
  return new Function('noteVolatile', ...parameters, text)(noteVolatile, ...functions)
}

/** Rules calculate with it; it is never compared. */
export function noteVolatile(name: string, value: Json, path: string, job: Normalising): void {
  if (path === '') job.volatile[name] = nearestDouble(value)
}

type NormaliseMember = (value: Json, path: string, job: Normalising) => Json

function memberNormaliser({ name, field }: Step, isGuarded: boolean, normaliseField: NormaliseField): NormaliseMember {
  if (field === undefined) return (value, _, job) => normaliseExtra(value, name, isGuarded, job.sealer)
  const pointer = `/${pointerStep(name)}`
  const anyOther: NormaliseMember = (value, path, job) => normaliseField(field, value, path, name, pointer, job)
  switch (field.type) {
    case 'flag':
      return (value, path, job) => (value === null || typeof value === 'boolean' ? value : anyOther(value, path, job))
    case 'seconds':
      return (value, path, job) => (value === null || typeof value === 'number' ? value : anyOther(value, path, job))
    case 'integer':
      return (value, path, job) => (value === null || Number.isSafeInteger(value) ? value : anyOther(value, path, job))
    case 'time':
      return (value, path, job) => (value === null || isUsualTime(value) ? value : anyOther(value, path, job))
    case 'word':
      return (value, path, job) => (isOneOf(field.values, value) ? value : anyOther(value, path, job))
    case 'text':
      return (value, path, job) => {
        if (typeof value !== 'string' || !isOrdinaryText(value)) return anyOther(value, path, job)
        return isKnownId(value) ? value : sealCredentials(value, job.sealer)
      }
    case 'prose':
      return sealing(sealProse, anyOther)
    case 'url':
      return sealing(sealUrl, anyOther)
    // Most filters ask nothing.
    case 'free':
      return (value, path, job) => (isEmptyObject(value) ? value : anyOther(value, path, job))
    default:
      return anyOther
  }
}

function sealing(seal: (text: string, sealer: Sealer) => string, anyOther: NormaliseMember): NormaliseMember {
  return (value, path, job) =>
    typeof value === 'string' && isOrdinaryText(value) ? seal(value, job.sealer) : anyOther(value, path, job)
}

function isUsualTime(value: Json): boolean {
  return typeof value === 'string' && isNormalTime(value)
}

function isOneOf(values: readonly string[] | undefined, value: Json): boolean {
  return values !== undefined && typeof value === 'string' && values.includes(value)
}

function isEmptyObject(value: Json): boolean {
  return isJsonObject(value) && isEmpty(value)
}

/** A text that is not empty, and passes neither for a seal nor for a number. */
function isOrdinaryText(text: string): boolean {
  return text !== '' && !text.includes('sealed:') && !isExactNumber(text)
}
