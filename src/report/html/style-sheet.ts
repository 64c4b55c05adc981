import { components } from './style/components.ts'
import { print } from './style/print.ts'
import { tokens } from './style/tokens.ts'

/**
 * The style of every page, for light, dark, phone and print. `runningHeader` is on every printed page: letters, digits
 * and plain punctuation.
 */
export function styleSheet(runningHeader: string): string {
  return `${tokens}${components}${print(runningHeader)}`
}
