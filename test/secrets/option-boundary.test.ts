import { describe, expect, it } from 'vitest'
import { sealProse, sealWords } from '../../src/gateway/inventory/seal-text.ts'
import { findAssigned } from '../../src/model/secrets/assigned-secrets.ts'
import { one, sealer } from '../inventory/inventory-fixture.ts'

const secret = 'swordfish-x1y2'
/** Every way to spell an option with a secret; `_` is what separates it from its value. */
const options = [
  ...['password', 'passphrase', 'passwd', 'pwd', 'pass', 'pw', 'pin', 'token', 'auth-token', 'api-key', 'apikey'],
  ...['secret', 'client-secret', 'private-key', 'credentials', 'cookie', 'authorization', 'passwort', 'mdp', 'senha'],
]
  .map((name) => `--${name}_`)
  .concat('-p_', '-P_', '-u_admin:', '-U_admin:', '--user_admin:', '--proxy-user_admin:')
const names = ['password', 'pass', 'pwd', 'token', 'api-key', 'secret', 'login: admin/']
/** None is a letter or a digit. */
const boundaries = [
  ...['', ' ', '\t', '\n', '\r\n', '\u00a0', '\u2003', '\u200b', '\u00ad', '\0'],
  ...Array.from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', (sign) => sign),
  ...['„', '“', '”', '‚', '‘', '’', '«', '»', '‹', '›', '—', '–', '…', '·', '•', '→', '。', '、', '「', '§', '€', '😀'],
]
const separators = [' ', '  ', '\t', '\u00a0', '=', ' = ', ': ', ' "']

function readsBehind(boundary: string, setting: string): string[] {
  const texts = [boundary + setting, `request.body${boundary === '' ? ' ' : boundary}${setting}`]
  return texts.filter((text) => [sealWords, sealProse].some((seal) => seal(text, sealer).includes(secret)))
}

describe('a value of an option is sealed behind every character that is neither a letter nor a digit', () => {
  it.each(options)('%s', (option) => {
    const parts = option.includes(':') ? [' ', '\t', '\u00a0'] : separators
    const spelled = parts.map((separator) => option.replace('_', separator) + secret)
    const isSet = (text: string) => !/^-[pP](?:=|: | = )/.test(text)
    expect(spelled.filter(isSet).flatMap((text) => boundaries.flatMap((sign) => readsBehind(sign, text)))).toEqual([])
  })

  it.each(names)('%s, without hyphens', (name) => {
    const spelled = name.includes('/') ? [name + secret] : ['=', ': ', ' = '].map((sign) => name + sign + secret)
    expect(spelled.flatMap((text) => boundaries.flatMap((sign) => readsBehind(sign, text)))).toEqual([])
  })

  it.each(['<pass>', '<ns:pass>', '<a.pin>', '<db_pw>'])('%s of a document', (tag) => {
    expect(findAssigned(`${tag}${secret}${tag.replace('<', '</')}`)).toEqual([
      { from: tag.length, to: tag.length + secret.length },
    ])
  })
})

describe('a hyphen behind a letter or a digit', () => {
  it.each([
    'the card--token styles of the shop',
    'we changed it--password resets go by mail',
    'the order-p types',
    'step 2-u states',
    'Größe-p Werte',
    '٣-p orders',
  ])('does not begin an option: %s', (text) => {
    expect(sealProse(text, sealer)).toBe(text)
  })
})

describe('words next to an option', () => {
  it.each([
    'Options:\n--token\n--user',
    'the flag [--token] is gone',
    'use (--token|--user) with care',
    'mkdir.-p /var/lib/orders',
    'ports:-p 8080:80',
    '[-u admin] only',
    'a list: -p, -u',
    'the --token option; the {--password} argument',
  ])('stay: %s', (text) => {
    expect(sealProse(text, sealer)).toBe(text)
  })
})

describe('an option is sealed in every place for words', () => {
  const text = `request.body.--password ${secret}`
  const verifier = (members: object) => ({ verifier: JSON.parse(JSON.stringify(members)) })
  it.each([
    ['a name', 'sources', { name: text }],
    ['a description', 'endpoints', { description: text }],
    ['an owner id', 'endpoints', { owner_id: text }],
    ['an address', 'endpoints', { url: text }],
    ['an address with a host', 'endpoints', { url: `https://a.example/${text}` }],
    ['a support address', 'endpoints', { support_email: text }],
    ['an idempotency key', 'sources', { idempotency_keys: [text] }],
    ['an idempotency key alone', 'sources', { idempotency_keys: text }],
    ['a forwarded header', 'sources', { forward_headers: [text] }],
    ['the location of an event type', 'sources', { event_type_location: text }],
    ['the name of a header', 'sources', verifier({ type: 'hmac', hmac: { header: text } })],
    ['the name of a header of a key', 'sources', verifier({ type: 'api_key', api_key: { header_name: text } })],
    ['an answer', 'sources', { custom_response: { body: text, content_type: text } }],
    ['a function', 'sources', { body_function: `// ${text}\nreturn f('${text}')` }],
    ['metadata', 'endpoints', { metadata: { note: text, more: [text], [text]: 'a' } }],
    ['an event type', 'subscriptions', { filter_config: { event_types: [text], filter: {} } }],
    ['a filter', 'subscriptions', { filter_config: { filter: { body: { note: text, owner_id: text, [text]: 1 } } } }],
    ['an unknown field', 'sources', { remarks: text }],
  ] as const)('%s', (_, listing, item) => {
    expect(JSON.stringify(one(listing, JSON.parse(JSON.stringify(item))))).not.toContain(secret)
  })

  it.each(['service-account:billing', 'tenant/4711', 'token:team-a', 'k8Xq2LpZ9vRt3Wn7q5Bd', 'Orders Team 4'])(
    'and an owner id stays: %s',
    (owner) => {
      expect(one('endpoints', { owner_id: owner }).attributes.owner_id).toBe(owner)
    },
  )
})
