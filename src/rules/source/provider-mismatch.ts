import { resourceRule } from '../engine/define-rule.ts'
import { isKnownProvider } from '../shared/provider.ts'

export const providerMismatch = resourceRule('source', {
  id: 'source/provider-mismatch',
  title: "Source does not verify its provider's signature",
  severity: 'high',
  packs: ['secrets'],
  acceptedWith: ['/provider'],
  check({ attributes: { provider, verifier } }) {
    if (verifier === undefined || !isKnownProvider(provider)) return
    if (verifier?.type === 'hmac' && verifier.hmac?.secret !== undefined) return
    const instead =
      verifier?.type === 'hmac' ? 'the HMAC verifier has no secret' : `the verifier is \`${verifier?.type ?? 'noop'}\``
    return { path: '/verifier', message: `${provider} signs its events, but ${instead}` }
  },
})
