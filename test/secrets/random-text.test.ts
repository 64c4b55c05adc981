import { describe, expect, it } from 'vitest'
import { alphabets, printable, randomWords } from '../../scripts/learn/random-words.ts'
import { seeded } from '../../scripts/learn/seeded.ts'
import { findRandom, isRandomText } from '../../src/model/secrets/random-text.ts'
import { replaceSecrets } from '../../src/model/secrets/replace-secrets.ts'

const random = seeded(6)
const lengths = [20, 22, 24, 32, 40, 64]
const count = 3000

const foundIn = (text: string) => findRandom(text).map(({ from, to }) => text.slice(from, to))
const shareOf = (words: readonly string[], is: (word: string) => boolean) => words.filter(is).length / words.length

const names = [
  'orders-eu-2026-11-05',
  'checkout-service-webhook-endpoint-v2',
  'PaymentIntentSucceededHandler',
  'customer.subscription.trial_will_end',
  'arn:aws:sns:eu-central-1:123456789012:orders-prod',
  'arn:aws:iam::123456789012:role/service-role/webhook-publisher',
  'tenant-42-invoice-paid-handler-3',
  'handleCheckoutSessionCompleted',
  'retry_attempts_exhausted_total',
  'src/gateway/service/read-answer/content-encoding.ts',
  '/var/lib/kubernetes/pki/service-account.pem',
  '@scope/webhook-receiver@1.2.3-beta.4',
  'registry/team/webhook-worker:1.2.3',
  '1.2.3-rc.1+build.20261105.sha.5114f85',
  '20261105T101530Z',
  '2026-11-05T10:15:30.123456+01:00',
  '192.168.100.200:8443',
  '00:1b:44:11:3a:b7',
  '[2001:db8:85a3::8a2e:370:7334]:8443',
  '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
  'fe80::1ff:fe23:4567:890a',
  'ec2-52-14-33-101.us-east-2.compute.amazonaws.com',
  'https://hooks.example.com/v2/tenants/42/orders?format=json&pretty=true',
  'firstname.lastname@mail.example.co.uk',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '123e4567-e89b-42d3-a456-426614174000',
  '123E4567-E89B-42D3-A456-426614174000',
  'endpoint/123e4567-e89b-42d3-a456-426614174000/deliveries',
  '+49-1511-2345-6789',
  'DE89370400440532013000',
  '12345678901234567890123',
  '83920174658392017465839201',
  'XXXXXXXXXXXXXXXXXXXX',
  'aaaaaaaaaaaaaaaaaaaa',
  '1234567890123456789012',
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'Donaudampfschifffahrtsgesellschaft',
  'Rechtsschutzversicherungsgesellschaften',
  'rindfleisch-etikettierungs-ueberwachung',
  'arbeidsongeschiktheidsverzekering',
  'anticonstitutionnellement',
  'desproporcionadamente-alto',
  'confirmation-de-paiement-reussie',
  'przetwarzanie-zamowien-klientow',
  'orderbekraftelse-skickad-till-kund',
  'AWS_SECRET_ACCESS_KEY',
  'WEBHOOK_SIGNING_SECRET_V2',
  'X-Hub-Signature-256',
  'X-Shopify-Hmac-Sha256',
  'Content-Security-Policy-Report-Only',
  'x86_64-unknown-linux-gnu',
  'getElementsByTagNameNS',
  'XMLHttpRequestResponseType',
  'PDFDocumentLoadingTask',
  'Http2ConnectionWindowSize',
  'parseOpenAPIJSONSchema',
  'background-color-transparent',
  'addEventListener',
  'networking.k8s.io/v1beta1/ingresses',
  'eu1-frontend-node-17.internal.example.net',
]

