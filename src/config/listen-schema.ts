import { isIP } from 'node:net'
import { z } from 'zod'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Where a port is: a number, or an address with one. */
export const listenSchema = z
  .union([z.string(), z.int()], { error: listenForms() })
  .refine((value) => listenAddress(value) !== undefined, { error: listenForms() })

/** Names that a port answers to. */
export const hostsSchema = z
  .array(
    z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, { error: 'the name of a host, without a port' }),
  )
  .min(1)
  .max(100)
  .describe(
    'Host names that the port answers to, besides addresses and localhost. Default: any, or none when `listen` is a loopback address',
  )

/** Parses `9464`, `127.0.0.1:9464` or `[::1]:9464`. Without an address, the port is open to this machine only. */
export function listenAddress(value: string | number): ListenAddress | undefined {
  const groups = addressForm.exec(String(value))?.groups
  const port = Number(groups?.digits)
  if (groups === undefined || port > 65_535) return undefined
  return { host: groups.v6 ?? groups.name ?? '127.0.0.1', port }
}

/** Whether only this machine reaches a host of this name or address; an IPv6 address may be in brackets. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}

const addressForm = /^(?:(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<name>[A-Za-z0-9.-]+)):)?(?<digits>\d{1,5})$/

function listenForms(): string {
  return 'an address and a port such as `127.0.0.1:9464` or `[::1]:9464`'
}
