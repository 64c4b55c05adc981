import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const urlInvalid = resourceRule('endpoint', {
  id: 'endpoint/url-invalid',
  title: 'URL is invalid',
  severity: 'high',
  packs: ['delivery'],
  check({ attributes: { url } }) {
    if (url === undefined) return
    const fault = faultOf(url ?? '')
    if (fault !== undefined) return { path: '/url', message: fault }
    return undefined
  },
})

function faultOf(url: string): string | undefined {
  if (url === '') return 'the URL is empty'
  if (/\s/.test(url)) return 'the URL contains whitespace'
  const destination = destinationOf(url)
  // `https:host` and `https:///host` are addresses to a browser, and none to most HTTP clients.
  if (destination === undefined || !/:\/\/[^/?#]/.test(url)) return 'the URL does not parse or has no host'
  const { scheme } = destination
  if (scheme !== 'https:' && scheme !== 'http:') return `the scheme is ${scheme.slice(0, -1)}, expected https`
  return url.includes('#') ? 'the URL has a fragment, which is never sent' : undefined
}
