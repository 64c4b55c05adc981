import { describe, expect, it } from 'vitest'
import { createSealer } from '../../../src/inventory/sealer.ts'
import { takeInventory } from '../../../src/inventory/take-inventory.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { verifierWeak } from '../../../src/rules/source/verifier-weak.ts'

const strong = 'not-a-real-key-93871c15d694c195'

/** Through the inventory: what makes a secret weak is only known while it is sealed. */
function findingsOf(verifier: JsonObject, options = {}) {
  const rule = verifierWeak.bind(options)
  const source = { uid: 'q1', project_id: 'p', name: 'billing-intake', type: 'http', verifier }
  const { listed } = takeInventory('sources', [source], createSealer(Buffer.alloc(32, 1)))
  const problems = rule.scope === 'resource' ? listed.flatMap((resource) => [...rule.check(resource, 0)]) : []
  return problems.map(({ path, message }) => `${path}: ${message}`)
}
const hmac = (secret: string) => ({ type: 'hmac', hmac: { header: 'X-Signature', hash: 'SHA256', secret } })

describe('source/verifier-weak', () => {
  it.each([
    [hmac('changeme'), '/verifier/hmac/secret: weak HMAC secret: 8 to 15 characters, a common word'],
    [hmac('q7'), '/verifier/hmac/secret: weak HMAC secret: under 8 characters, few different characters'],
    [
      { type: 'basic_auth', basic_auth: { username: 'admin', password: 'password' } },
      '/verifier/basic_auth/password: weak password: 8 to 15 characters, a common word',
    ],
    [
      { type: 'basic_auth', basic_auth: { username: 'Billing-Intake-2026', password: 'billing-intake-2026' } },
      '/verifier/basic_auth/password: weak password: the user name next to it',
    ],
    [
      { type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'billing-intake' } },
      '/verifier/api_key/header_value: weak API key: 8 to 15 characters, its own name',
    ],
  ])('finds %j', (verifier, finding) => {
    expect(findingsOf(verifier)).toEqual([finding])
  })

  it('measures by its option', () => {
    expect(findingsOf(hmac(strong), { min_characters: 48 })).toEqual([
      '/verifier/hmac/secret: weak HMAC secret: 24 to 31 characters',
    ])
  })

  it.each([
    ['a strong secret', hmac(strong)],
    ['a masked one', { type: 'basic_auth', basic_auth: { username: 'admin', password: '[REDACTED]' } }],
    ['an empty one', hmac('')],
    ['one that the type does not ask for', { ...hmac('changeme'), type: 'noop' }],
  ])('leaves %s alone', (_, verifier) => {
    expect(findingsOf(verifier)).toEqual([])
  })
})