describe('looksRandom', () => {
  for (const [name, alphabet] of Object.entries(alphabets)) {
    it.each(lengths)(`finds 99 of 100 random words of ${name} with %i characters`, (length) => {
      expect(shareOf(randomWords(alphabet, length, count, random), isRandomText)).toBeGreaterThanOrEqual(0.99)
    })
  }

  it.each([24, 32, 40, 64])('finds 99 of 100 random words of all printable characters with %i of them', (length) => {
    expect(shareOf(randomWords(printable, length, count, random), isRandomText)).toBeGreaterThanOrEqual(0.99)
  })

  it('finds nearly all keys of 16 hexadecimal digits', () => {
    const words = randomWords(alphabets['hex, lower case'], 16, count, random)
    expect(shareOf(words, isRandomText)).toBeGreaterThanOrEqual(0.97)
  })

  it.each(names)('classifies %s as a name', (name) => {
    expect(isRandomText(name)).toBe(false)
    expect(foundIn(name)).toEqual([])
  })

  it('classifies digits alone as a number, however many', () => {
    for (const length of [20, 24, 40]) {
      expect(randomWords('0123456789', length, 1000, random).filter(isRandomText)).toEqual([])
    }
  })

  it('classifies UUIDs and ULIDs as identifiers', () => {
    const uuids = randomWords('0123456789abcdef', 32, 1000, random).map((digits) =>
      digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    )
    const ulids = randomWords('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 25, 1000, random).map((rest) => `0${rest}`)
    const all = [...uuids, ...uuids.map((uuid) => uuid.toUpperCase()), ...ulids]
    expect(all.filter((identifier) => isRandomText(identifier) || isRandomText(`endpoint_${identifier}`))).toEqual([])
  })

  it('does not decide on short words', () => {
    expect(isRandomText('kX9vQ2zR7pL4wT8')).toBe(false)
  })
})

describe('findRandom', () => {
  const token = 'k8Xq2LpZ9vRt3Wn7q5Bd'

  it.each([
    [`orders-${token}`, [token]],
    [`whsec_${token}`, [token]],
    [`v1/${token}/deliveries`, [token]],
    [`prefix.${token}.suffix`, [token]],
    [`https://hooks.example.com/services/${token}?retry=true`, [token]],
    [`{"key":"${token}","name":"orders"}`, [token]],
    [`the key was ${token}, and is ${token.toLowerCase()} now`, [token, token.toLowerCase()]],
    ['licence=8F3K-29DJ-77QX-M2P9-ZZ4T', ['8F3K-29DJ-77QX-M2P9-ZZ4T']],
    [`Schlüssel${token}Schlüssel`, [`ssel${token}Schl`]],
  ])('finds in %s the random part and nothing else', (text, expected) => {
    expect(foundIn(text)).toEqual(expected)
  })

  it('finds a random part after a name', () => {
    for (const alphabet of Object.values(alphabets)) {
      const slugs = randomWords(alphabet, 32, 1000, random).map((word) => `orders-${word}`)
      expect(shareOf(slugs, (slug) => foundIn(slug).some((found) => found.length > 15))).toBeGreaterThanOrEqual(0.99)
    }
  })

  it('leaves the name of a pod readable, except its random end', () => {
    expect(replaceSecrets('hookdrift-worker-7d9f8b6c5-x2k4q', () => '[sealed]', [findRandom])).toMatch(
      /^hookdrift-worker-/,
    )
  })

  it('skips seals, and nothing that only looks like one', () => {
    const digits = '4a3f9c0e7b12d5886e0f1a2b3c4d5e6f'
    expect(foundIn(`sealed:${digits} and sealed:${digits}`)).toEqual([])
    expect(foundIn(`unsealed ${digits}`)).toEqual([digits])
    expect(foundIn(`sealed:${digits}00`)).toEqual([`${digits}00`])
  })

  it('ends quickly on megabytes of crafted text', () => {
    const parts = [
      'a',
      'a-',
      'xqZ7-',
      '00000000-',
      '01ARZ3NDEKTSV4RRFFQ69G5FA',
      '7',
      ':',
      `${token}ordinarywords`,
      `${token} `,
    ]
    for (const part of parts) {
      const text = part.repeat(1_000_000 / part.length)
      for (const { from, to } of findRandom(text).slice(0, 10)) expect(to - from).toBeGreaterThan(15)
    }
  })
})

describe('replaceSecrets', () => {
  it('replaces each random word in its place', () => {
    expect(replaceSecrets('a k8Xq2LpZ9vRt3Wn7q5Bd b v7Tn2QpX9zLw4KrB8mYc c', (word) => `<${word.length}>`)).toBe(
      'a <20> b <20> c',
    )
  })

  it('returns a text unchanged without a secret', () => {
    expect(replaceSecrets('nothing but words', () => '')).toBe('nothing but words')
  })
})
