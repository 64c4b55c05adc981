import { longestText } from './sealer.ts'
import { splitUrl } from './split-url.ts'

/** A host of one project and the host that takes its place in the other; each may contain one `*`, the same text. */
export interface HostMapping {
  readonly from: string
  readonly to: string
}

/** Reads `stage.example.com=example.com` or `*.stage.example.com=*.example.com`; undefined when it is neither. */
export function readHostMapping(text: string): HostMapping | undefined {
  const [from = '', to = '', ...more] = text.toLowerCase().split('=')
  const stars = [from, to].map((host) => host.split('*').length - 1)
  const [before = 0, after = 0] = stars
  if (from === '' || to === '' || more.length > 0 || before > 1 || after > before) return undefined
  return /[\s/?#@]/.test(from + to) ? undefined : { from, to }
}

/**
 * Replaces the host of an address by the first mapping that fits it with its port, or without. A text that need not be
 * an address is one when it begins with a scheme.
 */
export function mapHost(text: string, mappings: readonly HostMapping[], isAddress: boolean): string {
  if (mappings.length === 0 || text.length > longestText) return text
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(text)
  if (!isAddress && !scheme.includes(':')) return text
  const mapped = mappedHost(host.toLowerCase(), mappings)
  if (mapped === undefined) return text
  return `${scheme}${userinfo === undefined ? '' : `${userinfo}@`}${mapped}${path}${query}${fragment}`
}

function mappedHost(host: string, mappings: readonly HostMapping[]): string | undefined {
  const name = host.replace(/:\d{0,5}$/, '')
  const port = host.slice(name.length)
  for (const mapping of mappings) {
    const whole = applied(host, mapping)
    if (whole !== undefined) return whole
    const alone = applied(name, mapping)
    if (alone !== undefined) return `${alone}${port}`
  }
  return undefined
}

function applied(host: string, { from, to }: HostMapping): string | undefined {
  const [start = '', end] = from.split('*')
  if (end === undefined) return host === from ? to : undefined
  if (host.length <= start.length + end.length || !host.startsWith(start) || !host.endsWith(end)) return undefined
  return to.replace('*', () => host.slice(start.length, host.length - end.length))
}
