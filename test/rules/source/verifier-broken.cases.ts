import type { JsonObject } from '../../../src/model/json.ts'
import { aSource, type Cases } from '../rule-cases.ts'

const from = (verifier: JsonObject | null, provider: string | null = null, type = 'http') =>
  aSource({ type, verifier, provider })
const sound = { hash: 'SHA256', encoding: 'hex', header: 'X-Signature', secret: 'sealed:0' }
const hmac = (members: JsonObject) => ({ type: 'hmac', hmac: { ...sound, ...members } })
const unusable = (member: string, value: string) =>
  `high q1/verifier/hmac/${member}: the service cannot use the ${member} \`${value}\`: every event is refused`

export const cases: Cases = {
  'finds hashes that the service takes and does not compute': {
    sees: ['MD5', 'SHA1', 'SHA384', 'SHA3_256', 'sha256'].map((hash) => from(hmac({ hash }))),
    finds: ['MD5', 'SHA1', 'SHA384', 'SHA3_256', 'sha256'].map((hash) => unusable('hash', hash)),
  },
  'finds an encoding and headers that it cannot use': {
    sees: [from(hmac({ encoding: 'Hex' })), from(hmac({ header: 'X Signature' })), from(hmac({ header: 'Host' }))],
    finds: [unusable('encoding', 'Hex'), unusable('header', 'X Signature'), unusable('header', 'Host')],
  },
  'finds what is missing': {
    sees: [from({ type: 'hmac' })],
    finds: [
      'high q1/verifier/hmac/secret: no secret: anyone can compute the signature; from v26.3.7 on, every event is answered 500',
      'high q1/verifier/hmac/header: no header: every event is refused',
      'high q1/verifier/hmac/hash: no hash: every event is refused',
      'high q1/verifier/hmac/encoding: no encoding: every event is refused',
    ],
  },
  'leaves what it computes alone': {
    sees: [from(hmac({})), from(hmac({ hash: 'SHA512', encoding: 'base64', secret: 'sealed:masked' }))],
  },
  'finds a provider whose signature the verifier does not check': {
    sees: [from(null, 'shopify'), from({ type: 'api_key' }, 'twitter')],
    finds: [
      'high q1/verifier: shopify signs its events, but the verifier is `noop`: every event is refused',
      'high q1/verifier: twitter signs its events, but the verifier is `api_key`: every event is refused',
    ],
  },
  'of a provider, reads the secret alone': {
    sees: [from(hmac({ hash: 'SHA1', header: 'X Y' }), 'github'), from({ type: 'hmac' }, 'github')],
    finds: ['high q1/verifier/hmac/secret: no secret: anyone can compute the signature'],
  },
  'finds a provider that the service does not know, also by its case': {
    sees: [from(hmac({}), 'stripe'), from({ type: 'noop' }, 'GitHub')],
    finds: [
      'high q1/provider: the service does not know the provider `stripe`: every event is refused',
      'high q1/provider: the service does not know the provider `GitHub`: every event is refused',
    ],
  },
  'finds a user name and a header that no request can send': {
    sees: [
      from({ type: 'basic_auth', basic_auth: { username: 'a:b', password: 'sealed:0' } }),
      from({ type: 'api_key', api_key: { header_name: 'X Key', header_value: 'sealed:0' } }),
    ],
    finds: [
      'high q1/verifier/basic_auth/username: the user name `a:b` has a colon: every event is refused',
      'high q1/verifier/api_key/header_name: the service can read no header `X Key`: every event is refused',
    ],
  },
  'leaves a key without a header alone, which comes in `Authorization`': {
    sees: [from({ type: 'api_key', api_key: { header_value: 'sealed:0' } }), from({ type: 'api_key' })],
  },
  'leaves other types of source, and no verifier at all, alone': {
    sees: [from(hmac({ hash: 'MD5' }), null, 'pub_sub'), from({ type: 'noop' }), from(null)],
  },
  'is silent where the verifier or the provider is not shown': {
    sees: [aSource({ type: 'http', provider: 'github' }), aSource({ type: 'http', verifier: { type: 'hmac' } })],
  },
}
