/** Asks once for each key: for few keys that are asked for very often. */
export function remembering<Value extends string | number | boolean, Key = string>(
  read: (key: Key) => Value,
): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? read(key)
    values.set(key, value)
    return value
  }
}
