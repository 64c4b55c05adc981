import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { memoizeByOption } from '../engine/prepared.ts'
import type { Destination } from './destination.ts'
import { isWithin } from './reach.ts'

const host = z
  .string()
  .regex(/^(?:\*\.)?[a-z0-9_:.-]+$/, { error: 'expected a host in lower case, or `*.` and a domain' })
const range = z.string().refine((text) => ipaddr.isValidCIDR(text), { error: 'expected a range such as 10.0.0.0/8' })

/** `api.example.com` is that host, `*.example.com` every host below it. */
export const allowHosts = z.array(host).default([]).describe('Hosts that are fine; `*.` matches every host below it')
export const allowRanges = z.array(range).default([]).describe('Address ranges that are fine, such as 10.0.0.0/8')

export function isAllowedHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((allowed) => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed))
}

const parsedRanges = memoizeByOption((ranges: readonly string[]) => ranges.map((range) => ipaddr.parseCIDR(range)))

/** An address in an allowed range; a name never is, it may resolve to anything. */
export function isInAllowedRange(ranges: readonly string[], { address }: Destination): boolean {
  return address !== undefined && parsedRanges(ranges).some((range) => isWithin(address, range))
}
