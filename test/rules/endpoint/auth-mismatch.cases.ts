import { anEndpoint, type Cases, endpoints, masked, seal } from '../rule-cases.ts'

const apiKey = { header_name: 'X-Key', header_value: seal('a') }
const basic = { username: 'bob', password: masked }

export const cases: Cases = {
  'finds a type whose member is missing': {
    sees: endpoints({ authentication: { type: 'api_key' } }, { authentication: { type: 'oauth2', basic_auth: basic } }),
    finds: [
      'high e1/authentication/type: the type is `api_key`, but none of its settings is filled in',
      'high e2/authentication/type: the type is `oauth2`, but `basic_auth` is filled in instead',
    ],
  },
  'finds a member of another type next to its own': {
    sees: [anEndpoint({ authentication: { type: 'api_key', api_key: apiKey, basic_auth: basic } })],
    finds: ['high e1/authentication/type: the type is `api_key`, but `basic_auth` is filled in as well'],
  },
  'finds credentials without a type': {
    sees: [anEndpoint({ authentication: { api_key: apiKey } })],
    finds: ['high e1/authentication/type: the type is empty, but `api_key` is filled in'],
  },
  'leaves a type with its own member alone': {
    sees: endpoints(
      { authentication: { type: 'api_key', api_key: apiKey } },
      { authentication: { type: 'basic_auth', basic_auth: basic } },
    ),
  },
  'does not count another member that holds only a mask': {
    sees: [anEndpoint({ authentication: { type: 'api_key', api_key: apiKey, basic_auth: { password: masked } } })],
  },
  'does not evaluate a type that it does not know': {
    sees: [anEndpoint({ authentication: { type: 'hmac', api_key: apiKey } })],
  },
  'is silent without authentication and where none is shown': { sees: endpoints({ authentication: null }, {}) },
}
