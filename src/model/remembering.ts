/** Asks once for each key: for few keys that are asked for very often. */
export function remembering<Value extends string | number | boolean, Key = string>(
  read: (key: Key) => Value,
): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}
