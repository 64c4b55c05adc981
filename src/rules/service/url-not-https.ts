import type { Resource } from '../../model/resource.ts'
import { scanRule } from '../engine/define-rule.ts'

/** The gateway derives the address of each source from its own: one setting, and one violation for each service. */
export const urlNotHttps = scanRule({
  id: 'service/url-not-https',
  title: 'Service receives events over plain http',
  severity: 'medium',
  packs: ['tls', 'standard-webhooks'],
  kind: 'service',
  needs: ['source'],
  acceptedWith: 'nothing',
  *check({ origins = [] }) {
    const plain = origins.filter((origin) => origin.startsWith('http:')).sort()
    if (plain.length > 0) yield { path: '', message: `the addresses of sources begin with ${plain.join(', ')}` }
  },
})

/** How the address of an http source begins; null where that is not known; undefined of all else. */
export function originOf({ kind, attributes, malformed, unseen }: Resource): string | null | undefined {
  const { type, url } = attributes
  // A source that reads from a queue receives nothing at its URL.
  if (kind !== 'source' || (typeof type === 'string' && type !== 'http')) return undefined
  if (typeof url !== 'string' || malformed?.includes('/url') || unseen?.includes('/url')) return null
  return URL.parse(url)?.origin ?? null
}
