import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../scripts/learn/seeded.ts'
import { wireSchema } from '../../src/gateway/fields.ts'
import { normaliseMembers } from '../../src/gateway/inventory/normalise.ts'
import { normaliseLeaf } from '../../src/gateway/inventory/normalise-leaf.ts'
import { sealCode } from '../../src/gateway/inventory/seal-code.ts'
import { sealUrl, sealWords } from '../../src/gateway/inventory/seal-text.ts'
import { tries } from '../thoroughness.ts'
import { sealer } from './inventory-fixture.ts'

const tagging = { keyId: '', seal: (secret: string) => `<${secret.length}>` }
const random = seeded(11)
const octets = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
const keyOf = (bytes: number) => Buffer.from(random.text(octets, bytes), 'latin1').toString('base64')

/** Whether a text shows ten characters of a key in a row. */
function shows(text: string, key: string): boolean {
  return Array.from({ length: key.length - 9 }, (_, at) => key.slice(at, at + 10)).some((part) => text.includes(part))
}

describe('a key in Base64 in the path of an address', () => {
  const forms = {
    'as it is': (key: string) => key,
    encoded: encodeURIComponent,
    'encoded twice': (key: string) => encodeURIComponent(encodeURIComponent(key)),
  }
  const cases = Object.entries(forms).flatMap(([name, write]) =>
    [16, 24, 32, 48].map((bytes) => [name, bytes, write] as const),
  )
  it.each(cases)('is sealed, %s, of %i bytes', (_, bytes, write) => {
    const keys = Array.from({ length: tries(1000, { locally: 200 }) }, () => keyOf(bytes))
    const shown = keys.filter((key) => {
      const sealed = sealUrl(`https://a.example/hook/${write(key)}/orders`, sealer)
      expect(sealed.startsWith('https://a.example/hook/')).toBe(true)
      expect(sealed.endsWith('/orders')).toBe(true)
      expect(sealUrl(sealed, sealer)).toBe(sealed)
      return shows(sealed, key) || shows(decodeURIComponent(decodeURIComponent(sealed)), key)
    })
    expect(shown.length).toBeLessThanOrEqual(keys.length / 100)
  })

  it('of several steps is one seal', () => {
    expect(sealUrl('https://a.example/hook/P2TLe0tOijEmtK/quww4+rrND5wA+T8M/in', tagging)).toBe(
      'https://a.example/hook/<32>/in',
    )
    expect(sealUrl('https://a.example/hook/P2TLe0tOijEmtK%2Fquww4%2BrrND5wA%2BT8M/in', tagging)).toBe(
      'https://a.example/hook/<38>/in',
    )
  })

  it('may have two slashes in a row', () => {
    const key = '0Jt399oFrsQm6//VdiRxU+AaVa3t5daVl4gRev8iXRrYrzA+nRD04HTtbt1qwt71'
    expect(sealUrl(`https://a.example/hook/${key}/orders`, tagging)).toBe('https://a.example/hook/<64>/orders')
  })

  it.each([
    'https://a.example/api/v1beta1/tenants/4711/orders/83920174/items/2',
    'https://a.example/in/01M7XVZ2T417WGWM74AAK885VQ/0c9f8e7d-6c5b-4a39-8281-706f5e4d3c2b',
    'https://a.example/2026/11/05/orders-eu-west-1/callback',
    'https://a.example/createFlightSecondaryNewsletterByEndpointId/onOrderPaid/OrderHandler',
    'https://a.example/Zahlungen/%C3%9Cbersicht/Lagerverwaltung%20Nord/in',
    'https://a.example/repos/acme/orders/hooks/123456789/deliveries',
    'https://a.example/users/orders:created/a+b/c,d',
    'https://hooks.example.com/v2/AcmeCorp/EU1/PaymentsAPI/webhooks',
    'b-1.orders.abc123.c2.kafka.eu-central-1.amazonaws.com:9098',
    'token-service.internal:9092',
  ])('is not %s', (address) => {
    expect(sealUrl(address, tagging)).toBe(address)
  })
})

describe('a secret with its name in an address', () => {
  it.each([
    ['https://a.example/hook/password: swordfish/in', 'https://a.example/hook/password: <9>/in'],
    ['https://a.example/hook/password%3A%20swordfish/in', 'https://a.example/hook/<23>/in'],
    [
      'https://a.example/hook/$2b$12$mfB.TVet.AlgCRU.gSaB12L4pU.u5sh5CXzqXCBDROZ%2FPUTttDHC2/in',
      'https://a.example/hook/<62>/in',
    ],
    ['https://a.example/hook/pwd=swordfish', 'https://a.example/hook/pwd=<9>'],
    ['https://a.example/hook?note=password%3A+swordfish', 'https://a.example/hook?note=<21>'],
    ['password: swordfish', 'password: <9>'],
    ["'password' => 'swordfish'", "'password' => '<9>'"],
    ['-u admin:swordfish', '-u admin:<9>'],
  ])('is sealed: %s', (address, sealed) => {
    expect(sealUrl(address, tagging)).toBe(sealed)
  })
})

