import type { core } from 'zod'

/**
 * What a schema expects, in words that follow "expected". The `error` of a schema or of one of its checks is used as
 * those words, so a schema with a pattern says `z.string().regex(…, { error: 'a duration such as 5s' })`.
 */
export function expectationOf(schema: core.SomeType): string {
  // zod's union of its own schemas, distinguished by `def.type`; SomeType is its wider public name.
  const { def } = (schema as core.$ZodTypes)._zod
  const own = [def, ...checksOf(def)].map(ownWords).find((words) => words !== undefined)
  if (own !== undefined) return own
  switch (def.type) {
    case 'string':
      return isFilled(def) ? 'text that is not empty' : 'text'
    case 'number':
      return `${isWhole(def) ? 'a whole number' : 'a number'}${rangeOf(def)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'nothing'
    case 'enum':
      return oneOf(Object.values(def.entries))
    case 'literal':
      return oneOf(def.values)
    case 'array':
      return isFilled(def) ? 'a list that is not empty' : 'a list'
    case 'object':
    case 'record':
      return 'a mapping'
    case 'union':
      return [...new Set(def.options.map(expectationOf))].join(', or ')
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return expectationOf(def.innerType)
    case 'pipe':
      return expectationOf(def.in._zod.def.type === 'transform' ? def.out : def.in)
    case 'lazy':
      return expectationOf(def.getter())
    default:
      return 'another value'
  }
}

/** `` `a`, `b` or `c` `` */
export function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => `\`${String(value)}\``)
  const last = quoted.pop() ?? 'nothing'
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

/** These words don't depend on an issue, so none is passed. */
function ownWords({ error }: { error?: unknown }): string | undefined {
  const words: unknown = typeof error === 'function' ? error({}) : undefined
  return typeof words === 'string' ? words : undefined
}

function isFilled(def: core.$ZodTypeDef): boolean {
  return checksOf(def).some(
    (check) => (check.check === 'min_length' || check.check === 'length_equals') && atLeast(check) > 0,
  )
}

function isWhole(def: core.$ZodNumberDef): boolean {
  const formats = checksOf(def).flatMap((check) => (check.check === 'number_format' ? [check.format] : []))
  return [...formats, 'format' in def ? String(def.format) : ''].some((format) => format.includes('int'))
}

/** An exclusive bound of a whole number is written as the next number. */
function rangeOf(def: core.$ZodNumberDef): string {
  const step = isWhole(def) ? 1 : 0
  let least: ValueBound | undefined
  let most: ValueBound | undefined
  for (const check of checksOf(def)) {
    if (check.check !== 'greater_than' && check.check !== 'less_than') continue
    const isLower = check.check === 'greater_than'
    const shift = check.inclusive ? 0 : step
    const bound = { value: Number(check.value) + (isLower ? shift : -shift), isOpen: !check.inclusive && step === 0 }
    if (isLower) least = bound
    else most = bound
  }
  if (least !== undefined && most !== undefined && !least.isOpen && !most.isOpen) {
    return ` from ${least.value} to ${most.value}`
  }
  const lower = least === undefined ? [] : [`${least.isOpen ? 'above' : 'of at least'} ${least.value}`]
  const upper = most === undefined ? [] : [`${most.isOpen ? 'below' : 'of at most'} ${most.value}`]
  return [...lower, ...upper].length === 0 ? '' : ` ${[...lower, ...upper].join(' and ')}`
}

interface ValueBound {
  readonly value: number
  readonly isOpen: boolean
}

function atLeast(check: core.$ZodCheckMinLengthDef | core.$ZodCheckLengthEqualsDef): number {
  return check.check === 'min_length' ? check.minimum : check.length
}

function checksOf(def: core.$ZodTypeDef): readonly core.$ZodChecks['_zod']['def'][] {
  return (def.checks ?? []).map((check) => (check as core.$ZodChecks)._zod.def)
}
