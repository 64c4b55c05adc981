import { type Cases, endpoints } from '../rule-cases.ts'

const asking = (...urls: readonly string[]) =>
  endpoints(...urls.map((url) => ({ authentication: { type: 'oauth2', oauth2: { url } } })))
const path = '/authentication/oauth2/url'

export const cases: Cases = {
  'finds token servers that are metadata, the gateway itself or private': {
    sees: asking(
      'https://169.254.169.254/token',
      'https://localhost/token',
      'https://10.0.0.1/token',
      'https://idp.internal/token',
    ),
    finds: [
      `high e1${path}: the token server 169.254.169.254 is a cloud metadata address`,
      `high e2${path}: the token server localhost is the gateway itself`,
      `high e3${path}: the token server 10.0.0.1 is a private address`,
      `high e4${path}: the token server idp.internal is a private address`,
    ],
  },
  'leaves a public token server alone': { sees: asking('https://idp.example/token') },
  'allows the hosts and ranges of the policy, metadata only by name': {
    sees: asking('https://idp.internal/token', 'https://10.0.0.1/token', 'https://169.254.169.254/token'),
    options: { allow_hosts: ['*.internal'], allow_ranges: ['0.0.0.0/0'] },
    finds: [`high e3${path}: the token server 169.254.169.254 is a cloud metadata address`],
  },
  'is silent where no token URL is shown': {
    sees: endpoints({ authentication: { type: 'oauth2', oauth2: { client_id: 'c' } } }, {}),
  },
}
