import { cut } from '../../text/cut.ts'
import { neutralise } from '../../text/neutralise.ts'

/** Where our names for properties are explained. */
const namespace = 'urn:hookdrift:oscal'

/** Values are not empty and have no blanks around them; what has none is not said. */
export function property(name: string, value: string | undefined) {
  const text = shown(value ?? '')
  return text === '' ? [] : [{ name, ns: namespace, value: text }]
}

/** Text of others on one line. */
export function shown(text: string): string {
  return neutralise(cut(text)).trim()
}
