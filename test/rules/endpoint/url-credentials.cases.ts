import { type Cases, endpointsAt, seal } from '../rule-cases.ts'

const keys = ['token', 'api_key', 'apiKey', 'X-Sig', 'access_token', 'PASSWORD']
const harmless = ['tenant=7', 'monkey=1', 'token=', 'tokens=1', `id=${seal('a')}`]

export const cases: Cases = {
  'finds a user and a password, sealed as they are': {
    sees: endpointsAt(`https://${seal('a')}@a.example/`),
    finds: ['high e1/url: the URL contains a user name and password'],
  },
  'finds parameters that carry credentials': {
    sees: endpointsAt(...keys.map((key) => `https://a.example/?a=1&${key}=${seal('a')}`)),
    finds: keys.map((key, index) => `medium e${index + 1}/url: the URL contains the parameter \`${key}\``),
  },
  'lists all of them at once': {
    sees: endpointsAt(`https://${seal('a')}@a.example/?token=x&sig=y`),
    finds: ['high e1/url: the URL contains a user name and password, the parameter `sig`, the parameter `token`'],
  },
  'leaves other parameters alone, and empty ones': {
    sees: endpointsAt(...harmless.map((query) => `https://a.example/?${query}`)),
  },
  'allows the hosts of the policy': {
    sees: endpointsAt('https://eu.logic.example/?sig=x', 'https://logic.example/?sig=x'),
    options: { allow_hosts: ['*.logic.example'] },
    finds: ['medium e2/url: the URL contains the parameter `sig`'],
  },
}
