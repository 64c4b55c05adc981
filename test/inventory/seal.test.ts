import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireSchema } from '../../src/gateway/fields.ts'
import { normaliseMembers } from '../../src/gateway/inventory/normalise.ts'
import { reseal } from '../../src/gateway/inventory/reseal.ts'
import { sealCode } from '../../src/gateway/inventory/seal-code.ts'
import { sealBehindHost, sealUrl, sealWords } from '../../src/gateway/inventory/seal-text.ts'
import { createSealer } from '../../src/gateway/inventory/sealer.ts'
import { secretFactsOf } from '../../src/gateway/inventory/secret-facts.ts'
import { hostOf } from '../../src/gateway/inventory/split-url.ts'
import { sealer } from './inventory-fixture.ts'

const tagging = { keyId: '', seal: (secret: string) => `<${secret.length}>` }
const noNeighbours = { name: '', uid: '', address: '', user: '' }

describe('a seal', () => {
  it('is the same for the same secret, and differs for another secret or key', () => {
    expect(sealer.seal('not-a-real-key')).toBe(sealer.seal('not-a-real-key'))
    expect(sealer.seal('not-a-real-key')).not.toBe(sealer.seal('not-a-real-kez'))
    expect(sealer.seal('not-a-real-key')).not.toBe(createSealer(Buffer.alloc(32, 2)).seal('not-a-real-key'))
    expect(sealer.seal('not-a-real-key')).toMatch(/^sealed:[0-9a-f]{32}$/)
  })
  it('of a seal is that seal', () => {
    expect(sealer.seal(sealer.seal('not-a-real-key'))).toBe(sealer.seal('not-a-real-key'))
  })
  it.each(['[REDACTED]', '[Redacted]', '***', '*****', '************', '••••••••'])(
    'of a mask says only that there is a value: %s',
    (mask) => expect(sealer.seal(mask)).toBe('sealed:masked'),
  )
})

