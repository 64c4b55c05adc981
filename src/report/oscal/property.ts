import { cut, neutralise } from '../../text/neutralise.ts'

/** The namespace of our property names. */
const namespace = 'urn:hookdrift:oscal'

/** OSCAL values must be trimmed and not empty; a property without a value is omitted. */
export function property(name: string, value: string | undefined) {
  const text = shown(value ?? '')
  return text === '' ? [] : [{ name, ns: namespace, value: text }]
}

/** Foreign text on one line. */
export function shown(text: string): string {
  return neutralise(cut(text)).trim()
}
