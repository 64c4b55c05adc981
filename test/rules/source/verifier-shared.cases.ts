import type { JsonObject } from '../../../src/model/json.ts'
import { anEndpoint, aSource, type Cases, seal } from '../rule-cases.ts'

const hmac = (secret: string, uid?: string, project?: string) =>
  aSource({ verifier: { type: 'hmac', hmac: { secret } } }, uid, project)
const signing = (value: string, more: JsonObject = {}, uid?: string) =>
  anEndpoint({ secrets: { k1: { value, deleted_at: null, ...more } } }, uid)
const at = (uid: string, by: string) => `high ${uid}/verifier/hmac/secret: secret is also used by ${by}`

export const cases: Cases = {
  'finds a secret on several sources, and reports each': {
    sees: [hmac(seal('0')), hmac(seal('0'), 'q2'), hmac(seal('0'), 'q3'), hmac(seal('1'), 'q4')],
    finds: [at('q1', '2 other sources'), at('q2', '2 other sources'), at('q3', '2 other sources')],
  },
  'is mild about sources of one provider, whose apps have one secret': {
    sees: ['q1', 'q2'].map((uid) =>
      aSource({ provider: 'shopify', verifier: { type: 'hmac', hmac: { secret: seal('0') } } }, uid),
    ),
    finds: ['q1', 'q2'].map((uid) => at(uid, '1 other source').replace('high', 'low')),
  },
  'compares across projects, and counts in its own alone': {
    sees: [hmac(seal('0')), signing(seal('0')), hmac(seal('0'), 'q1', 'other')],
    finds: [at('q1', '1 endpoint and other projects'), at('q1', 'other projects')],
  },
  'finds a secret that signs for an endpoint too, wherever the endpoint comes': {
    sees: [hmac(seal('0')), signing(seal('0'))],
    finds: [at('q1', '1 endpoint')],
  },
  'finds a secret with which endpoints authenticate': {
    sees: [
      anEndpoint({ authentication: { type: 'api_key', api_key: { header_value: seal('0') } } }, 'e1'),
      anEndpoint({ authentication: { type: 'basic_auth', basic_auth: { password: seal('0') } } }, 'e2'),
      anEndpoint({ authentication: { type: 'oauth2', oauth2: { client_secret: seal('0') } } }, 'e3'),
      hmac(seal('0')),
    ],
    finds: [at('q1', '3 endpoints')],
  },
  'counts an endpoint once': {
    sees: [
      anEndpoint({
        secrets: { k1: { value: seal('0') }, k2: { value: seal('0') } },
        authentication: { api_key: { header_value: seal('0') } },
      }),
      hmac(seal('0')),
    ],
    finds: [at('q1', '1 endpoint')],
  },
  'compares passwords and keys too': {
    sees: [
      aSource({ verifier: { type: 'basic_auth', basic_auth: { username: 'a', password: seal('0') } } }, 'q1'),
      aSource({ verifier: { type: 'api_key', api_key: { header_value: seal('0') } } }, 'q2'),
    ],
    finds: [
      'high q1/verifier/basic_auth/password: secret is also used by 1 other source',
      'high q2/verifier/api_key/header_value: secret is also used by 1 other source',
    ],
  },
  'never compares what is masked': {
    sees: [hmac('sealed:masked'), hmac('sealed:masked', 'q2'), signing('sealed:masked')],
  },
  'leaves a secret that no longer signs alone': {
    sees: [signing(seal('0'), { deleted_at: '2026-11-01T00:00:00Z' }), hmac(seal('0'))],
  },
  'leaves endpoints that share one to another rule': { sees: [signing(seal('0')), signing(seal('0'), {}, 'e2')] },
  'leaves secrets of one use alone': { sees: [hmac(seal('0')), hmac(seal('1'), 'q2'), signing(seal('2'))] },
}