describe('an address', () => {
  it.each([
    ['https://a.example/in/1', 'https://a.example/in/1'],
    ['https://user:pw@a.example/x?token=abc&v=2', 'https://<7>@a.example/x?token=<3>&v=2'],
    ['https://a.example/?access_token=abc', 'https://a.example/?access_token=<3>'],
    ['https://a.example/?apiKey=abc', 'https://a.example/?apiKey=<3>'],
    ['https://a.example/?X-Sig=abc#sig=abc', 'https://a.example/?X-Sig=<3>#sig=<3>'],
    ['https://a.example/?to%6ben=abc', 'https://a.example/?to%6ben=<3>'],
    ['https://a.example/?monkey=abc&page=2', 'https://a.example/?monkey=abc&page=2'],
    ['https://a.example/?q=9f8e7d6c5b4a39281706f5e4', 'https://a.example/?q=<24>'],
    ['localhost:5005/ingest/abc', 'localhost:5005/ingest/abc'],
    ['user:pw@a.example/x', '<7>@a.example/x'],
    ['http:\\\\user:pw@a.example\\x', 'http:\\\\<7>@a.example\\x'],
    ['https://a@b:pw@c.example/', 'https://<6>@c.example/'],
    ['https://hooks.slack.com/services/T0/B0/abc', 'https://hooks.slack.com/<19>'],
    ['https://hooks。slack。com/services/T0/B0/abc', 'https://hooks。slack。com/<19>'],
    ['https://hooks%2Eslack.com/services/T0/B0/abc', 'https://hooks%2Eslack.com/<19>'],
    ['https://hooks.\tslack.com/services/T0/B0/abc', 'https://hooks.\tslack.com/<19>'],
    ['https://a.example/eyJhbGciOiJI.eyJzdWIiOiI.abc', 'https://a.example/<28>'],
    [' https://user:pw@a.example/x', ' https://<7>@a.example/x'],
    ['jdbc:postgresql://user:pw@a.example/x', 'jdbc:postgresql://<7>@a.example/x'],
    ['https://user:p/w?@a.example/x', 'https://<9>@a.example/x'],
    ['https://[::1]:8080/x@y', 'https://[::1]:8080/x@y'],
    ['https://a.example/@team/x', 'https://a.example/@team/x'],
    ['https://a.example/?accesstoken=abc&password2=abc', 'https://a.example/?accesstoken=<3>&password2=<3>'],
    ['https://a.example/?next=https://u:pw@b.example/', 'https://a.example/?next=https://<4>@b.example/'],
    ['https://a.example/hooks/8f3a9c2b7d1e4f6a8b0c12', 'https://a.example/hooks/<22>'],
    ['https://a.example/in/01M7XVZ2T417WGWM74AAK885VQ', 'https://a.example/in/01M7XVZ2T417WGWM74AAK885VQ'],
    ['https://a.example/orders-eu-west-1-2026-11-21/x', 'https://a.example/orders-eu-west-1-2026-11-21/x'],
    ['not an address', 'not an address'],
    ['', ''],
  ])('%s keeps its harmless parts', (address, sealed) => {
    expect(sealUrl(address, tagging)).toBe(sealed)
  })
  it('of a chat keeps only its host', () => {
    expect(sealBehindHost('https://chat.example/services/T0/B0/abc?x=1', tagging)).toBe('https://chat.example/<23>')
  })
  it('never shows a password, in any form', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true }),
        fc.stringMatching(/^[a-z0-9!$]{8,12}$/),
        (base, password) => {
          const [scheme, rest] = base.split('//')
          expect(sealUrl(`${scheme}//user:Q${password}Q@${rest}`, sealer)).not.toContain(`Q${password}Q`)
        },
      ),
    )
  })
  it.each(['not-a-host-sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa', 'shpat_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a'])(
    'does not show a credential in place of its host: %s',
    (host) => {
      const [form = ''] = /(?:sk-ant-api03-|shpat_).*/.exec(host) ?? []
      for (const address of [host, `https://${host}:5672/in`]) {
        expect(sealUrl(address, sealer)).toBe(address.replace(form, sealer.seal(form)))
      }
    },
  )

  it('shows its host', () => {
    expect(hostOf('https://u:p@A.example:8443/x')).toBe('A.example')
  })
})

describe('program text', () => {
  it.each([
    [`const token = 'abcd1234'`, `const token = '<8>'`],
    [`headers['X-Api-Key'] = "abcd1234"`, `headers['X-Api-Key'] = "<8>"`],
    [`f('9f8e7d6c5b4a39281706f5e4')`, `f('<24>')`],
    [`fetch('https://u:pw@a.example/')`, `fetch('<23>')`],
    [`return { event_type: 'order.created', data: p }`, `return { event_type: 'order.created', data: p }`],
    ['// whsec_0123456789abcdef', '// <22>'],
    [`if (p.token !== 'abcd1234') return`, `if (p.token !== '<8>') return`],
    [`const secret = env.SECRET || 'abcd1234'`, `const secret = env.SECRET || '<8>'`],
    [`h.set('X-Api-Key', 'abcd1234')`, `h.set('X-Api-Key', '<8>')`],
    [`{ token: t, event_type: 'order.created' }`, `{ token: t, event_type: 'order.created' }`],
    ['// password: abcd1234', '// <18>'],
    ['/* the api key: abcd1234\n https://u:pw@a.example */', '/* <45> */'],
    ['// 9f8e7d6c5b4a39281706f5e4 was the old one', '// <40>'],
    [`// don't: token = "abcd1234"`, '// <25>'],
    [`/["']/.test(x); token = 'abcd1234'`, `'<6>'.test(x); token = '<8>'`],
    ['const a = `x\ny`; const password = `abcd\n1234`', 'const a = `x\ny`; const password = `<9>`'],
    [`log("key 9f8e7d6c5b4a39281706f5e4 of " + p)`, `log("<32>" + p)`],
    ['// was 9f8e7d6c5b4a39281706f5e4 before\nreturn p', '// <35>\nreturn p'],
    ['`\n9f8e7d6c5b4a39281706f5e4\n`', '`<26>`'],
    [`const secret = 'sealed:${'0'.repeat(32)}'`, `const secret = 'sealed:${'0'.repeat(32)}'`],
  ])('%s', (program, sealed) => {
    expect(sealCode(program, tagging)).toBe(sealed)
  })
})

