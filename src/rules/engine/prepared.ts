/** Computes the value of an option once, not for every resource. The option must be an object: a list, a set. */
export function memoizeByOption<Option extends object, Value>(
  prepare: (option: Option) => Value,
): (option: Option) => Value {
  const known = new WeakMap<Option, Value>()
  return (option) => {
    const value = known.get(option) ?? prepare(option)
    known.set(option, value)
    return value
  }
}
