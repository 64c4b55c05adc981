import { STATUS_CODES } from 'node:http'

/** `502 bad gateway`. */
export function nameOf(status: number): string {
  const name = STATUS_CODES[status]
  return name === undefined ? String(status) : `${status} ${name.toLowerCase()}`
}