describe('words of a person', () => {
  it.each([
    ['key 9f8e7d6c5b4a39281706f5e4 of the team', 'key <24> of the team'],
    ['orders-endpoint-eu-2026-11-05', 'orders-endpoint-eu-2026-11-05'],
    ['of 01M7XVZ2T417WGWM74AAK885VQ', 'of 01M7XVZ2T417WGWM74AAK885VQ'],
    ['of 0c9f8e7d-6c5b-4a39-8281-706f5e4d3c2b', 'of 0c9f8e7d-6c5b-4a39-8281-706f5e4d3c2b'],
    ['Basic authentication', 'Basic authentication'],
    ['Uses Basic authentication.', 'Uses Basic authentication.'],
    ['Bearer Authentication for billing', 'Bearer Authentication for billing'],
    ['Basic notifications (EU)', 'Basic notifications (EU)'],
    ['Basic order-events', 'Basic order-events'],
    ['sk_notifications', 'sk_notifications'],
    ['of sk_4eC39HqLyjWDarjt', 'of <19>'],
    ['Orders, password: abcd1234', 'Orders, password: <8>'],
    ['for token-eyJhbGciOiJI.eyJzdWIiOiI.abc', 'for <34>'],
    ['send Basic dXNlcjpub3QtYS1yZWFs', 'send <26>'],
    ['orders', 'orders'],
  ])('%s', (words, sealed) => {
    expect(sealWords(words, tagging)).toBe(sealed)
  })
})

describe('words that were sealed', () => {
  it('show the rest of an address', () => {
    const sealed = sealWords('see https://a.example/?token=abcd1234&v=2', sealer)
    expect(sealed).toBe(`see https://a.example/?token=${sealer.seal('abcd1234')}&v=2`)
  })

  const secret = 'Zq3/kV9xTbLw8mRd2HsYc5NfPj7GuAeE1oXiK4WvQBt'
  it.each([
    `see https://${secret}=@a.example/x`,
    `see https://${secret}==@a.example/x`,
    `see https://+${secret}=@a.example/x`,
    `token ${secret}=`,
    secret,
  ])('are not sealed a second time: %s', (text) => {
    const sealed = sealWords(text, sealer)
    expect(sealed).not.toContain(secret)
    expect(sealWords(sealed, sealer)).toBe(sealed)
  })
})

describe('values of an earlier version', () => {
  const before = {
    name: 'orders 9f8e7d6c5b4a39281706f5e4',
    filter_config: { event_types: ['*'], filter: { body: { note: 'use 9f8e7d6c5b4a39281706f5e4' }, headers: null } },
    function: '// 9f8e7d6c5b4a39281706f5e4',
    unknown_field: ['x 9f8e7d6c5b4a39281706f5e4'],
  }

  it('are sealed as they would be today', () => {
    const written = JSON.stringify(reseal('subscription', before, sealer))
    expect(written).not.toContain('9f8e7d6c5b4a39281706f5e4')
    expect(written.match(/sealed:[0-9a-f]{32}/g)).toHaveLength(4)
  })

  it.each(['endpoint', 'source', 'subscription', 'project'] as const)(
    'stay unchanged when they are as of today: %s',
    (kind) => {
      const texts = fc.constantFrom(
        '9f8e7d6c5b4a39281706f5e4',
        'a 9f8e7d6c5b4a39281706f5e4',
        'whsec_0123456789ab',
        '***',
        'x',
      )
      const raw = fc.dictionary(
        fc.constantFrom(...Object.keys(wireSchema[kind]), 'token', 'notes'),
        fc.oneof(texts, fc.array(texts), fc.dictionary(fc.constantFrom('secret', 'note', 'auth'), texts)),
      )
      fc.assert(
        fc.property(raw, (members) => {
          const job = {
            sealer,
            isStub: false,
            neighbours: noNeighbours,
            facts: {},
            volatile: {},
            malformed: [],
            unseen: [],
          }
          const attributes = normaliseMembers(wireSchema[kind], members, '', job)
          expect(reseal(kind, attributes, sealer)).toEqual(attributes)
        }),
      )
    },
  )
})

