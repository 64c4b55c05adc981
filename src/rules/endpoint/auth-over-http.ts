import type { Endpoint } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const authOverHttp = resourceRule('endpoint', {
  id: 'endpoint/auth-over-http',
  title: 'Credentials are sent over plain http',
  severity: 'critical',
  packs: ['tls'],
  acceptedWith: ['/authentication'],
  check({ attributes }) {
    const credential = credentialOf(attributes)
    if (credential === undefined) return
    const destination = destinationOf(attributes.url ?? '')
    if (destination?.scheme === 'http:') {
      return { path: '/url', message: `sends ${credential} to ${destination.host} over plain http` }
    }
    return undefined
  },
})

/** What deliveries carry besides the payload, for people. */
function credentialOf({ authentication, url }: Endpoint): string | undefined {
  return (
    (authentication?.type === 'api_key' && authentication.api_key && 'an API key') ||
    (authentication?.type === 'basic_auth' && authentication.basic_auth && 'a user name and password') ||
    (authentication?.type === 'oauth2' && authentication.oauth2 && 'an access token') ||
    // Also where a type is set and nothing is filled in.
    (url?.includes('@') && destinationOf(url)?.hasUserinfo ? 'a user name and password' : undefined)
  )
}
