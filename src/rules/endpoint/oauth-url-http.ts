import { oauthOf } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const oauthUrlHttp = resourceRule('endpoint', {
  id: 'endpoint/oauth-url-http',
  title: 'Tokens are asked for in clear',
  severity: 'critical',
  packs: ['tls'],
  check({ attributes }) {
    const url = oauthOf(attributes)?.url
    if (url === undefined) return
    const destination = destinationOf(url)
    if (destination !== undefined && destination.scheme !== 'https:') {
      return {
        path: '/authentication/oauth2/url',
        message: `asks ${destination.host} for tokens over ${destination.scheme.slice(0, -1)}, client credentials included`,
      }
    }
    return undefined
  },
})
