import { anEndpoint, type Cases, endpoints, endpointsAt, masked, seal } from '../rule-cases.ts'

const url = 'http://a.example/in'
const apiKey = { type: 'api_key', api_key: { header_value: seal('a') } }

export const cases: Cases = {
  'finds credentials of each type that go over plain http': {
    sees: endpoints(
      { url, authentication: apiKey },
      { url, authentication: { type: 'basic_auth', basic_auth: { username: 'bob', password: masked } } },
      { url, authentication: { type: 'oauth2', oauth2: { url: 'https://idp.example/token' } } },
    ),
    finds: [
      'critical e1/url: sends an API key to a.example over plain http',
      'critical e2/url: sends a user name and password to a.example over plain http',
      'critical e3/url: sends an access token to a.example over plain http',
    ],
  },
  'finds user and password in the address': {
    sees: endpointsAt(`http://${seal('a')}@a.example/in`),
    finds: ['critical e1/url: sends a user name and password to a.example over plain http'],
  },
  'finds them also where a type is set and nothing is filled in': {
    sees: endpoints({ url: `http://${seal('a')}@a.example/in`, authentication: { type: 'api_key' } }),
    finds: ['critical e1/url: sends a user name and password to a.example over plain http'],
  },
  'leaves https alone, and http without credentials': {
    sees: endpoints(
      { url: 'https://a.example/in', authentication: apiKey },
      { url, authentication: null },
      { url, authentication: { type: 'api_key' } },
    ),
  },
  'is silent where the authentication is not shown': { sees: endpointsAt(url) },
  'is silent where the address is not shown': { sees: [anEndpoint({ authentication: apiKey })] },
}
