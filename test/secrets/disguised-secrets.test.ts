import { describe, expect, it } from 'vitest'
import { alphabets, printable, randomWords } from '../../scripts/learn/random-words.ts'
import { seeded } from '../../scripts/learn/seeded.ts'
import { findGrouped, findMixed } from '../../src/model/secrets/disguised-secrets.ts'
import { isHarmless, isVocabulary } from '../../src/model/secrets/harmless-text.ts'
import { asSeen } from '../../src/model/secrets/plain-text.ts'
import { replaceSecrets } from '../../src/model/secrets/replace-secrets.ts'

const random = seeded(8)
const inGroups = (word: string, size: number, separator: string) =>
  (word.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(separator)
const shareOf = (texts: readonly string[], is: (text: string) => boolean) => texts.filter(is).length / texts.length

describe('a random text in groups of one length', () => {
  it.each([
    ['base32', 32, 4, ' '],
    ['base32', 16, 4, ' '],
    ['base32, lower case', 32, 4, ' '],
    ['base32', 32, 4, '-'],
    ['hex, lower case', 32, 4, ' '],
    ['hex, lower case', 32, 4, '-'],
    ['hex, lower case', 64, 8, ' '],
    ['hex, lower case', 40, 2, ':'],
    ['hex, upper case', 40, 2, ' '],
    ['base62', 25, 5, '-'],
  ] as const)('is found: %s, %i characters in groups of %i', (alphabet, length, size, separator) => {
    const words = randomWords(alphabets[alphabet], length, 1000, random).map((word) => inGroups(word, size, separator))
    const least = length < 20 ? 0.95 : 0.99
    expect(
      shareOf(words, (word) => replaceSecrets(`a ${word}, b`, () => '*', [findGrouped]) === 'a *, b'),
    ).toBeGreaterThanOrEqual(least)
  })

  it.each([
    'EUR USD GBP CHF JPY SEK NOK DKK PLN',
    'web1 web2 web3 web4 web5',
    'Mo Di Mi Do Fr Sa So Mo Di Mi',
    'they have been made over this year also',
    '2026 2025 2024 2023 2022',
    'DE89 3704 0044 0532 0130 00',
    '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
    '00:1b:44:11:3a:b7',
    '123e4567-e89b-42d3-a456-426614174000',
    'eu-us-ap-af-sa-cn-jp-uk-de-fr',
  ])('is not %s', (text) => {
    expect(replaceSecrets(text, () => '*', [findGrouped])).toBe(text)
  })

  it('is found with the words next to it that may be groups: one of the same length, a shorter one behind it', () => {
    const key = 'KRSXG5CT MVRXEZLU N5XW4ZJQ'
    expect(['a', 'of a', 'once'].map((word) => replaceSecrets(`key ${key} ${word}`, () => '*', [findGrouped]))).toEqual(
      ['key *', 'key * a', 'key *'],
    )
  })

  it('is not a plain text', () => {
    expect(isHarmless('JBSW YDPE HPKG PXPJ QWXK ZVRT')).toBe(false)
    expect(isHarmless('orders of this shop only')).toBe(true)
  })
})

describe('a word of letters, digits and signs', () => {
  it.each([24, 32])('is found: 95 of 100 with %i characters', (length) => {
    const words = randomWords(printable, length, 1000, random)
    expect(
      shareOf(words, (word) => replaceSecrets(`a ${word} b`, () => '*', [findMixed]) === 'a * b'),
    ).toBeGreaterThanOrEqual(0.95)
  })

  it.each([
    '{"event":"order.created","Tenant":12,"EU":true}',
    '^(?:Order|Invoice)\\.(?:created|paid)$',
    '$.data[?(@.type=="Order")].id',
    'https://a.example/orders?format=json&Page=2#Top',
    'new Map(orders.map((order) => [order.id, order]))',
    '*/15 0-6,18-23 * * MON-FRI',
    '/products(ID=12,Lang=EN)/orders',
  ])('is not %s', (text) => {
    expect(replaceSecrets(text, () => '*', [findMixed])).toBe(text)
  })
})

describe('a text as it is seen', () => {
  it.each([
    ['pass\u00adword', 'password'],
    ['a\u200bb\u2060c\ufeffd', 'abcd'],
    ['ｐａｓｓ：１２', 'pass:12'],
    ['a\u0000b\u001bc', 'abc'],
    ['Schlüssel', 'Schlüssel'],
    ['a\tb\nc', 'a\tb\nc'],
  ])('has nothing that is not: %j', (text, seen) => {
    expect(asSeen(text)).toBe(seen)
    expect(asSeen(seen)).toBe(seen)
  })
})

describe('a word of a closed vocabulary', () => {
  it.each([
    'sha256',
    'SHA-512',
    'SCRAM-SHA-512',
    'ES256K',
    'RSA-OAEP-256',
    'Ed25519',
    'secp256k1',
    'P-256',
    'EC',
    '5672',
    '15672',
    'amqps',
    'us-gov-west-1',
    'eu-central-1',
    'half_open',
    'INACTIVE ',
  ])('is %s', (word) => {
    expect(isVocabulary(word)).toBe(true)
  })

  it.each([
    'Xk9-qQ2zTv',
    '123456',
    'hvs.CAESIJlU9nZzkq3Xc',
    '$2b$12$abcdefghijklmnopqrstuu',
    'gX7bQ2kLm9TzR4vWc8Yn1pHd',
    'postgres://app:x@db.example/app',
    'password: swordfish',
    'AccountKey=abcdefgh',
    'ab1c-d2ef-3gh4-ij5k',
    'word '.repeat(10),
  ])('is not %s', (word) => {
    expect(isVocabulary(word)).toBe(false)
  })
})