describe('words of a person', () => {
  it.each([
    ['posts to https://hooks.slack.com:443/services/T0/B0/swordfish.', 'posts to https://hooks.slack.com:443/<25>.'],
    ['posts to hooks.slack.com/services/T0/B0/swordfish, see it', 'posts to hooks.slack.com/<25>, see it'],
    ['(https://discord.com:443/api/webhooks/1/swordfish)', '(https://discord.com:443/<25>)'],
    ['https://acme.webhook.office.com:443/webhookb2/a', 'https://acme.webhook.office.com:443/<12>'],
    ['https://events.pagerduty.com:443/integration/ab/enqueue', 'https://events.pagerduty.com:443/<23>'],
    ['see https://a.example/x?sig=swordfish&v=2 first', 'see https://a.example/x?sig=<9>&v=2 first'],
    [
      'see https://wiki.example/orders/x1 and https://b.example/',
      'see https://wiki.example/orders/x1 and https://b.example/',
    ],
    ['we use Slack (slack.com) and hooks', 'we use Slack (slack.com) and hooks'],
    ['pass\u00adword: swordfish', 'password: <9>'],
    ['ｐassword：swordfish', 'password:<9>'],
    ['Über\u00adsicht der Aufträge', 'Über\u00adsicht der Aufträge'],
    ['seed JBSW Y3DP EHPK 3PXP QWXK 2RVT, ask us', '<34>, ask us'],
    ['fingerprint a1:b2:c3:d4:e5:f6:07:18:29:3a:4b:5c:6d:7e:8f:90:a1:b2:c3:d4', 'fingerprint <59>'],
    ['key k8Xq2LpZ\u200b9vRt3Wn7q5Bd', 'key <20>'],
    // One half is random enough to be sealed alone; the other must not stay.
    ['key ytWDmbiPCJBWTAsUhVVDyvPg\ufe0fxVNGkAkf', 'key <32>'],
    ['a soft\u00adhyphen, and password: swordfish', 'a soft\u00adhyphen, and password: <9>'],
  ])('%s', (words, sealed) => {
    expect(sealWords(words, tagging)).toBe(sealed)
  })

  it('are sealed the same way twice', () => {
    const piece = fc.constantFrom(
      'password: swordfish ',
      '-p x1y2z3 ',
      '<password>swordfish</password> ',
      'https://hooks.slack.com:443/services/T0/B0/x, ',
      'https://u:pw@a.example/x?token=abc ',
      'JBSW Y3DP EHPK 3PXP ',
      'k8Xq2LpZ9vRt3Wn7q5Bd ',
      'Ua1[=N-)]<ppA1uka8> ',
      '**PIN:** `1234` ',
      'Authorization: Token ',
      'orders of the shop, ',
      '"',
      '(',
      '\u200b',
      '：',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const sealed = sealWords(pieces.join(''), sealer)
        expect(sealWords(sealed, sealer)).toBe(sealed)
      }),
      { numRuns: tries(500, { locally: 100 }) },
    )
  })
})

describe('the name of a member', () => {
  const normal = (kind: 'endpoint' | 'subscription', raw: Record<string, unknown>) =>
    normaliseMembers(wireSchema[kind], JSON.parse(JSON.stringify(raw)), '', {
      sealer: tagging,
      isStub: false,
      neighbours: { name: '', uid: '', address: '', user: '' },
      facts: {},
      volatile: {},
      malformed: [],
      unseen: [],
    })

  it.each([
    ['password: swordfish', 'password: <9>'],
    ['{"password":"swordfish"}', '{"password":"<9>"}'],
    ["'password' => 'swordfish'", "'password' => '<9>'"],
    ['pwd: swordfish', 'pwd: <9>'],
  ])('is sealed like any text: %s', (name, sealed) => {
    expect(Object.keys(normal('endpoint', { [name]: true }))).toContain(sealed)
    const filter = { event_types: ['*'], filter: { body: { data: { [name]: 1 } } } }
    expect(JSON.stringify(normal('subscription', { filter_config: filter }))).not.toContain('swordfish')
  })
})

describe('a literal of a function', () => {
  it.each([
    'createFlightSecondaryNewsletterByEndpointId',
    'publishWarehouseSubscriberCatalogueShipmentByPartnerId',
    'customer.subscription.trial_will_end',
  ])('stays readable: %s', (name) => {
    const program = `if (p.type === '${name}') return null`
    expect(sealCode(program, sealer)).toBe(program)
  })

  it.each(['password: swordfish', 'JBSW YDPE HPKG PXPJ QWXK ZVRT', 'k8Xq2LpZ\u00ad9vRt3Wn7q5Bd'])(
    'is sealed: %s',
    (text) => {
      expect(sealCode(`f('${text}')`, sealer)).toBe(`f('${sealer.seal(text)}')`)
      expect(sealCode(`/* ${text} */ f()`, sealer)).toBe(`/* ${sealer.seal(text)} */ f()`)
    },
  )

  it('is the whole of a program that is a sum of odd names', () => {
    expect(sealCode('Nrj78-xB3kctX', sealer)).toBe(sealer.seal('Nrj78-xB3kctX'))
  })
})

describe('a word of a closed vocabulary', () => {
  it.each(['sha512', 'Ed25519', '5672', 'eu-central-1'])('stays: %s', (word) => {
    expect(normaliseLeaf({ type: 'word' }, word, 'hash', sealer)).toBe(word)
  })
  it.each(['hvs.CAESIJlU9nZzkq3Xc', 'Xk9-qQ2zTv', 'AccountKey=abcdefgh', 'ab1c-d2ef-3gh4-ij5k'])(
    'is not %s',
    (secret) => {
      const sealed = normaliseLeaf({ type: 'word' }, secret, 'hash', sealer)
      expect(sealed).toBe(sealer.seal(secret))
      expect(normaliseLeaf({ type: 'word' }, sealed, 'hash', sealer)).toBe(sealed)
    },
  )
})
