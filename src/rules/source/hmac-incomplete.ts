import { resourceRule } from '../engine/define-rule.ts'
import { isKnownProvider } from '../shared/provider.ts'

export const hmacIncomplete = resourceRule('source', {
  id: 'source/hmac-incomplete',
  title: 'HMAC verification is missing its secret or header',
  severity: 'high',
  packs: ['secrets'],
  acceptedWith: ['/verifier'],
  *check({ attributes: { verifier, provider } }) {
    if (verifier?.type !== 'hmac') return
    // Empty members are left out of a verifier that is shown.
    if (verifier.hmac?.secret === undefined) {
      yield { path: '/verifier/hmac/secret', message: 'no secret: anyone can compute the signature' }
    }
    // The service knows the header of a known provider; a source that a subscription carries does not show it.
    if (verifier.hmac?.header === undefined && provider !== undefined && !isKnownProvider(provider)) {
      yield {
        path: '/verifier/hmac/header',
        message: 'no header: the source finds no signature and refuses every event',
      }
    }
  },
})
