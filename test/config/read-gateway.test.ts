import { describe, expect, it } from 'vitest'
import { readGateway, unknownGateway } from '../../src/config/read-gateway.ts'
import { spell } from '../../src/gateway/repair/pieces.ts'

const reference = (name: string) => `\${${name}}`
const acme = { service: 'acme', name: 'acme/payments' }

function read(service: string, env: Record<string, string> = {}, project = acme) {
  const text = `services:\n  - name: acme\n${service.replace(/^/gm, '    ')}\n    projects: [{ id: P1, name: payments }]\n`
  const readFile = (path: string) => {
    if (path.endsWith('hookdrift.yaml')) return text
    throw new Error(`nothing may read ${path}`)
  }
  return readGateway('/etc/hookdrift.yaml', { env, readFile }, project)
}

describe('where printed requests go', () => {
  it('is the URL of the configuration, with the variable that holds the key', () => {
    const gateway = read(`url: https://hooks.example.com/base/\nkey: ${reference('ACME_TOKEN')}`, { ACME_TOKEN: 'x' })
    expect(gateway).toEqual({
      baseUrl: ['https://hooks.example.com/base', '/api/v1'],
      headers: {
        Authorization: ['Bearer ', { name: 'ACME_TOKEN' }],
        'content-type': ['application/json'],
        accept: ['application/json'],
        'x-convoy-version': ['2025-11-24'],
      },
      placeholders: [{ name: 'ACME_TOKEN', in: 'header', hint: 'a key of acme that may write' }],
    })
  })

  it.each([
    ['a key in the file itself', 'key: CO.1234567890123456.not-a-real-key'],
    ['a key in another file, which is not there', `key: "${reference('file:/run/secrets/acme')}"`],
    ['no key', 'page_size: 10'],
  ])('names the key after the service for %s', (_, key) => {
    const gateway = read(`url: https://hooks.example.com\n${key}`)
    expect(JSON.stringify(gateway)).not.toContain('not-a-real-key')
    expect(gateway.headers.Authorization).toEqual(['Bearer ', { name: 'ACME_KEY' }])
  })

  it('prefers the key of the project', () => {
    const text = `services:\n  - name: acme\n    url: https://a.example\n    key: ${reference('ONE')}\n    projects: [{ id: P1, key: "${reference('TWO')}" }]\n`
    const sources = { env: {}, readFile: () => text }
    const { headers } = readGateway('/hookdrift.yaml', sources, { service: 'acme', name: 'acme/P1' })
    expect(headers.Authorization).toEqual(['Bearer ', { name: 'TWO' }])
  })

  it('is a variable where the URL is one that is not set, has a password, or is not there', () => {
    const base = `${reference('ACME_URL')}/api/v1`
    expect(spell(read(`url: ${reference('GATEWAY')}`).baseUrl)).toBe(base)
    expect(spell(read(`url: ${reference('GATEWAY')}`, { GATEWAY: 'https://set.example' }).baseUrl)).toBe(
      'https://set.example/api/v1',
    )
    expect(spell(read('url: https://user:not-a-real-key@hooks.example.com').baseUrl)).toBe(base)
    expect(read('url: https://hooks.example.com', {}, { service: 'other', name: 'other/x' })).toEqual(
      unknownGateway('other'),
    )
    expect(spell(unknownGateway('acme').baseUrl)).toBe(base)
    expect(spell(unknownGateway('3 éscale').baseUrl)).toBe(`${reference('_3_SCALE_URL')}/api/v1`)
  })

  it('follows the dialect, hides the values of further headers, and keeps the version that bodies are written for', () => {
    const dialect = `dialect:
  path_prefix: /hooks
  key_header: X-Key
  key_scheme: ""
  headers: { X-Tenant: not-a-real-key, X-Convoy-Version: "2024-01-01", accept: "*/*" }`
    const { baseUrl, headers, placeholders } = read(`url: https://hooks.example.com\n${dialect}`)
    expect(spell(baseUrl)).toBe('https://hooks.example.com/hooks')
    expect(headers).toEqual({
      'X-Key': [{ name: 'ACME_KEY' }],
      'content-type': ['application/json'],
      accept: [{ name: 'ACME_ACCEPT' }],
      'x-tenant': [{ name: 'ACME_X_TENANT' }],
      'x-convoy-version': ['2025-11-24'],
    })
    expect(placeholders.map(({ name }) => name)).toEqual(['ACME_KEY', 'ACME_ACCEPT', 'ACME_X_TENANT'])
    const none = read('url: https://hooks.example.com\ndialect: { headers: { x-convoy-version: null } }')
    expect(none.headers).not.toHaveProperty('x-convoy-version')
  })

  it('follows references in the dialect and in names, as an audit does', () => {
    const dialect = `dialect: { path_prefix: "${reference('PREFIX')}", key_header: "${reference('HEADER')}" }`
    const service = `url: https://${reference('HOST')}\n${dialect}`
    const env = { HOST: 'hooks.example.com', PREFIX: '/hooks', HEADER: 'X-Key' }
    const { baseUrl, headers } = read(service, env)
    expect([spell(baseUrl), headers['X-Key']]).toEqual([
      'https://hooks.example.com/hooks',
      ['Bearer ', { name: 'ACME_KEY' }],
    ])
    expect(spell(read(service).baseUrl)).toBe(`${reference('ACME_URL')}/api/v1`)
    const text = `services: [{ name: "${reference('NAME')}", url: https://a.example, projects: [{ id: P1 }] }]`
    const named = readGateway('/hookdrift.yaml', { env: { NAME: 'acme' }, readFile: () => text }, acme)
    expect(spell(named.baseUrl)).toBe('https://a.example/api/v1')
  })

  it('has the variable of the key in one header alone, no matter what other headers and the service are called', () => {
    const dialect = 'dialect: { headers: { key: not-a-real-key, url: not-a-real-url } }'
    const { baseUrl, headers, placeholders } = read(`url: ${reference('NOT_SET')}\n${dialect}`)
    expect([spell(baseUrl), headers.Authorization, headers.key, headers.url]).toEqual([
      ...[`${reference('ACME_URL')}/api/v1`, ['Bearer ', { name: 'ACME_KEY' }], [{ name: 'ACME_KEY_2' }]],
      [{ name: 'ACME_URL_2' }],
    ])
    expect(new Set(placeholders.map(({ name }) => name)).size).toBe(4)
    const { baseUrl: base, headers: sent } = read(`url: ${reference('NOT_SET')}\nkey: ${reference('ACME_URL')}`)
    expect([spell(base), sent.Authorization]).toEqual([
      ...[`${reference('ACME_URL_2')}/api/v1`, ['Bearer ', { name: 'ACME_URL' }]],
    ])
  })

  it('has another variable for each key, regardless of what services and projects are called', () => {
    const inFile = `"${reference('file:/run/secrets/key')}"`
    const text = `services:
  - { name: old, url: https://old.example, key: "${reference('ACME_KEY')}", projects: [{ id: P1 }] }
  - { name: acme, url: https://a.example, key: ${inFile}, projects: [{ id: P2 }, { id: P3, key: ${inFile} }] }
  - { name: Acme, url: https://b.example, key: ${inFile}, dialect: { headers: { key-2: x } }, projects: [{ id: P4 }] }
`
    const sources = { env: {}, readFile: (path: string) => (path.endsWith('.yaml') ? text : 'not-a-real-key') }
    const namesFor = (service: string, project: string) =>
      readGateway('/hookdrift.yaml', sources, { service, name: `${service}/${project}` }).placeholders.map(
        ({ name, hint }) => `${name}: ${hint}`,
      )
    expect(namesFor('old', 'P1')).toEqual(['ACME_KEY: a key of old that may write'])
    expect(namesFor('acme', 'P2')).toEqual(['ACME_KEY_2: a key of acme that may write'])
    expect(namesFor('acme', 'P3')).toEqual(['ACME_P3_KEY: a key of acme/P3 that may write'])
    expect(namesFor('Acme', 'P4')).toEqual([
      'ACME_KEY_3: a key of Acme that may write',
      'ACME_KEY_2_2: the header key-2, as configured',
    ])
  })
})