describe('a text that is crafted to be slow', () => {
  const megabyte = 1024 * 1024
  it.each([
    ['a', (text: string) => sealCode(text, tagging)],
    ["\\'", (text: string) => sealCode(`'${text}`, tagging)],
    ['`\\`', (text: string) => sealCode(`\`${text}`, tagging)],
    [`a=''`, (text: string) => sealCode(text, tagging)],
    ['eyJ-', (text: string) => sealWords(text, tagging)],
    ['token ', (text: string) => sealWords(text, tagging)],
    ['//a:', (text: string) => sealWords(text, tagging)],
    ['-----BEGIN ', (text: string) => sealWords(text, tagging)],
    ['a1', (text: string) => secretFactsOf(`${text}b${text}`, noNeighbours)],
  ])('of many %s takes one pass', (piece, go) => {
    expect(() => go(piece.repeat(megabyte / piece.length))).not.toThrow()
  })
})

describe('facts of a secret', () => {
  it.each([
    ['password123', { min_length: 8, weak: ['common'] }],
    ['abababababababababababababab', { min_length: 24, weak: ['few-characters', 'repetition'] }],
    ['', { min_length: 0, weak: ['few-characters'] }],
    ['93871c15d694c1957f8db03911731a6b', { min_length: 32, weak: [] }],
    // 32 characters of Base64, which are 24 bytes.
    ['whsec_93871c15d694c1957f8db03911731a6b', { min_length: 24, weak: [] }],
    ['whsec_93871c15d694c1957', { min_length: 16, weak: [] }],
    ['your-webhook-signing-secret', { min_length: 24, weak: ['placeholder'] }],
    ['whsec_yourWebhookSecretHere_12345', { min_length: 24, weak: ['placeholder'] }],
    ['correct-horse-orbit-lamp-and-token', { min_length: 32, weak: [] }],
    ['482915730264918350276491', { min_length: 24, weak: ['digits'] }],
    ['abcdefghijklmnopqrstuvwxyz', { min_length: 24, weak: ['keyboard'] }],
    ["It's a Secret to Everybody", { min_length: 24, weak: ['published'] }],
    ['$' + '{TENANT_WEBHOOK}', { min_length: 16, weak: ['variable'] }],
    ['{{ .Values.tenant.key }}', { min_length: 24, weak: ['variable'] }],
    ['vault:data/tenants#webhook', { min_length: 24, weak: ['variable'] }],
    ['$Tq8wX2nC6vB9lM3', { min_length: 16, weak: [] }],
  ])('of %s are a length class and reasons', (secret, facts) => {
    expect(secretFactsOf(secret, noNeighbours)).toEqual(facts)
  })
  it('show that a secret repeats a name, a uid or a host', () => {
    const { weak } = secretFactsOf('Billing-Prod', { name: 'billing-prod', uid: 'x', address: 'y', user: '' })
    expect(weak).toContain('equals-name')
    expect(
      secretFactsOf('hooks.a.example', { name: '', uid: '', address: 'https://hooks.a.example/x', user: '' }).weak,
    ).toContain('equals-host')
  })

  it('show that a password is its user, in any case', () => {
    const nearby = { name: '', uid: '', address: '', user: 'Reader-2026-x' }
    expect(secretFactsOf('reader-2026-X', nearby).weak).toEqual(['equals-user'])
    expect(secretFactsOf('reader-2026-y', nearby).weak).toEqual([])
  })

  it('distinguish an access key that expires by itself from one that does not', () => {
    const [ends, lasts] = ['ASIA', 'AKIA'].map((kind) => secretFactsOf(`${kind}NOTAREALKEY12345`, noNeighbours))
    expect([ends?.temporary, lasts?.temporary]).toEqual([true, undefined])
  })
})
