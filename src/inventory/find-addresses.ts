import { credentialHostIn } from './credential-hosts.ts'

interface TextSpan {
  readonly from: number
  readonly to: number
}

/** The addresses in a text: with a scheme, or at a host whose addresses are credentials. One pass over the text. */
export function* findAddresses(text: string): Generator<TextSpan> {
  if (!text.includes('/')) return
  for (let at = 0; at < text.length; ) {
    const slashes = text.indexOf('://', at)
    const host = credentialHostIn(text, at, slashes < 0 ? text.length : slashes)
    if (slashes < 0 && host === undefined) return
    const from = host ?? startOfScheme(text, slashes, at)
    const to = endOfAddress(text, host ?? slashes + 3)
    if (to > from) yield { from, to }
    at = Math.max(to, from + 1, host === undefined ? slashes + 3 : 0)
  }
}

function startOfScheme(text: string, end: number, least: number): number {
  let from = end
  while (from > least && end - from < 20 && /[a-z0-9+.-]/i.test(text.charAt(from - 1))) from--
  return from
}

/** Punctuation at its end belongs to the sentence. */
function endOfAddress(text: string, from: number): number {
  let to = from
  while (to < text.length && !/[\s"'`<>|\\^{}]/.test(text.charAt(to))) to++
  while (to > from && /[.,;:!?)\]*_]/.test(text.charAt(to - 1))) to--
  return to
}
