import type { JsonObject } from '../../../src/model/json.ts'
import { anEndpoint, type Cases, endpoints, masked, seal } from '../rule-cases.ts'

const url = 'https://idp.example/token'
const at = '/authentication/oauth2'
const withOauth = (oauth2: JsonObject, type = 'oauth2') => ({ authentication: { type, oauth2 } })
const assertion = { url, authentication_type: 'client_assertion', issuer: 'i', subject: 's' }
const shared = { authentication_type: 'shared_secret', client_secret: seal('a') }

export const cases: Cases = {
  'finds a shared secret that is missing': {
    sees: [anEndpoint(withOauth({ url, authentication_type: 'shared_secret' }))],
    finds: [`high e1${at}/client_secret: \`shared_secret\` without a client secret`],
  },
  'finds all that an assertion lacks': {
    sees: [anEndpoint(withOauth({ url, authentication_type: 'client_assertion' }))],
    finds: [
      `high e1${at}/signing_key: \`client_assertion\` without a signing key`,
      `high e1${at}/issuer: \`client_assertion\` without an issuer`,
      `high e1${at}/subject: \`client_assertion\` without a subject`,
    ],
  },
  'finds a key that cannot sign': {
    sees: [anEndpoint(withOauth({ ...assertion, signing_key: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } }))],
    finds: [`high e1${at}/signing_key: \`client_assertion\` with a public key only, which cannot sign`],
  },
  'finds a key that lacks what the service signs with': {
    sees: endpoints(
      withOauth({ ...assertion, signing_key: { kty: 'RSA', d: seal('d'), n: 'n', e: 'AQAB' } }),
      withOauth({ ...assertion, signing_key: { kty: 'EC', crv: 'P-256', d: seal('d') } }),
    ),
    finds: [
      `high e1${at}/signing_key: \`client_assertion\` with an RSA key that lacks its primes \`p\` and \`q\``,
      `high e2${at}/signing_key: \`client_assertion\` with an EC key that lacks its point \`x\` and \`y\``,
    ],
  },
  'finds that it is not said how the client authenticates': {
    sees: [anEndpoint(withOauth({ url }))],
    finds: [`high e1${at}/authentication_type: no \`authentication_type\`: the service requests no token`],
  },
  'finds a token address that is missing or does not parse': {
    sees: endpoints(withOauth(shared), withOauth({ ...shared, url: 'idp' })),
    finds: [`high e1${at}/url: no token URL`, `high e2${at}/url: the token URL does not parse`],
  },
  'leaves complete settings alone, masked or not': {
    sees: endpoints(
      ...[seal('a'), masked].flatMap((secret) => [
        withOauth({ url, authentication_type: 'shared_secret', client_secret: secret }),
        withOauth({ ...assertion, signing_key: { kty: 'EC', crv: 'P-256', d: secret, x: 'x', y: 'y' } }),
        withOauth({ ...assertion, signing_key: { kty: 'RSA', d: secret, p: secret, q: secret } }),
      ]),
    ),
  },
  'leaves settings alone that are not in use, or of a type that it does not know': {
    sees: endpoints(
      withOauth({ url, authentication_type: 'shared_secret' }, 'api_key'),
      withOauth({ url, authentication_type: 'magic' }),
    ),
  },
  'is silent where nothing is shown': { sees: endpoints({}, { authentication: null }) },
}
