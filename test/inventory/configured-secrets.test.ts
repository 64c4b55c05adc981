import { describe, expect, it } from 'vitest'
import { createResultSealer } from '../../src/gateway/inventory/probe-resource.ts'
import { reseal } from '../../src/gateway/inventory/reseal.ts'
import { sealWords } from '../../src/gateway/inventory/seal-text.ts'
import { createMaskingSealer, createSealer } from '../../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import type { Listing } from '../../src/model/resource.ts'

const key = 'harvest-moon-orders'
const installationKey = Buffer.alloc(32, 1)
const sealer = createSealer(installationKey, [key])
const jsonOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value))

function taken(listing: Listing, item: JsonObject, by = sealer): Json {
  return takeInventory(listing, [{ uid: 'u', project_id: 'p', ...item }], by).listed[0]?.attributes ?? null
}

describe('a secret of the configuration', () => {
  it.each([
    ['a name', 'endpoints', { name: `of ${key}` }],
    ['a description', 'endpoints', { description: key }],
    ['an owner id', 'endpoints', { owner_id: `${key}-team` }],
    ['an address', 'endpoints', { url: `https://a.example/${key}?of=${key}` }],
    ['a host', 'endpoints', { url: `https://${key}.example/in` }],
    ['an address in place of a list', 'sources', { pub_sub: { kafka: { brokers: `${key}:9092` } } }],
    ['an idempotency key', 'sources', { idempotency_keys: [`request.${key}`] }],
    ['a function', 'sources', { body_function: `return '${key}' // ${key}` }],
    ['a filter', 'subscriptions', { filter_config: { filter: { body: { owner_id: key, [key]: [key] } } } }],
    ['a word', 'subscriptions', { type: key }],
    ['a number', 'endpoints', { rate_limit: key }],
    ['an unknown field', 'endpoints', { remarks: key, [key]: key, more: { [key]: [{ of: key }] } }],
    ['an object in place of a text', 'endpoints', { name: { [key]: key } }],
  ] as const)('is sealed in %s', (_, listing, item) => {
    // The second one of its form is normalised by a function that was made for it.
    for (const attributes of [1, 2, 3].map(() => taken(listing, jsonOf(item)))) {
      expect(JSON.stringify(attributes)).not.toContain(key)
    }
  })

  it('is sealed in what an earlier version kept, and in results of functions', () => {
    expect(JSON.stringify(reseal('endpoint', { name: `of ${key}`, [key]: 1 }, sealer))).not.toContain(key)
    const results = createResultSealer('return 1', {}, sealer)
    expect(JSON.stringify([results.value({ of: key, [key]: 1 }), results.text(`failed: ${key}`)])).not.toContain(key)
  })

  it('is sealed alone, also in a text that was harmless before it was known', () => {
    const text = `orders of ${key}, see the runbook`
    expect(sealWords(text, createSealer(installationKey))).toBe(text)
    expect(sealWords(text, createMaskingSealer([key]))).toBe('orders of sealed:masked, see the runbook')
    expect(taken('endpoints', { name: text })).toMatchObject({ name: text.replace(key, sealer.seal(key)) })
  })

  it.each([
    [
      'that contains another',
      ['evening-star', 'evening-star-of-acme'],
      'x evening-star-of-acme y',
      'x sealed:masked y',
    ],
    ['with signs of regular expressions', ['a.b*(c)[d]|e'], 'x a.b*(c)[d]|e y', 'x sealed:masked y'],
    ['of which only the form differs', ['a.b.c.d.e'], 'x aXbXcXdXe y', 'x aXbXcXdXe y'],
    ['in percent-encoding', ['a+b/c=d&e'], 'x a%2Bb%2Fc%3Dd%26e y', 'x sealed:masked y'],
    ['in Base64', ['evening-star'], `x ${Buffer.from('evening-star').toString('base64')} y`, 'x sealed:masked y'],
    ['with a zero width space in it', ['evening-star'], 'x evening\u200b-star y', 'x sealed:masked y'],
    ['of eight characters', ['payments'], 'all payments', 'all sealed:masked'],
    ['of seven, which words contain by chance', ['payment'], 'all payments', 'all payments'],
    ['that is empty', ['', 'a'], 'all payments', 'all payments'],
  ] as const)('%s', (_, secrets, text, sealed) => {
    expect(sealWords(text, createMaskingSealer(secrets))).toBe(sealed)
  })

  it('has items read again that were read without knowing it', () => {
    const digestOf = (secrets: readonly string[]) => createSealer(installationKey, secrets).digest?.(Buffer.from('{}'))
    expect(digestOf([key])).toBe(digestOf([key]))
    expect(digestOf([key])).not.toBe(digestOf([]))
  })
})
