import { createSealer } from '../../../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../../../src/gateway/inventory/take-inventory.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import type { Cases, Seen } from '../rule-cases.ts'

const strong = 'not-a-real-key-93871c15d694c195'

/** Sources as the inventory seals them: what makes a secret weak is only known at that moment. */
function sourcesWith(...verifiers: readonly JsonObject[]): Seen[] {
  const rows = verifiers.map((verifier, index) => ({
    uid: `q${index + 1}`,
    project_id: 'p',
    name: 'billing-intake',
    type: 'http',
    verifier,
  }))
  const { listed } = takeInventory('sources', rows, createSealer(Buffer.alloc(32, 1)))
  return listed.map((resource) => ({ ...resource, project: 'p' }))
}
const hmac = (secret: string) => ({ type: 'hmac', hmac: { header: 'X-Signature', hash: 'SHA256', secret } })

export const cases: Cases = {
  'finds an HMAC secret that is short or can be guessed': {
    sees: sourcesWith(hmac('changeme'), hmac('q7')),
    finds: [
      'high q1/verifier/hmac/secret: weak HMAC secret: 8 to 15 characters (policy: at least 16), a common word',
      'high q2/verifier/hmac/secret: weak HMAC secret: under 8 characters (policy: at least 16), few different characters',
    ],
  },
  'finds a password that is common or the user name': {
    sees: sourcesWith(
      { type: 'basic_auth', basic_auth: { username: 'admin', password: 'password' } },
      { type: 'basic_auth', basic_auth: { username: 'Billing-Intake-2026', password: 'billing-intake-2026' } },
    ),
    finds: [
      'high q1/verifier/basic_auth/password: weak password: 8 to 15 characters (policy: at least 16), a common word',
      'high q2/verifier/basic_auth/password: weak password: same as the user name',
    ],
  },
  'finds an API key that is the name of its source': {
    sees: sourcesWith({ type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'billing-intake' } }),
    finds: [
      'high q1/verifier/api_key/header_value: weak API key: 8 to 15 characters (policy: at least 16), same as its name',
    ],
  },
  'asks for as many characters as the policy says': {
    sees: sourcesWith(hmac(strong)),
    options: { min_characters: 48 },
    finds: ['high q1/verifier/hmac/secret: weak HMAC secret: 24 to 31 characters (policy: at least 48)'],
  },
  'leaves a strong secret alone': { sees: sourcesWith(hmac(strong)) },
  'leaves a masked and an empty secret alone': {
    sees: sourcesWith({ type: 'basic_auth', basic_auth: { username: 'admin', password: '[REDACTED]' } }, hmac('')),
  },
  'leaves a secret alone that the type does not use': { sees: sourcesWith({ ...hmac('changeme'), type: 'noop' }) },
}
