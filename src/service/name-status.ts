import { createRequire } from 'node:module'

// An import would read every export of the module, and one of them loads Node's own HTTP client.
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http')

/** `502 bad gateway`. */
export function nameOf(status: number): string {
  const name = STATUS_CODES[status]
  return name === undefined ? String(status) : `${status} ${name.toLowerCase()}`
}
