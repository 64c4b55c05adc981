import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

const withUrl = (url: string, type = 'oauth2') => ({ authentication: { type, oauth2: { client_id: 'c', url } } })

export const cases: Cases = {
  'finds a token address that is not https': {
    sees: [anEndpoint(withUrl('http://idp.example/token'))],
    finds: [
      'critical e1/authentication/oauth2/url: sends client credentials to idp.example over http to request tokens',
    ],
  },
  'leaves https alone, and settings that are not in use': {
    sees: endpoints(withUrl('https://idp.example/token'), withUrl('http://idp.example/token', 'api_key')),
  },
  'is silent where no token URL is shown': {
    sees: endpoints({ authentication: { type: 'oauth2', oauth2: { client_id: 'c' } } }, {}, { authentication: null }),
  },
}
